import type { ConflictError, ErrorFacts } from "../errors.ts";
import {
  findReferences,
  type IntegrationReads,
  type ReadsInto,
  type ReferenceContext,
  readsInto,
} from "../inspect/references.ts";
import { routingErrors } from "./errors.ts";
import { type ListedRouting, nameOf } from "./find-resource.ts";
import { type Address, addressOf } from "./model/address.ts";
import { type LiveRecord, RESOURCE_ORDER, RESOURCES, type ResourceKind } from "./model/resource.ts";
import { resourceName } from "./pages/plan.ts";

interface UsingRoute {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly address: Address;
}

/** The routes and reads that depend on a resource. */
export interface ResourceUse {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly routes: readonly UsingRoute[];
  /** Whether all lists of routes could be read. */
  readonly areRoutesKnown: boolean;
  /** The reads that name it; absent for what no read can name. */
  readonly reads?: ReadsInto;
}

/** The address of a listed record: with its ID, where the lists do not say its name. */
export function addressIn(kind: ResourceKind, record: LiveRecord, listed: ListedRouting): Address {
  const name = nameOf(kind, record, listed);
  if (name === undefined) return addressOf(kind, record.id);
  return RESOURCES[kind].key.length > 1 ? `${kind}/${name}` : addressOf(kind, name);
}

/** The uses of a resource: the routes at it, and for a destination the reads that name it. */
export async function useOf(
  context: ReferenceContext,
  kind: ResourceKind,
  record: LiveRecord,
  { listed, isComplete }: { readonly listed: ListedRouting; readonly isComplete: boolean },
): Promise<ResourceUse> {
  const usingKinds = RESOURCE_ORDER.flatMap((using) => {
    const field = RESOURCES[using].key.find(({ references }) => references === kind)?.field;
    return field === undefined ? [] : [{ using, field }];
  });
  const routes = usingKinds.flatMap(({ using, field }) =>
    (listed[using] ?? [])
      .filter((route) => route[field] === record.id && route.id !== "")
      .map((route): UsingRoute => {
        return { kind: using, id: route.id, address: addressIn(using, route, listed) };
      }),
  );
  const areRoutesKnown = isComplete && usingKinds.every(({ using }) => listed[using] !== undefined);
  const use = { kind, name: record.name || record.id, routes, areRoutesKnown };
  if (kind !== "destination") return use;
  const name = record.name ?? "";
  return { ...use, reads: readsInto(await findReferences(context, new Set([name])), name) };
}

/** The lines about everything that depends on resources, or may; empty if nothing does. */
export function useLines(use: ResourceUse): string[] {
  const { kind, routes, areRoutesKnown, reads } = use;
  const [noun] = RESOURCES[kind].words;
  return [
    ...(routes.length > 0
      ? [`Routes: ${routes.map(({ address }) => resourceName(address).name).join(", ")}`]
      : []),
    ...(areRoutesKnown
      ? []
      : [`Could not check which routes use the ${noun}: they cannot be listed.`]),
    ...(reads ? readsLines(use.name, reads) : []),
  ];
}

/** The lines about the reads that name a destination, or may. */
function readsLines(destination: string, reads: ReadsInto): string[] {
  if (!reads.checked) return [`Could not check which reads use ${destination}: ${reads.why}`];
  if (reads.installations === 0) return [];
  const by = reads.integrations.map(integrationText).join("; ");
  const { installations } = reads;
  const verb =
    installations === 1 ? "1 installation delivers" : `${installations} installations deliver`;
  return [`Reads: ${verb} to ${destination}: ${by}`];
}

function integrationText(one: IntegrationReads): string {
  const named = one.first.map(({ id, group }) => group ?? id);
  const more = one.installations > named.length ? ["…"] : [];
  const integration = one.integrationName ?? one.integrationId;
  return `${integration} ${one.installations} (${[...named, ...more].join(", ")})`;
}

/**
 * The error for a change that would break what depends on resources; undefined where nothing does.
 * @param change the change as the end of a remedy: "delete it"
 */
export function inUseError(
  uses: readonly ResourceUse[],
  change: string,
  facts: ErrorFacts,
): ConflictError | undefined {
  const used = uses.filter((use) => useLines(use).length > 0);
  const [first] = used;
  if (first === undefined) return undefined;
  const isSure = used.some(
    ({ routes, reads }) => routes.length > 0 || (reads?.checked && reads.installations > 0),
  );
  const what =
    used.length > 1
      ? `${used.length} resources`
      : `The ${RESOURCES[first.kind].words[0]} ${first.name}`;
  const be = !isSure ? "may be" : used.length > 1 ? "are" : "is";
  const all = { ...facts, data: { ...facts.data, references: used } };
  return routingErrors.resource_in_use(what, be, used.flatMap(useLines).join("\n"), change, all);
}

/**
 * The reads of customers that name destinations, in lines of text by the name of each; where they
 * cannot be searched, a warning says so.
 */
export async function findReads(
  context: ReferenceContext,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const references = await findReferences(context, new Set(names));
  if (!references.checked) {
    const named = names.join(", ");
    context.report.warn(`Could not check which reads use ${named}: ${references.why}`);
    return new Map();
  }
  const lines = names.map((name) => [name, readsLines(name, readsInto(references, name))] as const);
  return new Map(lines.filter(([, { length }]) => length > 0));
}
