/**
 * Loaded with `--import` into the program under test: watches its calls of the file system, and lets
 * one of them trip (see `trip.ts`). The program has no part in it. The built-in modules are changed
 * in place before anything else is loaded, so a bundle that asks for them gets them changed.
 */
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { type FileCall, TRACE_VARIABLE, TRIP_VARIABLE, type Trip } from "./trip.ts";

type Method = (...words: never[]) => unknown;

const fs = process.getBuiltinModule("node:fs");
const { openSync, writeSync } = fs;
const trip = JSON.parse(process.env[TRIP_VARIABLE] ?? "null") as Trip | null;
const traceFile = process.env[TRACE_VARIABLE];
const trace = traceFile === undefined ? undefined : openSync(traceFile, "a");
const pattern = new RegExp(trip?.path ?? "^$", "u");
let seen = 0;

/** Counts a call; the trip where it is this one's turn. */
function turn(call: FileCall, path: string): Trip | undefined {
  if (trace !== undefined) writeSync(trace, `${call} ${path}\n`);
  if (trip === null || trip.call !== call || !pattern.test(path)) return undefined;
  seen += 1;
  const lasting = !("signal" in trip.act) && seen > trip.nth;
  return seen === trip.nth || lasting ? trip : undefined;
}

function act({ act: what }: Trip, call: FileCall, path: string): unknown {
  if ("signal" in what) process.kill(process.pid, what.signal);
  else if ("lateMs" in what) return new Promise((done) => setTimeout(done, what.lateMs));
  else {
    const message = `${what.code}: laid by a test, ${call} '${path}'`;
    throw Object.assign(new Error(message), { code: what.code, syscall: call, path });
  }
  return undefined;
}

/** Replaces a method by one that may trip. `half` does a part of what it does. */
function lay(
  owner: object,
  name: string,
  call: FileCall,
  pathOf: (words: readonly unknown[]) => string | undefined,
  half?: (method: Method, words: readonly unknown[]) => unknown,
): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name]?.bind(owner);
  if (method === undefined) throw new Error(`there is no ${name} to watch`);
  methods[name] = (...words) => {
    const path = pathOf(words);
    const laid = path === undefined ? undefined : turn(call, path);
    if (laid === undefined || path === undefined) return method(...words);
    const now = () => act(laid, call, path);
    const steps = {
      before: () => [now, () => method(...words)],
      half: () => [() => half?.(method, words), now, () => method(...words)],
      after: () => [() => method(...words), now],
    }[laid.when]();
    return name.endsWith("Sync") ? inTurn(steps) : inTurnLater(steps);
  };
}

/** What the call itself gives; `act` gives nothing. */
function inTurn(steps: readonly (() => unknown)[]): unknown {
  return steps.map((step) => step()).find((result) => result !== undefined);
}

async function inTurnLater(steps: readonly (() => unknown)[]): Promise<unknown> {
  let result: unknown;
  for (const step of steps) result = (await step()) ?? result;
  return result;
}

const first = (words: readonly unknown[]) => `${words[0]}`;
const second = (words: readonly unknown[]) => `${words[1]}`;

/** Calls that name a path themselves; those of `fs` and of `fs/promises` have the same names. */
const BY_PATH: readonly [string, FileCall, (words: readonly unknown[]) => string][] = [
  ["rename", "rename", second],
  ["link", "link", second],
  ["copyFile", "copyFile", second],
  ["unlink", "unlink", first],
  ["rm", "unlink", first],
  ["mkdir", "mkdir", first],
  ["writeFile", "writeFile", first],
];
/** Calls of what was opened. */
const BY_HANDLE: readonly [string, FileCall][] = [
  ["write", "write"],
  ["writeFile", "write"],
  ["sync", "sync"],
  ["datasync", "sync"],
  ["truncate", "truncate"],
  ["chmod", "chmod"],
  ["close", "close"],
];
const BY_DESCRIPTOR: readonly [string, FileCall][] = [
  ["writeSync", "write"],
  ["fsyncSync", "sync"],
  ["fdatasyncSync", "sync"],
  ["ftruncateSync", "truncate"],
  ["fchmodSync", "chmod"],
  ["closeSync", "close"],
];

for (const [name, call, pathOf] of BY_PATH) {
  lay(fs.promises, name, call, pathOf);
  lay(fs, `${name}Sync`, call, pathOf);
}

lay(fs.promises, "open", "open", first);
const openLaid = fs.promises.open;
fs.promises.open = async (...words): Promise<FileHandle> => {
  const handle = await openLaid(...words);
  for (const [name, call] of BY_HANDLE) lay(handle, name, call, () => `${words[0]}`, halfOf);
  return handle;
};

const paths = new Map<unknown, string>();
lay(fs, "openSync", "open", first);
const openSyncLaid = fs.openSync;
fs.openSync = (...words) => {
  const descriptor = openSyncLaid(...words);
  paths.set(descriptor, `${words[0]}`);
  return descriptor;
};
for (const [name, call] of BY_DESCRIPTOR) lay(fs, name, call, ([fd]) => paths.get(fd));

/** Half of a write, as a crash in the middle of it leaves it. */
function halfOf(write: Method, words: readonly unknown[]): unknown {
  const [data] = words;
  const bytes = typeof data === "string" ? Buffer.from(data) : (data as Uint8Array);
  return write(...([bytes.subarray(0, bytes.length >> 1)] as never[]));
}

syncBuiltinESMExports();
