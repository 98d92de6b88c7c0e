import type { Address } from "../../../src/notify/model/address.ts";
import { FILES, type Routing } from "./files.ts";
import { type Act, type Fault, HORIZON_MS, LAG_MS } from "./service.ts";

/** What happens in a sequence. */
export type Step =
  | Command
  /** `perhaps`: if it can be done. */
  | { readonly person: Act; readonly isPerhaps: boolean }
  | { readonly waitMs: number }
  /** Exactly this is there of what amp has made. */
  | { readonly holds: Routing }
  /** What amp has made, and may leave when it prunes. */
  | { readonly keeps: Address };

/** A run of amp. */
export interface Command {
  /** The file of an apply. */
  readonly file?: Routing;
  /** The words after `notify`; of an apply, those after the file. */
  readonly words: string;
  /** Exit codes that are right; 0 where nothing is said and no fault befalls it. */
  readonly exits?: readonly number[] | "any";
  readonly fault?: Fault;
  /** The sequence is run once for each of its requests, at which it is killed. */
  readonly isKilled?: boolean;
}

/**
 * Reads steps, of which each has one of these forms:
 *
 * - `apply FILE [words]`, `amp words after notify`; then, where something goes wrong,
 *   `! METHOD path [now|never|late] [kill|reset|page|404|429|500]`, `! METHOD path person …` or
 *   `! killed`; then, where it does not succeed, `= exit codes` or `= any`
 * - `person makes|removes ADDRESS`, `person renames ADDRESS NAME`; with `perhaps` in place of `person`, if it can be done
 * - `wait lag|horizon|MILLISECONDS`
 * - `holds FILE`, `keeps ADDRESS`
 */
export function stepsOf(text: string): readonly Step[] {
  return text.split(";").map((each) => {
    const [rest = "", exits] = each.trim().split(" = ");
    const [said = "", wrong] = rest.split(" ! ");
    const [verb = "", first = "", ...more] = said.split(" ");
    if (verb === "person" || verb === "perhaps") {
      return { person: actOf([first, ...more]), isPerhaps: verb === "perhaps" };
    }
    if (verb === "wait") return { waitMs: TIMES[first] ?? Number(first) };
    if (verb === "holds") return { holds: fileOf(first) };
    if (verb === "keeps") return { keeps: first as Address };
    return {
      ...(verb === "apply" ? { file: fileOf(first), words: more.join(" ") } : {}),
      ...(verb === "amp" ? { words: [first, ...more].join(" ") } : {}),
      ...(exits && { exits: exits === "any" ? exits : exits.split(",").map(Number) }),
      ...(wrong === "killed" ? { isKilled: true } : wrong ? { fault: faultOf(wrong) } : {}),
    } as Command;
  });
}

const TIMES: Readonly<Record<string, number>> = { lag: LAG_MS + 100, horizon: HORIZON_MS + 100 };

function fileOf(name: string): Routing {
  const file: Routing | undefined = FILES[name as keyof typeof FILES];
  if (name !== "NOTHING" && file === undefined) throw new Error(`there is no file ${name}`);
  return file ?? {};
}

function actOf([verb, address, name = ""]: readonly string[]): Act {
  return { [verb ?? ""]: address, name } as Act;
}

function faultOf(wrong: string): Fault {
  const [method, path, ...words] = wrong.split(" ");
  const on = `${method} ${path}`;
  if (words[0] === "person") return { on, person: actOf(words.slice(1)) };
  const done = words.find((word) => ["now", "never", "late"].includes(word));
  const word = words.find((each) => each !== done);
  const gets = /^\d+$/u.test(word ?? "") ? Number(word) : word;
  return { on, nth: 1, ...(done && { done }), ...(gets && { gets }) } as Fault;
}
