import type { Address } from "../../src/notify/model/address.ts";
import type { FaultScript } from "../../src/sandbox/faults/script.ts";
import type { World } from "../../src/sandbox/world.ts";
import type { Front } from "./front.ts";
import type { ProcessResult } from "./process.ts";
import type { Trip } from "./trip.ts";
import { judge, type Outcome, type Verdict } from "./verdict.ts";
import { APPLY, atBench, type Bench, type Hook, stateText } from "./workbench.ts";

/** What a case is about; the rows of the table. */
export const GROUPS = {
  files: "killed at a step of the write rule or the lock",
  requests: "killed at a request: asked, committed, answered",
  service: "a fault of the service at each create",
  drift: "lists behind, records deleted by somebody",
  lags: "lists 1 to 60 s behind, where a horizon is 60 s",
  clocks: "the machine's clock jumps, in a run and between two",
  combinations: "late lists, kills, a clock that jumps and two states, at once",
  shapes: "a service that normalises, pages, drops",
  strangers: "a create finds, or is answered with, what somebody else made",
  kills: "killed at random, up to three times",
  interrupts: "first and second interrupt",
  disk: "disk full, folder read-only",
  states: "state truncated, older, foreign, of another version",
  locks: "lock of a dead, live, foreign, recycled process",
  crowds: "five applies at once",
  routings: "file reordered, edited, duplicated, hostile",
  servers: "the state server fails",
  listeners: "amp listen killed around each write of its temporary routing, then cleaned up",
  undos: "an undo killed or its answers lost, and run again",
  deletes: "a delete or a rotation killed, or its answer lost",
  updates: "an update, rename or prune goes wrong",
} as const;
/** A key of {@link GROUPS}. */
export type Group = keyof typeof GROUPS;

/** One thing that goes wrong: a faulted run, then a clean one. */
export interface Case {
  readonly group: Group;
  readonly name: string;
  /** Whether the service lists what exists. */
  readonly lists: boolean;
  /** In the reduced matrix too. */
  readonly core?: boolean;
  /** Until the clean run. */
  readonly script?: Omit<FaultScript, "lists">;
  readonly hooks?: readonly Hook[];
  /** Before the service, in both runs. */
  readonly front?: () => Front;
  /** At a call of the file system, of the faulted run. */
  readonly trip?: Trip;
  /** Further words of the faulted run. */
  readonly words?: readonly string[];
  /** Further words of the clean run. */
  readonly cleanWords?: readonly string[];
  /** Further variables of the faulted run. */
  readonly env?: Readonly<Record<string, string>>;
  readonly prepare?: (bench: Bench) => Promise<void>;
  /** In place of one apply. */
  readonly faulted?: (bench: Bench) => Promise<unknown>;
  /** What a person does before the clean run. */
  readonly between?: (bench: Bench) => Promise<void>;
  /** In place of the state's file. */
  readonly state?: (bench: Bench) => Promise<string | undefined>;
  /** What must exist in the end, where it is not the eight. */
  readonly wanted?: readonly Address[];
  /** What else is not as it should be in the end: a reason, or nothing. */
  readonly holds?: (world: World) => string | undefined;
  /** How it may end; with lists it survives where nothing else is said. */
  readonly ends?: readonly Outcome[];
  /** Exit codes that the faulted run may have; any where absent, `null` for a signal. */
  readonly exits?: readonly (number | null)[];
  /** The service says of what is not done that it is. */
  readonly isFooled?: boolean;
  /** The faulted run must send no create. */
  readonly silent?: boolean;
}

/** What a case came to. */
export interface Result extends Verdict {
  readonly case: Case;
  readonly faulted: ProcessResult | undefined;
  readonly clean: ProcessResult;
}

/** Runs a case. `program` stands in for the one that the tests are run for. */
export function runCase(one: Case, program?: string): Promise<Result> {
  const script = { ...one.script, lists: one.lists };
  const setup = { script, hooks: one.hooks, front: one.front?.(), program };
  return atBench(setup, async (bench) => {
    const reasons: string[] = [];
    let faulted: ProcessResult | undefined;
    const look = async (wanted?: readonly Address[]) =>
      judge(bench, await (one.state ?? stateText)(bench), wanted);
    try {
      await one.prepare?.(bench);
      const env = { ...bench.env };
      Object.assign(bench.env, one.env);
      await (one.faulted ?? oneApply(one))(bench);
      Object.assign(bench.env, env);
      faulted = bench.ended.at(-1);
      reasons.push(...unexpectedResults(one, bench, faulted));
      // Who says that all is well must be right at once, and not only in the end.
      if (faulted?.code === 0 && !one.isFooled) {
        const { why } = await look(one.between ? undefined : one.wanted);
        // The next run would repair a value that is not there, as if somebody had changed it.
        const odd = one.between ? undefined : one.holds?.(bench.sandbox.world);
        reasons.push(...[why, odd ?? ""].filter(Boolean));
      }
      bench.sandbox.follow([]);
      await one.between?.(bench);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
    const clean = await bench.run([...APPLY, ...(one.cleanWords ?? [])]);
    await bench.sandbox.idle();
    const verdict = await look(one.wanted);
    const { ends = one.lists ? ["survived"] : ["survived", "stopped"] } = one;
    const odd = verdict.outcome === "survived" ? one.holds?.(bench.sandbox.world) : undefined;
    if (odd !== undefined) reasons.push(odd);
    if (verdict.why !== "") reasons.push(verdict.why);
    else if (!ends.includes(verdict.outcome)) reasons.push(`it has ${verdict.outcome}`);
    const outcome = reasons.length > 0 ? "broken" : verdict.outcome;
    return { ...verdict, case: one, faulted, clean, outcome, why: reasons.join("; ") };
  });
}

function oneApply({ words = [], trip }: Case) {
  return (bench: Bench) => bench.run([...APPLY, ...words], trip ? { trip } : {});
}

function unexpectedResults(
  { exits, silent }: Case,
  bench: Bench,
  faulted: ProcessResult | undefined,
): string[] {
  const sent = bench.sandbox.log.filter(({ method }) => method === "POST").length;
  return [
    ...(exits && faulted && !exits.includes(faulted.code)
      ? [`the faulted run exits ${faulted.code}`]
      : []),
    ...(silent && sent > 0 ? [`${sent} creates were sent by the faulted run`] : []),
  ];
}

/** The title of a case. */
export function titleOf({ group, name, lists }: Case): string {
  return `${group}: ${name}${lists ? "" : ", no lists"}`;
}
