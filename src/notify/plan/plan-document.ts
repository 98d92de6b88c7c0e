import type { ItemDocument, PlanDocument, SecretUse } from "../../documents/routing.ts";
import { isJsonObject } from "../../values/json.ts";
import { deliversTo, type Metadata, metadataValues, referenceText } from "../model/metadata.ts";
import type { Resource } from "../model/routing.ts";
import { sharedTopics } from "./beyond.ts";
import { itemDocument, needsApply, type Plan, type PlanItem, type PlannedAction } from "./plan.ts";
import { ACTIONS, countsOf } from "./vocabulary.ts";

/**
 * A plan as JSON: without the resources, which may hold secrets, and with counts.
 * @param warnings what is doubtful about the routing, as it was reported
 */
export function planJson(
  plan: Plan,
  warnings: readonly string[] = [],
  context: Pick<PlanDocument, "target" | "all"> = {},
): PlanDocument {
  const items = plan.items.map(
    (item): ItemDocument => ({ ...itemDocument(item), ...madeOf(item) }),
  );
  return {
    pending: needsApply(plan),
    prune: plan.choices.prune,
    accept: plan.choices.accept,
    ...context,
    lists: plan.lists,
    counts: countsOf(
      ACTIONS,
      items.map(({ action }) => action),
    ),
    items,
    secrets: secretUses(plan),
    kept: plan.kept,
    others: plan.others,
    removedFromFile: plan.removedFromFile,
    duplicates: plan.duplicates,
    renamed: plan.renamed,
    unmanaged: plan.unmanaged,
    sharedTopics: sharedTopics(items, plan),
    warnings: [...warnings, ...(plan.nameWarnings ?? [])],
  };
}

/**
 * A plan that is not made from a routing file: what that would not name any more, or what else the
 * state has, is none of its business.
 */
export function withoutFile(plan: Plan): Plan {
  const items = plan.items.flatMap((item): PlanItem[] => {
    if (item.action === "release") return [];
    if (!("keptFields" in item)) return [item];
    const { keptFields: _, ...rest } = item;
    return [rest];
  });
  return { ...plan, items, others: [], removedFromFile: [], renamed: [], unmanaged: [] };
}

/** What a reader should know of a destination to create: its type, and who receives events by it. */
function madeOf({ action, kind, resource }: PlanItem): Pick<ItemDocument, "type" | "deliversTo"> {
  const { type } = resource?.content ?? {};
  if (action !== "create" || kind !== "destination" || !resource || typeof type !== "string")
    return {};
  return { type, deliversTo: targetsOf(resource) };
}

/** Whether applying sends a secret: an update sends only what it changes. */
function isSent(item: PlanItem, secret: string): boolean {
  if (item.action !== "update") return !UNTOUCHED.has(item.action);
  const [part = "", field = ""] = secret.split(".");
  const path = part === "metadata" && field !== "" ? `metadata.${field}` : `secrets.${secret}`;
  return item.fields.includes(path);
}

/** The actions that send nothing for a destination. */
const UNTOUCHED: ReadonlySet<PlannedAction["action"]> = new Set(["in_place", "adopt"]);

/**
 * Every secret that a plan's routing refers to, so that the reviewer of another author's routing
 * sees which secrets of this machine it uses, and who receives them.
 */
function secretUses({ items }: Pick<Plan, "items">): readonly SecretUse[] {
  return items.flatMap((item) => {
    const { resource } = item;
    if (resource === undefined) return [];
    const used = [
      ...(resource.references ?? []).map(
        ({ path, secret }) => [["metadata", ...path].join("."), secret] as const,
      ),
      ...Object.entries(resource.secrets),
    ];
    return used.flatMap(([secret, { reference }]) =>
      reference === undefined
        ? []
        : {
            reference: referenceText(reference),
            secret,
            destination: resource.names[0] ?? "",
            deliversTo: targetsOf(resource),
            sent: isSent(item, secret),
          },
    );
  });
}

/** The hosts of all URLs in a destination's metadata but its headers. */
export function hostsOf({ content: { metadata } }: Resource): readonly string[] {
  const tree: Metadata = isJsonObject(metadata) ? metadata : {};
  const hosts = metadataValues(tree).flatMap(({ path: [first], value }) =>
    first === "headers" ? [] : hostOf(value),
  );
  return [...new Set(hosts)];
}

/** The hosts that a destination delivers to; without any, the names in its metadata. */
function targetsOf(resource: Resource): readonly string[] {
  const hosts = hostsOf(resource);
  if (hosts.length > 0) return hosts;
  const { content, references = [] } = resource;
  const { type, metadata } = content;
  const tree: Metadata = isJsonObject(metadata) ? metadata : {};
  return [
    deliversTo({ type: typeof type === "string" ? type : "", metadata: tree, references }),
  ].flatMap((target) => target ?? []);
}

function hostOf(value: unknown): string[] {
  if (typeof value !== "string" || !value.includes("://")) return [];
  const host = URL.parse(value)?.host;
  return host ? [host] : [];
}
