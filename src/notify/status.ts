import type { Secret } from "../secrets/secret.ts";
import { addressOf } from "./model/address.ts";
import { optionalVariables } from "./model/destination-input.ts";
import type { RoutingModel } from "./model/routing.ts";
import { listRouting } from "./plan/live.ts";
import type { StatusRow } from "./plan/plan.ts";
import { fingerprintsOf } from "./plan/plan-resource.ts";
import { routingStatus } from "./plan/status.ts";
import { type FileContext, readRouting, type SessionContext } from "./session.ts";
import { UNKNOWN_FINGERPRINT } from "./state/fingerprint.ts";
import { openState, readState, type StateOptions } from "./state/open-backend.ts";
import type { RoutingState } from "./state/state.ts";

/**
 * How each part of the routing is, from file, state and what the service lists. Changes nothing, and
 * sends no secret: one that is not at hand counts as unchanged, and that is told.
 */
export async function statusOf(
  ports: SessionContext & FileContext,
  options: StateOptions & {
    readonly file: string | undefined;
    readonly allowLiteralSecrets: boolean;
  },
): Promise<readonly StatusRow[]> {
  const { file, allowLiteralSecrets } = options;
  const { project, report, files } = ports;
  const { variable, unset } = optionalVariables(files);
  const sources = { read: (name: string) => files.read(name), variable };
  const routing =
    file === undefined
      ? undefined
      : await readRouting({ project, report, files: sources }, { file, allowLiteralSecrets });
  if (unset.size > 0) {
    report.warn(
      `Not set, so whether these secrets have changed is not known: ${[...unset].join(", ")}`,
    );
  }
  const saved = await readState(openState(ports, options));
  const live = await listRouting(ports);
  if (live === undefined) {
    report.warn("This service has no lists: what is told is what the state remembers.");
  }
  return routingStatus({
    model: routing?.model,
    state: saved && { ...saved.state, records: comparable(saved.state, routing?.model, unset) },
    live,
    fingerprintOf: fingerprintsOf(saved?.state.salt ?? ""),
  });
}

/** The records, without the fingerprints of bodies that cannot be told here. */
function comparable(
  { records }: RoutingState,
  model: RoutingModel | undefined,
  unset: ReadonlySet<string>,
): RoutingState["records"] {
  const isUnset = ({ reference }: Secret) => reference?.from === "env" && unset.has(reference.name);
  const changed = new Map(records);
  for (const [name, part] of model?.destinations ?? []) {
    const address = addressOf("destination", name);
    const record = records.get(address);
    if (part.kind === "existing" || record === undefined) continue;
    if (!Object.values(part.secrets).some(isUnset)) continue;
    changed.set(address, { ...record, fingerprint: UNKNOWN_FINGERPRINT });
  }
  return changed;
}
