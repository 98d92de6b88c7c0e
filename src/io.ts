import {
  fstatSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { ioErrors } from "./errors.ts";
import { ProtectedWork } from "./runtime/end-process.ts";
import { runtime } from "./runtime/runtime.ts";

/** One output of the program. */
export interface Sink {
  /** Writes a text; resolves once the reader has taken it, or is gone (`closed`). */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTty: boolean;
  /** Whether the output goes to a file on disk. */
  readonly isFile: boolean;
  /** The current width in cells; 80 where there is no terminal. */
  readonly columns: number;
  /** The lines of the terminal now; unlimited where there is none. */
  readonly rows: number;
  /** Whether the reader has closed its end (`amp … | head -1`). */
  readonly closed: boolean;
  /** Whether the reader is known to be gone before a write says so. */
  readonly isUnread: () => boolean;
  /** The stream itself, only for prompts. */
  readonly stream: Writable;
}

/** The inputs and outputs of amp. */
export interface Io {
  /** The words that start this very program: the runtime and its script, or the program alone. */
  readonly program: readonly string[];
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  /** The runtime and the machine, for the User-Agent: `node 24.21.0; linux x64`. */
  readonly runtime: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly out: Sink;
  readonly err: Sink;
  now(): Date;
  /** The signal that the first SIGINT, SIGTERM or SIGHUP aborts, with its name as the reason. */
  readonly signal: AbortSignal;
  /** The signal that a second one aborts while there is protected work. */
  readonly urgentSignal: AbortSignal;
  readonly protectedWork: ProtectedWork;
}

/** Creates the Io of this process; no other code reads `process`. */
export function processIo(): Io {
  return {
    program: programWords(),
    argv: process.argv.slice(2),
    env: process.env,
    // Read where a command needs it: the folder may have been deleted.
    get cwd() {
      return workingFolder();
    },
    homeDir: homedir(),
    platform: process.platform,
    runtime: `${runtime.name} ${runtime.version}; ${runtime.platform} ${runtime.arch}`,
    // The property is a getter: a standard stream takes milliseconds, and few commands read.
    get stdin() {
      return process.stdin;
    },
    out: sink(1, () => process.stdout),
    err: sink(2, () => process.stderr),
    now: () => new Date(),
    ...signals(),
  };
}

/** The standalone program has its script inside itself. */
function programWords(): string[] {
  const [, script = ""] = process.argv;
  return /^(?:\/\$bunfs|[A-Z]:[\\/]~BUN)/u.test(script)
    ? [process.execPath]
    : [process.execPath, script];
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw ioErrors.folder_gone(error);
  }
}

/**
 * The bytes that fit into an empty pipe, so they are written without waiting: the pipes of Linux
 * hold 64 KiB, those of every system 16. A list of 20 as JSON has 40.
 */
const MAX_DIRECT_BYTES = (runtime.platform === "linux" ? 60 : 16) * 1024;
/** The pipes of Linux hold pages: many short writes leave most of a page empty. */
const PAGE_BYTES = 4096;

function sink(descriptor: 1 | 2, stream: () => NodeJS.WriteStream): Sink {
  // Creating a standard stream takes Bun up to 8 ms, longer than the rest of `--help`.
  let target: NodeJS.WriteStream | undefined;
  let atOnce = MAX_DIRECT_BYTES;
  let closed = false;
  let failure: Error | undefined;
  let stats: Stats | undefined;
  const opened = () => {
    stats ??= statOf(() => fstatSync(descriptor));
    return stats;
  };
  const end = (error: NodeJS.ErrnoException) => {
    closed = true;
    if (!isGone(error)) failure = error;
  };
  const open = () => {
    target ??= stream().on("error", end);
    return target;
  };
  /** Returns the bytes that are left: all of them if the descriptor accepts none now. */
  const writeDirectly = (bytes: Uint8Array) => {
    try {
      return bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") end(error as Error);
      return bytes;
    }
  };
  return {
    get stream() {
      return open();
    },
    get isTty() {
      return (target !== undefined || mayBeTerminal(opened())) && open().isTTY === true;
    },
    get isFile() {
      return opened()?.isFile() === true;
    },
    get columns() {
      return (this.isTty && open().columns) || 80;
    },
    get rows() {
      return (this.isTty && open().rows) || Number.POSITIVE_INFINITY;
    },
    get closed() {
      return closed;
    },
    isUnread: pipeReaderWatch(descriptor),
    write(text) {
      // Bun takes a quarter of a millisecond for the first Buffer.
      let rest = typeof text === "string" ? new TextEncoder().encode(text) : text;
      atOnce -= Math.ceil(rest.length / PAGE_BYTES) * PAGE_BYTES;
      if (!target && !closed && atOnce >= 0) rest = writeDirectly(rest);
      if (failure) return Promise.reject(ioErrors.output_unwritable(failure));
      if (closed || rest.length === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        open().write(rest, (error) => {
          if (error && !isGone(error)) reject(ioErrors.output_unwritable(error));
          else resolve();
        });
      });
    },
  };
}

/** Only a character device can be a terminal, and the one that scripts use most is none. */
function mayBeTerminal(opened: Stats | undefined): boolean {
  if (opened?.isCharacterDevice() !== true) return false;
  return runtime.platform === "win32" || opened.rdev !== statOf(() => statSync("/dev/null"))?.rdev;
}

function statOf(read: () => Stats): Stats | undefined {
  try {
    return read();
  } catch {
    // The descriptor was closed before amp started.
    return undefined;
  }
}

/** How often it is looked who reads a pipe. */
const READER_MS = 1000;

/**
 * Makes a function that tells whether the reader of a pipe is gone, which else only the next write
 * would say. Linux alone shows who has a pipe open; elsewhere, and for a reader whose files are not
 * ours to see, it is never gone. It looks once a second at most, and first when it is called first.
 */
function pipeReaderWatch(descriptor: number): () => boolean {
  let reader: string | undefined;
  let isGone = false;
  let looked = Number.NEGATIVE_INFINITY;
  return () => {
    if (isGone || performance.now() - looked < READER_MS) return isGone;
    looked = performance.now();
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFIFO()) return false;
      const before = reader;
      reader = before && isReader(before, stats.ino) ? before : readerOf(stats.ino);
      isGone = before !== undefined && reader === undefined;
    } catch {
      // A system without such files.
    }
    return isGone;
  };
}

function readerOf(inode: number): string | undefined {
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/u.test(pid)) continue;
    const folder = `/proc/${pid}/fd`;
    const found = filesOf(folder).find((name) => isReader(`${folder}/${name}`, inode));
    if (found !== undefined) return `${folder}/${found}`;
  }
  return undefined;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A process of another user, or one that has ended.
    return [];
  }
}

function isReader(path: string, inode: number): boolean {
  try {
    const isReadable = (lstatSync(path).mode & 0o400) !== 0;
    return isReadable && readlinkSync(path) === `pipe:[${inode}]`;
  } catch {
    return false;
  }
}

/** True for a closed pipe or terminal, which ends amp silently; false for a full disk. */
function isGone({ code = "" }: NodeJS.ErrnoException): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED", "EIO"].includes(code);
}

/** The time that protected work has after a second signal, in milliseconds. */
const URGENT_MS = 3_000;

function signals(): Pick<Io, "signal" | "urgentSignal" | "protectedWork"> {
  const first = new AbortController();
  const second = new AbortController();
  const protectedWork = new ProtectedWork();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const end = () => {
      process.removeAllListeners(name);
      process.kill(process.pid, name);
    };
    process.on(name, () => {
      if (name === "SIGINT" && protectedWork.isHandedOver) return;
      if (!first.signal.aborted) return first.abort(name);
      // The process ends at once, with the signal's own exit status, where nothing is to be saved.
      if (!protectedWork.isRunning || second.signal.aborted) return end();
      second.abort(name);
      setTimeout(end, URGENT_MS).unref();
    });
  }
  return { signal: first.signal, urgentSignal: second.signal, protectedWork };
}
