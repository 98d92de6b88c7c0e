import { availableParallelism } from "node:os";
import { atBench, type Bench } from "../workbench.ts";
import type { Sequence } from "./all.ts";
import { judgeOf } from "./judge.ts";
import { RANDOM } from "./random.ts";
import { type Fault, HORIZON_MS, misbehaving, type Service } from "./service.ts";
import { stepsOf } from "./steps.ts";

/** One way through a sequence. */
export interface Way {
  readonly sequence: Sequence;
  readonly service: Service;
  /** What befalls the step that is killed. */
  readonly kill?: Fault;
  /** How many times as long its lags, waits and horizon are: for a machine that is busy. */
  readonly slow?: number;
}

/** What became of it. */
export interface Report {
  readonly title: string;
  /** Nothing where all holds. */
  readonly broken: readonly string[];
  /** Every run with its requests. */
  readonly exchange: string;
  /** The methods of the requests that the step that is killed has sent. */
  readonly requests: readonly string[];
}

/**
 * Runs a sequence in one way, and judges it by what is there in truth, and by exit codes.
 * @param program by default the one that the tests are run for
 */
export function runWay(
  { sequence, service, kill, slow = 1 }: Way,
  program?: string,
): Promise<Report> {
  let at: Bench | undefined;
  const truth = misbehaving(service, () => at as Bench, slow);
  const { lists = true, uniqueNames = true } = service;
  const setup = { script: { lists, uniqueNames }, front: truth.front, program };
  return atBench(setup, async (bench) => {
    at = bench;
    bench.env.AMP_COMMIT_HORIZON = `${HORIZON_MS * slow}ms`;
    // The request that something befalls is the same one each time.
    if (sequence.steps.includes("!")) bench.env.AMP_PARALLEL = "1";
    const judge = judgeOf(bench, truth, !lists || sequence.group === RANDOM, slow);
    let requests: string[] = [];
    try {
      for (const step of stepsOf(sequence.steps)) {
        const from = bench.running.length;
        const isKilled = "isKilled" in step;
        const waited = "waitMs" in step ? { waitMs: step.waitMs * slow } : step;
        await judge.step(isKilled && kill ? { ...step, fault: kill } : waited);
        const sent = truth.log.filter(({ run }) => run > from).map(({ method }) => method);
        if (isKilled) requests = sent;
      }
      await judge.rest();
      await judge.empty();
    } catch (error) {
      truth.broken.push(error instanceof Error ? error.message : String(error));
    }
    await truth.idle();
    return {
      title: titleOf({ sequence, service, ...(kill && { kill }) }),
      broken: [...new Set(truth.broken)],
      exchange: judge.exchange(),
      requests,
    };
  });
}

/** Runs sequences in all ways: at each service, and once for each kill. Several run at once. */
export async function runSequences(
  sequences: readonly Sequence[],
  { done, kills = true }: RunOptions,
): Promise<void> {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  const run = async (way: Way) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    const report = await runWay(way);
    const next = waiting.shift();
    if (next) next();
    else free += 1;
    done(report);
    return report;
  };
  const ways = sequences.flatMap((sequence) =>
    sequence.services.map((service) => ({ sequence, service })),
  );
  await Promise.all(
    ways.map(async (way) => {
      const { requests } = await run(way);
      if (kills) await Promise.all(killsAt(requests).map((kill) => run({ ...way, kill })));
    }),
  );
}

interface RunOptions {
  /** False: the step that is killed is not. */
  readonly kills?: boolean;
  done(report: Report): void;
}

/** More than there are processors: a sequence spends most of its time waiting. */
const AT_ONCE = availableParallelism() * 2;

/** A kill at each write, in each way; and at each first of reads one after the other. */
function killsAt(requests: readonly string[]): readonly Fault[] {
  return requests.flatMap((method, at): Fault[] => {
    const fault = { on: "* *", nth: at + 1, gets: "kill" } as const;
    if (method !== "GET") {
      return (["never", "now", "late"] as const).map((done) => ({ ...fault, done }));
    }
    return requests[at - 1] === "GET" ? [] : [{ ...fault, done: "never" }];
  });
}

/** The title of a way. */
export function titleOf({ sequence: { group, name }, service, kill }: Way): string {
  const on = kill?.on.replace("* *", "request");
  const killed = kill ? `, killed at ${on} ${kill.nth}, done ${kill.done}` : "";
  return `${group}: ${name} (${service.name}${killed})`;
}
