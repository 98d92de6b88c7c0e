import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isJavaScript, PROGRAM, requireBundle, wordsOf } from "../built.ts";
import { collectPrinted } from "../printed-suggestions.ts";
import { withVariables } from "../typed-variables.ts";
import { CLOCK_VARIABLE, TRACE_VARIABLE, TRIP_VARIABLE, type Trip } from "./trip.ts";

const WATCH = new URL("kill-at.ts", import.meta.url);
const SHIFT = new URL("shift-clock.ts", import.meta.url);

/** How amp is to be run. */
export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In place of the one that the tests are run for. */
  readonly program?: string | undefined;
  readonly trip?: Trip | undefined;
  /** A file for the calls of the file system that it makes. */
  readonly trace?: string | undefined;
}

/** How a run has ended. */
export interface ProcessResult {
  /** `null` where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run that goes on. */
export interface Running {
  /** Sends a signal; nothing where it has ended. */
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<ProcessResult>;
}

/** Has a program's runtime, whichever it is, load these before the program. */
function preloaded(program: string, urls: readonly URL[]): Readonly<Record<string, string>> {
  if (urls.length === 0) return {};
  return isJavaScript(program)
    ? { NODE_OPTIONS: urls.map(({ href }) => `--import=${href}`).join(" ") }
    : { BUN_OPTIONS: urls.map((url) => `--preload=${fileURLToPath(url)}`).join(" ") };
}

/** Starts amp as a process of its own, with nothing of this process's environment but the path. */
export function startAmp({ args, cwd, env, program, trip, trace }: Start): Running {
  if (program === undefined) requireBundle();
  const isWatched = trip !== undefined || trace !== undefined;
  const loaded = [...(isWatched ? [WATCH] : []), ...(env[CLOCK_VARIABLE] ? [SHIFT] : [])];
  const [runtime, ...words] = wordsOf(program ?? PROGRAM);
  const typed = withVariables(args);
  const child = spawn(runtime, [...words, ...typed.words], {
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      ...env,
      ...typed.env,
      ...preloaded(program ?? PROGRAM, loaded),
      ...(trip ? { [TRIP_VARIABLE]: JSON.stringify(trip) } : {}),
      ...(trace ? { [TRACE_VARIABLE]: trace } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  return {
    signal: (name) => {
      child.kill(name);
    },
    ended: once(child, "close").then(([code, signal]) => {
      for (const text of Object.values(texts)) collectPrinted(text);
      return { code, signal, ...texts };
    }),
  };
}
