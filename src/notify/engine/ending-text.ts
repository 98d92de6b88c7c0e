import { durationText } from "../../duration.ts";
import { AmpError, type ErrorFacts } from "../../errors.ts";
import { quote } from "../../shell-words.ts";
import type { Address } from "../address.ts";
import type { Ended } from "./ending.ts";
import type { Settled } from "./engine.ts";
import type { Failed, Unknown } from "./ledger.ts";

/** Lines of one kind on a screen; the data has all. */
const MOST = 20;

/** The commands that end an unknown outcome, by the word of somebody who looked. */
export function resolveCommands(address: Address, ids: readonly string[] = ["ID"]): string[] {
  const resolve = `amp notify resolve ${quote(address)}`;
  return [...ids.map((id) => `${resolve} --id ${quote(id)}`), `${resolve} --not-created`];
}

/** The command that tells a state of something that exists. */
export function importCommand(address: Address, id: string): string {
  return `amp notify import ${quote(address)} ${quote(id)}`;
}

/** What exists now and what does not, and how to go on, in words. */
export function tellEnding(ended: Ended): Pick<ErrorFacts, "done" | "remedy"> {
  const { settled, failed, unknown, rescued, deleted, notTried } = ended;
  const created = settled.filter(({ outcome }) => outcome === "created");
  const found = settled.filter(({ outcome }) => outcome === "reconciled");
  const something = created.length + found.length + unknown.length + rescued.length > 0;
  const changed = something || deleted.length > 0;
  // A lone refusal is told in the first line.
  const refused = changed || failed.length > 1 ? failed : [];
  const done = [
    ...(something ? [] : ["Nothing was created."]),
    ...block("Created:", created.map(named)),
    ...block("Found, of an earlier attempt:", found.map(named)),
    ...block("Deleted:", deleted.map(named)),
    ...block("Not created:", refused.filter(({ isDelete }) => !isDelete).map(withReason)),
    ...block("Not deleted:", refused.filter(({ isDelete }) => isDelete).map(withReason)),
    ...block("May exist, and was not sent again:", unknown.flatMap(unknownLines)),
    ...block(
      "Not saved. Keep these lines:",
      rescued.map(({ address, id }) => importCommand(address, id)),
      Number.POSITIVE_INFINITY,
    ),
    ...block("Not tried:", changed ? notTried : []),
  ].join("\n");
  return { done, ...remedyOf(ended, changed) };
}

function remedyOf({ unknown, rescued, failed, lists, now }: Ended, changed: boolean): ErrorFacts {
  if (rescued.length > 0) return { remedy: "See to the place of the state first." };
  if (lists && unknown.length > 0) return { remedy: "Running the same again looks for it first." };
  if (unknown.length > 0) {
    const last = unknown.map(({ horizon = "" }) => horizon).reduce((a, b) => (a > b ? a : b));
    const when = last === "" ? "" : notBefore(new Date(last), now);
    return {
      remedy: `Look at the service${when} whether it exists, say so, and run the same again.`,
    };
  }
  if (!changed || failed.length === 0) return {};
  return { remedy: "Running the same again goes on from here." };
}

/** `, not before 12:00:15 UTC (in 15 s),`; nothing once that is past. */
function notBefore(time: Date, now: Date): string {
  const left = time.getTime() - now.getTime();
  if (left <= 0) return "";
  // Cut off, the fraction of a second would be too early.
  const [day, clock] = new Date(time.getTime() + 999).toISOString().split(/[T.]/u);
  const isToday = now.toISOString().startsWith(`${day}T`);
  return `, not before ${isToday ? "" : `${day} `}${clock} UTC (in ${durationText(left)}),`;
}

function named({ address, id }: Pick<Settled, "address" | "id">): string {
  return `${address}  ${id}`;
}

function unknownLines({ address, ids }: Unknown): string[] {
  return [address, ...resolveCommands(address, ids).map((command) => `  ${command}`)];
}

function withReason({ address, error }: Failed): string {
  return error instanceof AmpError ? `${address}: ${error.message}` : address;
}

function block(heading: string, lines: readonly string[], most = MOST): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - most;
  const shown = more > 1 ? [...lines.slice(0, most), `and ${more} more`] : lines;
  return [heading, ...shown.map((line) => `  ${line}`)];
}
