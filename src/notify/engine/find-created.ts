import type { LiveRecord } from "../model/resource.ts";
import type { ExistingIds, Resource } from "../model/routing.ts";
import type { LiveIndex } from "../plan/live.ts";
import { hasOtherValues } from "../plan/spelling.ts";
import type { PendingWrite } from "../state/state.ts";
import type { Run } from "./run.ts";

/** The records that a create of unknown outcome may have made. */
export interface CreateFindings {
  /** New records that do not contradict what was sent. */
  readonly own: readonly LiveRecord[];
  /** A new record of its natural key with other values: somebody else made it. */
  readonly taken: LiveRecord | undefined;
}

/**
 * Looks in a list for what a create may have made: what was not listed before it, and has the
 * values that it sent.
 */
export function findCreated(
  run: Run,
  index: LiveIndex,
  { resource, dependencies }: { readonly resource: Resource; readonly dependencies: ExistingIds },
  { idsBefore, sent }: Pick<PendingWrite, "idsBefore" | "sent">,
): CreateFindings {
  const { salt } = run.manager.state;
  // guard: the values of what may be created
  const isOther = (record: LiveRecord) => hasOtherValues(salt, sent, record);
  const isNew = ({ id }: LiveRecord) => !idsBefore.includes(id);
  const listed = listedRecords(run, index, resource, dependencies);
  return {
    own: listed.filter((record) => isNew(record) && !isOther(record)),
    taken: index.matches(resource, dependencies).find((one) => isNew(one) && isOther(one)),
  };
}

/**
 * The listed records with a resource's natural key, or possibly with it: a list that omits
 * a route's dependencies may show the route that was sent, and a service may change a name.
 */
export function listedRecords(
  { outcomes }: Run,
  index: LiveIndex,
  resource: Resource,
  dependencies: ExistingIds,
): readonly LiveRecord[] {
  const candidates = [
    ...index.candidates(resource, dependencies),
    ...index.lookalikes(resource, dependencies),
  ];
  const fresh = candidates.filter(({ id }) => outcomes.addressOf(resource.kind, id) === undefined);
  return [...new Set([...index.matches(resource, dependencies), ...fresh])];
}
