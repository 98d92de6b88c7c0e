import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Exchange, Moment } from "../../src/sandbox/faults/faulty-sandbox.ts";
import type { FaultScript, RequestRule } from "../../src/sandbox/faults/script.ts";
import { compileCache } from "../built.ts";
import type { FaultySandbox } from "../faulty-sandbox.ts";
import {
  chooser,
  createFaultySandbox,
  overHttp,
  SANDBOX_API_KEY,
  serveSandbox,
} from "../platform.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { UNROUTED } from "../unrouted.ts";
import { type Front, historyOf } from "./front.ts";
import { type ProcessResult, type Running, type Start, startAmp } from "./process.ts";
import { PROJECT, ROUTING } from "./routing.ts";

/** Something that is done while a request waits. */
export interface Hook extends RequestRule {
  readonly moment: Moment;
  readonly act: (bench: Bench) => void | Promise<void>;
}

/** What a bench is set up with. */
export interface Setup {
  readonly script?: FaultScript | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  readonly front?: Front | undefined;
  /** In place of the program that the tests are run for. */
  readonly program?: string | undefined;
}

/** A machine, a service and a program, for one case; all gone afterwards. */
export interface Bench {
  /** The home of the user. */
  readonly folder: string;
  /** The state's file, in a folder of its own. */
  readonly stateFile: string;
  /** Where `errored.*` goes. */
  readonly temporary: string;
  readonly routingFile: string;
  /** The file with the jump of the clock; see `shift-clock.ts`. */
  readonly clockFile: string;
  readonly url: string;
  readonly sandbox: FaultySandbox;
  /** Further variables of the program; may be changed between runs. */
  readonly env: Record<string, string>;
  /** All runs, those that go on included, in their order. */
  readonly running: readonly Running[];
  /** All that has ended. */
  readonly ended: readonly ProcessResult[];
  start(args: readonly string[], how?: Pick<Start, "trip" | "trace">): Running;
  /** To be done before all of it is removed. */
  atEnd(clean: () => void | Promise<void>): void;
  /** Starts and waits for the end. */
  run(args: readonly string[], how?: Pick<Start, "trip" | "trace">): Promise<ProcessResult>;
}

/** The words of an apply whose waits are short enough for a bench. */
export const APPLY = ["notify", "apply", "-f", "routing.yaml", "--yes", "AMP_COMMIT_HORIZON=1s"];

/** Works at a bench of its own. */
export async function atBench<Result>(
  { script, hooks = [], front, program }: Setup,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const folder = temporaryFolder();
  const [stateFile, temporary, routingFile, clockFile] = [
    join(folder, "state", "routing.json"),
    join(folder, "tmp"),
    join(folder, "routing.yaml"),
    join(folder, "clock"),
  ];
  await mkdir(join(folder, "state"));
  await mkdir(temporary);
  await writeFile(routingFile, ROUTING);
  const running: Running[] = [];
  const ended: ProcessResult[] = [];
  const cleanings: (() => void | Promise<void>)[] = [];
  const sandbox = createFaultySandbox({
    ...(script ? { script } : {}),
    state: UNROUTED,
    observe: observer(hooks, () => bench),
    onChange: (world) => note(world),
  });
  const { past, worlds, note } = historyOf(sandbox.world);
  const wire = overHttp(sandbox);
  const served: typeof wire = {
    fetch: (request, outgoing) => {
      const pass = (other = request) => wire.fetch(other, outgoing);
      const reset = () => {
        outgoing.socket?.resetAndDestroy();
        return new Response(null, { headers: { "x-hono-already-sent": "true" } });
      };
      return front?.(request, { pass, past, worlds, reset }) ?? pass();
    },
  };
  const server = await serveSandbox(served, { port: 0 });
  const bench: Bench = {
    folder,
    stateFile,
    temporary,
    routingFile,
    clockFile,
    url: server.url,
    sandbox,
    running,
    ended,
    env: {
      HOME: folder,
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: compileCache(),
      AMP_CONFIG_DIR: join(folder, "config"),
      AMP_BASE_URL: server.url,
      AMP_API_KEY: SANDBOX_API_KEY,
      AMP_PROJECT: PROJECT,
      AMP_STATE: stateFile,
      // A busy machine is not a fault of the service.
      AMP_TIMEOUT: "60s",
      AMP_NO_INPUT: "1",
    },
    start: (args, how = {}) => {
      const run = startAmp({ args, cwd: folder, env: bench.env, program, ...how });
      running.push(run);
      void run.ended.then((end) => ended.push(end));
      return run;
    },
    atEnd: (clean) => cleanings.push(clean),
    run: (args, how) => bench.start(args, how).ended,
  };
  try {
    return await work(bench);
  } finally {
    for (const run of running) run.signal("SIGKILL");
    await Promise.all(running.map((run) => run.ended));
    for (const clean of cleanings) await clean();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files that amp keeps beside a state file, and the path that its lock is taken for. */
export function placesOf({ stateFile }: Bench) {
  const folder = join(dirname(stateFile), ".amp-admin", basename(stateFile));
  const place = (name: string) => join(folder, name);
  return {
    backup: place("backup"),
    journal: place("journal"),
    reserve: place("reserve"),
    lock: place("state"),
  };
}

/** The state as it is saved; undefined where there is none. */
export function stateText({ stateFile }: Bench): Promise<string | undefined> {
  return readFile(stateFile, "utf8").catch(() => undefined);
}

/** What is in the files that results go to when their own place fails. */
export async function rescuedTexts({ temporary }: Bench): Promise<string[]> {
  const names = await readdir(temporary, { recursive: true });
  const files = names.filter((name) => name.includes("errored"));
  return Promise.all(files.map((name) => readFile(join(temporary, name), "utf8")));
}

function observer(hooks: readonly Hook[], bench: () => Bench) {
  const choosers = hooks.map((hook) => ({ hook, choose: chooser([hook]) }));
  const meant = new Map<number, Hook[]>();
  return async (moment: Moment, { number, method, path }: Exchange) => {
    if (moment === "arrived") {
      const pathname = path.split("?", 1)[0] ?? "";
      const chosen = choosers.flatMap(({ choose }) => choose(method, pathname) ?? []);
      if (chosen.length > 0) meant.set(number, chosen);
    }
    for (const hook of meant.get(number) ?? []) {
      if (hook.moment === moment) await hook.act(bench());
    }
  };
}
