import { asList, compareText } from "../../values/basics.ts";
import { isDigest, listedField } from "../plan/compare.ts";
import type { Plan } from "../plan/plan.ts";
import { placeName } from "../state/change.ts";
import { type Entry, kindOf, type StateEntry } from "../state/state.ts";
import type { Decided } from "./decide.ts";
import { observeIfPossible } from "./observe.ts";
import type { Run } from "./run.ts";
import { observerOf } from "./settle.ts";
import type { Receipt } from "./types.ts";

/**
 * Verifies. In: a run that has written everything. Out: what exists several times, and in the state
 * how the service shows what was sent. Every resource is in place by then, so a list that fails is
 * not an error.
 */
export async function verify(
  run: Run,
  { plan, seen: before }: Decided,
): Promise<Pick<Receipt, "duplicates" | "verified">> {
  const { outcomes, manager } = run;
  const seen =
    outcomes.hasChanges && plan.lists ? await observeIfPossible(observerOf(run)) : before;
  const { index } = seen ?? {};
  if (index === undefined) return { duplicates: [], verified: false };
  await learnShown(run, plan, index);
  const duplicates = plan.items.flatMap(({ address, kind, resource }) => {
    if (resource === undefined) return [];
    const own = manager.state.entries.get(address)?.id;
    const listed = own === undefined ? undefined : (index.byId(kind, own)?.id ?? own);
    // The list may show another run's record already, and not yet the one of this run.
    const named = resource.names.length === 1 ? index.matches(resource, new Map()) : [];
    const shared = (listed && index.duplicateIds(kind, listed)) ?? asList(listed);
    const ids = [...new Set([...named.map(({ id }) => id), ...shared])].sort(compareText);
    return ids.length > 1 ? [{ address, ids }] : [];
  });
  return { duplicates, verified: true };
}

/**
 * Saves how a list shows what this run has sent. Only what is certainly not older is learned: the
 * value that was sent, or the one that the answer showed.
 */
async function learnShown(
  { manager, records }: Run,
  { items }: Pick<Plan, "items">,
  index: NonNullable<Decided["seen"]["index"]>,
): Promise<void> {
  const { key, entries } = manager.state;
  const parts = items.flatMap(({ address, action }): StateEntry[] => {
    const entry = entries.get(address);
    if ((action !== "create" && action !== "update") || entry?.id === undefined) return [];
    const record = index.byId(kindOf(address), entry.id);
    if (record === undefined || entry.pending) return [];
    const answer = records.get(placeName({ address }));
    const learned = Object.entries(entry.fields).flatMap(([path, [sent, shown]]) => {
      if (isDigest(shown) || shown === "hidden" || path.startsWith("secrets.")) return [];
      const listed = listedField(key, record, path);
      const isAnswered = answer !== undefined && listed === listedField(key, answer, path);
      const isSure = listed === "hidden" || listed === sent || isAnswered;
      return isSure && (isDigest(listed) || listed === "hidden")
        ? [[path, [sent, listed]] as const]
        : [];
    });
    if (learned.length === 0) return [];
    const fields = { ...entry.fields, ...Object.fromEntries(learned) } as Entry["fields"];
    return [["entry", address, { ...entry, fields }]];
  });
  // The run is complete: what cannot be saved now, the next one learns.
  if (parts.length > 0) await manager.note(() => parts).catch(() => {});
}
