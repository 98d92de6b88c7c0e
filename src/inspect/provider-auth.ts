import type { Descriptor, Provider } from "../api/schemas/provider.ts";
import type {
  ApiKeyOptions,
  BasicOptions,
  CustomOptions,
  OAuth2Options,
} from "../api/schemas/provider-authentication.ts";
import { isEmptyValue } from "../values/json.ts";
import { entryTexts, joined, type PageRow, row, valueText } from "../view/view.ts";

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
export function descriptorText(one: Descriptor): string {
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
