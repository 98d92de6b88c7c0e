import type { BatchSupport, Descriptor, Provider, Support } from "../api/schemas/provider.ts";
import type { Block, Page, PageRow } from "../view/view.ts";
import { entryTexts, joined, row } from "../view/view.ts";
import { authRows } from "./provider-auth.ts";

/** A provider as a page: every field of spec 2.2 that is present. */
export function providerPage(provider: Provider): Page {
  const { name, displayName } = provider;
  return {
    title: displayName && displayName !== name ? `${displayName} (${name})` : name,
    aside: `${provider.authType} · ${provider.baseURL}`,
    blocks: [
      rows([
        ...supportRows(provider.support),
        ...batchRows("Batch write", provider.support.batchWrite),
        ...subscribeRows(provider),
      ]),
      rows([...authRows(provider), ...healthCheckRows(provider)]),
      rows(inputRows(provider)),
      ...moduleBlocks(provider),
      rows([...row("Labels", entryTexts(provider.labels)), ...mediaRows(provider)]),
    ].filter((block) => block.kind !== "rows" || block.rows.length > 0),
  };
}

function rows(all: readonly PageRow[], heading?: string): Block {
  return { kind: "rows", rows: all, ...(heading === undefined ? {} : { heading }) };
}

function healthCheckRows({ authHealthCheck: check }: Provider): PageRow[] {
  if (!check) return [];
  const codes = check.successStatusCodes?.join(", ");
  return row(
    "Health check",
    joined([joined([check.method ?? "GET", check.url], " "), codes && `success: ${codes}`]),
  );
}

function subscribeRows({ subscribeRequirements: needs }: Provider): PageRow[] {
  if (!needs) return [];
  const told = Object.entries(needs).map(([step, needed]) =>
    needed === false ? `no ${step}` : step,
  );
  return row("Subscribe requires", joined(told));
}

/** The inputs before login, those after it, and the settings of the app. */
function inputRows(provider: Provider): PageRow[] {
  const before = (provider.metadata?.input ?? []).map(descriptorText);
  const after = (provider.metadata?.postAuthentication ?? []).map(({ name, moduleDependencies }) =>
    descriptorText({ name, moduleDependencies }),
  );
  const { authQueryParams, providerParams } = provider.providerAppMetadata ?? {};
  return [
    ...row("Before login", before.length === 0 ? "no input required" : before),
    ...row("After login", [
      ...after,
      ...(provider.postAuthInfoNeeded
        ? ["more information is required before requests can be made"]
        : []),
    ]),
    ...row("App settings", (providerParams ?? []).map(descriptorText)),
    ...row("App auth params", (authQueryParams ?? []).map(descriptorText)),
    ...row("Default module", provider.defaultModule),
  ];
}

/** The modules: the spec does not describe their contents, so that only known fields are shown. */
function moduleBlocks(provider: Provider): Block[] {
  return Object.entries(provider.modules ?? {}).map(([name, contents]) => {
    const module = (contents ?? {}) as Partial<
      Pick<Provider, "displayName" | "baseURL" | "support">
    >;
    return rows(
      [
        ...row("Base URL", module.baseURL),
        ...(module.support ? supportRows(module.support) : []),
        ...batchRows("Batch write", module.support?.batchWrite),
      ],
      `Module ${module.displayName ? `${name}: ${module.displayName}` : name}`,
    );
  });
}

function mediaRows({ media }: Provider): PageRow[] {
  return [
    ...row(
      "Icon",
      [
        media?.regular?.iconURL,
        media?.darkMode?.iconURL && `${media.darkMode.iconURL} (dark)`,
      ].filter(Boolean),
    ),
    ...row(
      "Logo",
      [
        media?.regular?.logoURL,
        media?.darkMode?.logoURL && `${media.darkMode.logoURL} (dark)`,
      ].filter(Boolean),
    ),
  ];
}

/** Each flag of what a provider supports, in the order of reading. */
function leaves(support: Support): [name: string, told: boolean | null | undefined][] {
  const { bulkWrite, search, subscribeSupport } = support;
  return [
    ["read", support.read],
    ["write", support.write],
    ["delete", support.delete],
    ["subscribe", support.subscribe],
    ["proxy", support.proxy],
    ["search:equals", search?.operators?.equals],
    ...sub("bulk", bulkWrite),
    ...sub("subscribe", subscribeSupport),
  ];
}

function sub(
  group: string,
  flags: Readonly<Record<string, unknown>> | null | undefined,
): [string, boolean | null | undefined][] {
  return Object.entries(flags ?? {}).map(([name, told]) => [
    `${group}:${name}`,
    typeof told === "boolean" ? told : undefined,
  ]);
}

/** The flags that are true and those that are false; an absent flag is in neither line. */
export function supportRows(support: Support): PageRow[] {
  const all = leaves(support);
  const yes = all.filter(([, told]) => told === true).map(([name]) => name);
  const no = all.filter(([, told]) => told === false).map(([name]) => name);
  return [
    ...row("Supports", yes.length === 0 ? "nothing" : yes.join(", ")),
    ...row("Not supported", no.length === 0 ? undefined : { text: no.join(", "), tone: "dim" }),
  ];
}

/** The record limits of batch writes (spec part 8). */
export function batchRows(label: string, batch: Support["batchWrite"]): PageRow[] {
  const operations = ["create", "update", "upsert", "delete"] as const;
  return row(
    label,
    operations.flatMap((operation) => {
      const told = batch?.[operation];
      return told ? [`${operation} ${limits(told)}`] : [];
    }),
  );
}

function limits(batch: BatchSupport): string {
  if (batch.supported === false) return "not supported";
  const exceptions = Object.entries(batch.objectRecordLimits ?? {}).map(
    ([name, limit]) => `${name} ${limit}`,
  );
  const most = batch.defaultRecordLimit ? `${batch.defaultRecordLimit} records` : "supported";
  return joined([most, exceptions.length > 0 && `(${exceptions.join(", ")})`], " ") ?? most;
}

/** An input that the builder or the customer must give, with all that is known of it. */
function descriptorText(one: Descriptor): string {
  const name = one.displayName ? `${one.name} (${one.displayName})` : (one.name ?? "");
  const modules = Object.keys(one.moduleDependencies ?? {});
  return (
    joined([
      one.prompt ? `${name}: ${one.prompt}` : name,
      one.defaultValue && `default ${one.defaultValue}`,
      modules.length > 0 && `for module ${modules.join(", ")}`,
      one.docsURL,
    ]) ?? ""
  );
}
