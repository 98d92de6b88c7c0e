import type { BatchSupport, Descriptor, Provider, Support } from "../api/schemas/provider.ts";
import type {
  ApiKeyOptions,
  BasicOptions,
  CustomOptions,
  OAuth2Options,
} from "../api/schemas/provider-authentication.ts";
import { isEmptyValue, isJsonObject } from "../values/json.ts";
import {
  type Block,
  entryTexts,
  joined,
  type Page,
  type PageRow,
  row,
  rows,
  valueRow,
  valueText,
} from "../view/view.ts";

/** A provider as a page: every field of spec 2.2 that is present. */
export function providerPage(provider: Provider): Page {
  const { name, displayName } = provider;
  // Both are required, but one that is not sent is empty here.
  const aside = joined([provider.authType, provider.baseURL]);
  return {
    title: displayName && displayName !== name ? `${displayName} (${name})` : name,
    ...(aside && { aside }),
    blocks: [
      rows([...supportRows(provider.support), ...subscribeRows(provider)]),
      rows([...authRows(provider), ...healthCheckRows(provider)]),
      rows(inputRows(provider)),
      ...moduleBlocks(provider),
      rows([...row("Labels", entryTexts(provider.labels)), ...mediaRows(provider)]),
    ].filter((block) => block.kind !== "rows" || block.rows.length > 0),
  };
}

function healthCheckRows({ authHealthCheck: check }: Provider): PageRow[] {
  if (!check) return [];
  const codes = check.successStatusCodes?.join(", ");
  return row(
    "Health check",
    joined([joined([check.method, check.url], " "), codes && `success: ${codes}`]),
  );
}

function subscribeRows({ subscribeRequirements: needs }: Provider): PageRow[] {
  if (!needs) return [];
  const steps = Object.entries(needs).map(([step, needed]) =>
    needed === false ? `no ${step}` : step,
  );
  return row("Subscribe requires", joined(steps));
}

/** The inputs before login, those after it, and the settings of the app. */
export function inputRows({
  metadata,
  providerAppMetadata: app,
  postAuthInfoNeeded,
  defaultModule,
}: Provider): PageRow[] {
  const before = metadata?.input?.map(descriptorText) ?? [];
  return [
    ...row("Before login", before.length === 0 ? "no input required" : before),
    ...row("After login", [
      ...(metadata?.postAuthentication ?? []).map(descriptorText),
      typeof postAuthInfoNeeded === "boolean"
        ? `${postAuthInfoNeeded ? "more" : "no more"} information is required before requests can be made`
        : undefined,
    ]),
    ...row("App settings", app?.providerParams?.map(descriptorText)),
    ...row("App auth params", app?.authQueryParams?.map(descriptorText)),
    ...row("Default module", defaultModule),
  ];
}

/**
 * The modules. The spec does not describe their contents; those of the live platform are laid out.
 */
function moduleBlocks(provider: Provider): Block[] {
  return Object.entries(provider.modules ?? {}).map(([name, contents]) => {
    if (!isJsonObject(contents)) return rows(valueRow("Contents", contents), `Module ${name}`);
    const { displayName, baseURL, support, ...others } = contents;
    return rows(
      [
        ...valueRow("Base URL", baseURL),
        ...(isJsonObject(support) ? supportRows(support) : valueRow("Supports", support)),
        ...Object.entries(others).flatMap(([field, value]) => valueRow(field, value)),
      ],
      `Module ${displayName ? `${name}: ${valueText(displayName)}` : name}`,
    );
  });
}

function mediaRows({ media }: Provider): PageRow[] {
  const urls = (kind: "iconURL" | "logoURL") => {
    const dark = media?.darkMode?.[kind];
    return [media?.regular?.[kind], dark && `${dark} (dark)`];
  };
  return [...row("Icon", urls("iconURL")), ...row("Logo", urls("logoURL"))];
}

/** What a provider supports, each with its flag, in the order of reading. */
export function capabilities(support: Support): [name: string, flag: unknown][] {
  const { batchWrite, bulkWrite, search, subscribeSupport } = support;
  return [
    ["read", support.read],
    ["write", support.write],
    ["delete", support.delete],
    ["subscribe", support.subscribe],
    ["proxy", support.proxy],
    ["search:equals", search?.operators?.equals],
    ...sub("bulk", bulkWrite),
    ...sub("subscribe", subscribeSupport),
    ...sub("batch", batchWrite),
  ];
}

function sub(group: string, flags: object | null | undefined): [name: string, flag: unknown][] {
  return Object.entries(flags ?? {}).map(([name, flag]) => [
    `${group}:${name}`,
    isJsonObject(flag) ? flag.supported : flag,
  ]);
}

/**
 * The flags that are true, those that are false, and the record limits of batch writes (spec part
 * 8); an absent flag is in neither line.
 */
function supportRows(support: Support): PageRow[] {
  const flags = capabilities({ ...support, batchWrite: undefined });
  const named = (wanted: boolean) =>
    flags.flatMap(([name, flag]) => (flag === wanted ? [name] : []));
  const yes = named(true).join(", ");
  const no = named(false).join(", ");
  const batch = (["create", "update", "upsert", "delete"] as const).flatMap((operation) => {
    const limit = support.batchWrite?.[operation];
    return limit ? [joined([operation, limitText(limit)], " ")] : [];
  });
  return [
    ...row("Supports", yes || (no ? "nothing" : "not specified")),
    ...row("Not supported", no && { text: no, tone: "dim" }),
    ...row("Batch write", batch),
  ];
}

function limitText(batch: BatchSupport): string | undefined {
  const { supported, defaultRecordLimit: limit, objectRecordLimits } = batch;
  const exceptions = Object.entries(objectRecordLimits ?? {}).map(
    ([name, most]) => `${name} ${valueText(most)}`,
  );
  const known = [
    supported === false ? "not supported" : supported && "supported",
    typeof limit === "number" && `${limit} records`,
  ];
  return joined([joined(known, ", "), exceptions.length > 0 && `(${exceptions.join(", ")})`], " ");
}

/** The authentication options of a provider. */
export function authRows(provider: Provider): PageRow[] {
  return [
    ...(provider.oauth2Opts ? oauthRows(provider.oauth2Opts) : []),
    ...(provider.apiKeyOpts ? apiKeyRows(provider.apiKeyOpts) : []),
    ...(provider.basicOpts ? basicRows(provider.basicOpts) : []),
    ...(provider.customOpts ? customRows(provider.customOpts) : []),
  ];
}

function oauthRows(options: OAuth2Options): PageRow[] {
  const { tokenMetadataFields: fields, accessTokenOpts: token } = options;
  return [
    ...row("OAuth", options.authURL),
    ...row("Token", options.tokenURL),
    ...row("Requires", requiredByOAuth(options)),
    ...row("Audience", options.audience),
    ...row("URL params", entryTexts(options.authURLParams)),
    ...row("Scope mapping", entryTexts(options.scopeMappings)),
    ...row("Token fields", [
      fields?.workspaceRefField && `workspace in ${fields.workspaceRefField}`,
      fields?.consumerRefField && `consumer in ${fields.consumerRefField}`,
      fields?.scopesField && `scopes in ${fields.scopesField}`,
      ...(fields?.otherFields ?? []).map((other) =>
        joined([
          `${other.displayName ?? other.name ?? "?"} in ${other.path ?? "?"}`,
          other.displayName && other.name && `as ${other.name}`,
          other.capture && `captured by ${other.capture}`,
        ]),
      ),
    ]),
    ...row(
      "Token sent as",
      joined([
        token?.attachmentType,
        token?.header?.name &&
          `header ${token.header.name}: ${token.header.valuePrefix ?? ""}<token>`,
        token?.docsURL,
      ]),
    ),
    ...row("Docs", options.docsURL),
  ];
}

function requiredByOAuth({
  explicitScopesRequired: scopes,
  explicitWorkspaceRequired: workspace,
}: OAuth2Options) {
  if (scopes === false && workspace === false) return "neither scopes nor workspace";
  return joined([
    scopes === false ? "no explicit scopes" : scopes && "explicit scopes",
    workspace === false ? "no explicit workspace" : workspace && "explicit workspace",
  ]);
}

function apiKeyRows({ header, query, docsURL }: ApiKeyOptions): PageRow[] {
  return [
    ...row("API key", [
      header?.name && `header ${header.name}: ${header.valuePrefix ?? ""}<key>`,
      query?.name && `query ?${query.name}=<key>`,
    ]),
    ...row("Docs", docsURL),
  ];
}

function basicRows({ apiKeyAsBasic, apiKeyAsBasicOpts, docsURL }: BasicOptions): PageRow[] {
  return [
    ...row(
      "Basic",
      joined([
        apiKeyAsBasic === false
          ? "user name and password"
          : apiKeyAsBasic && "API key instead of user name and password",
        apiKeyAsBasicOpts?.fieldUsed && `in field ${apiKeyAsBasicOpts.fieldUsed}`,
        apiKeyAsBasicOpts?.keyFormat && `format ${apiKeyAsBasicOpts.keyFormat}`,
      ]),
    ),
    ...row("Docs", docsURL),
  ];
}

function customRows({ headers, queryParams, inputs }: CustomOptions): PageRow[] {
  return [
    ...row(
      "Headers",
      headers?.map(({ name, valueTemplate }) => `${name ?? "?"}: ${valueTemplate ?? "?"}`),
    ),
    ...row(
      "Query",
      queryParams?.map(({ name, valueTemplate }) => `?${name ?? "?"}=${valueTemplate ?? "?"}`),
    ),
    ...row("Inputs", inputs?.map(descriptorText)),
  ];
}

/** An input that the builder or the customer must give, with all of its facts. */
function descriptorText(one: Descriptor): string {
  const name = one.displayName ? `${one.name ?? "?"} (${one.displayName})` : (one.name ?? "");
  const modules = Object.entries(one.moduleDependencies ?? {}).map(([module, needs]) =>
    isEmptyValue(needs) ? module : `${module} = ${valueText(needs)}`,
  );
  return (
    joined([
      one.prompt ? `${name}: ${one.prompt}` : name,
      one.defaultValue && `default ${one.defaultValue}`,
      modules.length > 0 && `for module ${modules.join(", ")}`,
      one.docsURL,
    ]) ?? ""
  );
}
