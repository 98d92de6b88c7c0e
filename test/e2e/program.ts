import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { compileCache, isJavaScript, PROGRAM, ROOT, requireBundle, wordsOf } from "../built.ts";
import { collectPrinted } from "../printed-suggestions.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export { PROGRAM, ROOT };

/** Whether the program under test is the bundle, and not a program that needs no Node. */
export const isBundle = isJavaScript(PROGRAM);

/** A person's machine, as far as amp sees it: empty, and gone with the test. */
export interface Home {
  readonly folder: string;
  readonly configFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process was started. */
export interface Start {
  readonly home?: Home;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads; nothing where absent. */
  readonly stdin?: string;
}

/** How a process has ended. */
export interface ProgramResult {
  /** `null` where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that was started. */
export interface Running {
  readonly child: ChildProcess;
  /** Once it has ended and all that it wrote is read. */
  readonly ended: Promise<ProgramResult>;
  /** The first line that it writes to stdout. */
  firstLine(): Promise<string>;
}

/** A home that goes with the test, `amp` on its path. */
export function createHome(): Home {
  const folder = temporaryFolder();
  const configFolder = join(folder, "config");
  const { PATH = "", TMPDIR } = process.env;
  const programs = join(folder, "bin");
  mkdirSync(programs);
  const words = wordsOfAmp().map((word) => `'${word}'`);
  writeFileSync(join(programs, "amp"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  return {
    folder,
    configFolder,
    env: {
      PATH: `${programs}${delimiter}${PATH}`,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      HOME: folder,
      NODE_COMPILE_CACHE: compileCache(),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      AMP_CONFIG_DIR: configFolder,
      // A test that wants a pager names one.
      AMP_PAGER: "cat",
    },
  };
}

/** Starts amp; it goes with the test. */
export function startAmp(args: readonly string[], how: Start = {}): Running {
  return start([...wordsOfAmp(), ...args], how);
}

/** Runs amp to its end. */
export function runAmp(args: readonly string[], how: Start = {}): Promise<ProgramResult> {
  return startAmp(args, how).ended;
}

/** Runs a line of a POSIX shell in which `amp` is the program under test. */
export function runShell(line: string, how: Start = {}): Promise<ProgramResult> {
  return start(["sh", "-c", line], how).ended;
}

/** Starts a program; it goes with the test. */
export function start(
  [program, ...args]: readonly [string, ...string[]],
  how: Start = {},
): Running {
  const { home = createHome(), env = {}, stdin } = how;
  const child = spawn(program, args, {
    cwd: home.folder,
    env: { ...home.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => end(child));
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  // A program that ends before it has read everything is not a failure of the test.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const ended = once(child, "close").then(([code, signal]) => {
    for (const text of Object.values(texts)) collectPrinted(text);
    return { code, signal, ...texts };
  });
  return {
    child,
    ended,
    firstLine: async () => {
      const over = ended.then(({ stderr }) => {
        if (!texts.stdout.includes("\n")) throw new Error(`it ended without a line:\n${stderr}`);
      });
      while (!texts.stdout.includes("\n")) {
        await Promise.race([once(child.stdout, "data"), over]);
      }
      return texts.stdout.slice(0, texts.stdout.indexOf("\n"));
    },
  };
}

/** A port that nothing listens on. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

/** Ends a process that this test has started, unless it has ended. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** The words that run the program under test. */
export function wordsOfAmp(): [string, ...string[]] {
  requireBundle();
  return wordsOf(PROGRAM);
}
