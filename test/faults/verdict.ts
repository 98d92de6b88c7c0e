import type { Address } from "../../src/notify/model/address.ts";
import { ADDRESSES, routingOf } from "./routing.ts";
import { type Bench, rescuedTexts } from "./workbench.ts";

/**
 * How a case ended. `survived`: the last run brought about all of it. `stopped`: it refused to go
 * on, and told why. `broken`: neither, or something was lost or made twice.
 */
export type Outcome = "survived" | "stopped" | "broken";

/** What a case has come to. */
export interface Verdict {
  readonly outcome: Outcome;
  /** Records beyond the first of their natural key. */
  readonly duplicates: number;
  /** Records that exist, and that nothing which amp left behind knows of. */
  readonly lost: number;
  /** What to look at where it is broken. */
  readonly why: string;
}

/**
 * The exit codes by which a run stops on purpose. 3: without lists, a 404 for a delete may also mean that
 * the service has no deletes, so a person has to look.
 */
const STOPS = new Set([2, 3, 5, 6, 7, 9]);

/**
 * Looks at the service and at all that amp has left, after the last run.
 * @param state the text of the state, wherever it is kept
 */
export async function judge(
  bench: Bench,
  state: string | undefined,
  wanted: readonly Address[] = ADDRESSES,
): Promise<Verdict> {
  const routing = routingOf(bench.sandbox.world);
  const last = bench.ended.at(-1);
  const { records, pending } = readLoosely(state);
  const told = bench.ended.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const known = [state ?? "", ...(await rescuedTexts(bench)), ...told].join("\n");
  const duplicates = [...routing.values()].reduce((sum, ids) => sum + ids.length - 1, 0);
  const lost = [...routing].flatMap(([address, ids]) =>
    pending.has(address) ? [] : ids.filter((id) => !known.includes(id)),
  );
  const complete =
    routing.size === wanted.length &&
    wanted.every((address) => {
      const [id, ...more] = routing.get(address) ?? [];
      return id !== undefined && more.length === 0 && records.get(address) === id;
    });
  const reasons = [
    duplicates > 0 && "made twice",
    lost.length > 0 && `lost ${lost.join(" ")}`,
    last?.code === 0 && !complete && "exit 0, but not all is in place",
    last?.code !== 0 && !STOPS.has(last?.code ?? -1) && `ended with ${last?.code ?? last?.signal}`,
    ...[...pending].map(
      (address) => !last?.stderr.includes(address) && `does not tell of ${address}`,
    ),
  ].filter((reason) => typeof reason === "string");
  return {
    outcome: reasons.length > 0 ? "broken" : last?.code === 0 ? "survived" : "stopped",
    duplicates,
    lost: lost.length,
    why: reasons.join("; "),
  };
}

/** Addresses of a state, without a belief in its being one. */
export function readLoosely(text: string | undefined): {
  readonly records: ReadonlyMap<string, string>;
  readonly pending: ReadonlySet<Address>;
} {
  type Entry = { readonly id?: string; readonly pending?: unknown };
  let entries: [string, Entry][] = [];
  try {
    entries = Object.entries(
      (JSON.parse(text ?? "{}") as { entries?: Record<string, Entry> }).entries ?? {},
    );
  } catch {
    // Cut off: nothing of it is known.
  }
  return {
    records: new Map(entries.flatMap(([key, { id }]) => (id === undefined ? [] : [[key, id]]))),
    pending: new Set(
      entries.flatMap(([key, { pending }]) => (pending === undefined ? [] : [key as Address])),
    ),
  };
}
