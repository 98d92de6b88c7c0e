import type { SecretReference } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";
import { deliversTo, type Metadata, metadataValues } from "../model/metadata.ts";
import type { Resource } from "../model/routing.ts";
import type { Plan, PlannedAction } from "./plan.ts";

/** A secret that a routing refers to, and where applying the routing sends it. */
export interface SecretUse {
  /** As the routing file has it: `env:NAME` or `file:PATH`. */
  readonly reference: string;
  /** The service's name of the secret. */
  readonly secret: string;
  readonly destination: string;
  /** Where the destination delivers to: hosts, or the name of a stream. */
  readonly deliversTo: readonly string[];
  /** False for a destination that exists: nothing is sent for it. */
  readonly sent: boolean;
}

/** What leaves a destination as it is. */
const UNTOUCHED: ReadonlySet<PlannedAction["action"]> = new Set(["in-place", "adopt"]);

/**
 * Every secret that a plan's routing refers to. Whoever reviews a routing of somebody else sees which
 * secrets of this machine it takes, and to whom it gives them.
 */
export function secretUses({ items }: Pick<Plan, "items">): readonly SecretUse[] {
  return items.flatMap(({ resource, action }) =>
    Object.entries(resource?.secrets ?? {}).flatMap(([secret, { reference }]) =>
      resource === undefined || reference === undefined
        ? []
        : {
            reference: referenceText(reference),
            secret,
            destination: resource.names[0] ?? "",
            deliversTo: targetsOf(resource),
            sent: !UNTOUCHED.has(action),
          },
    ),
  );
}

function referenceText(reference: SecretReference): string {
  return reference.from === "env" ? `env:${reference.name}` : `file:${reference.path}`;
}

/** The hosts of all addresses of a destination, whatever its type calls them; else what it names. */
function targetsOf({ content: { type, metadata } }: Resource): readonly string[] {
  const tree: Metadata = isJsonObject(metadata) ? metadata : {};
  const hosts = metadataValues(tree).flatMap(({ value }) => hostOf(value));
  if (hosts.length > 0) return [...new Set(hosts)];
  return [deliversTo({ type: typeof type === "string" ? type : "", metadata: tree })].flatMap(
    (target) => target ?? [],
  );
}

function hostOf(value: unknown): string[] {
  if (typeof value !== "string" || !value.includes("://")) return [];
  const host = URL.parse(value)?.host;
  return host ? [host] : [];
}
