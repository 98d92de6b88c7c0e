import type { Provider } from "../api/schemas/provider.ts";
import type { Block, Page, Row } from "../cli/view.ts";
import { descriptor, entries, joined, row } from "./describe.ts";
import { authRows } from "./provider-auth.ts";
import { batchRows, supportRows } from "./provider-support.ts";

/** A provider laid out for reading: every field of spec 2.2 that is there. */
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
      rows(needsRows(provider)),
      ...moduleBlocks(provider),
      rows([...row("Labels", entries(provider.labels)), ...mediaRows(provider)]),
    ].filter((block) => block.kind !== "rows" || block.rows.length > 0),
  };
}

function rows(all: readonly Row[], heading?: string): Block {
  return { kind: "rows", rows: all, ...(heading === undefined ? {} : { heading }) };
}

function healthCheckRows({ authHealthCheck: check }: Provider): Row[] {
  if (!check) return [];
  const codes = check.successStatusCodes?.join(", ");
  return row(
    "Health check",
    joined([joined([check.method ?? "GET", check.url], " "), codes && `good: ${codes}`]),
  );
}

function subscribeRows({ subscribeRequirements: needs }: Provider): Row[] {
  if (!needs) return [];
  const told = Object.entries(needs).map(([step, needed]) =>
    needed === false ? `no ${step}` : step,
  );
  return row("Subscribe needs", joined(told));
}

/** What must be given before connecting, comes after it, and belongs into the app's settings. */
function needsRows(provider: Provider): Row[] {
  const before = (provider.metadata?.input ?? []).map(descriptor);
  const after = (provider.metadata?.postAuthentication ?? []).map(({ name, moduleDependencies }) =>
    descriptor({ name, moduleDependencies }),
  );
  const { authQueryParams, providerParams } = provider.providerAppMetadata ?? {};
  return [
    ...row("Needs", before.length === 0 ? "nothing before connecting" : before),
    ...row("After login", after),
    ...row(
      "Post-auth",
      provider.postAuthInfoNeeded ? "more is asked after authentication" : undefined,
    ),
    ...row("App settings", (providerParams ?? []).map(descriptor)),
    ...row("App auth URL", (authQueryParams ?? []).map(descriptor)),
    ...row("Module", provider.defaultModule && `${provider.defaultModule} by default`),
  ];
}

/** A module as far as its contents can be told; the spec does not show them. */
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

function mediaRows({ media }: Provider): Row[] {
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
