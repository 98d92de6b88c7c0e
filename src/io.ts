import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { OutputError } from "./errors.ts";
import { runtime } from "./runtime.ts";

/** One output of the program. */
export interface Sink {
  /** Resolves once the reader has taken the text; also when the reader is gone (`closed`). */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTty: boolean;
  /** Width in cells, now; 80 where there is no terminal. */
  readonly columns: number;
  /** True once the reader has closed its end (`amp … | head -1`). */
  readonly closed: boolean;
  /** The stream itself, for prompts and nothing else. */
  readonly stream: Writable;
}

/** Everything that amp takes from, and gives to, the world around it. */
export interface Io {
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
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP, with the signal's name as the reason. */
  readonly signal: AbortSignal;
}

/** The real world. The only reader of `process`. */
export function processIo(): Io {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
    platform: process.platform,
    runtime: `${runtime.name} ${runtime.version}; ${runtime.platform} ${runtime.arch}`,
    // Getters: creating a standard stream costs milliseconds, and `--version` needs but one.
    get stdin() {
      return process.stdin;
    },
    out: sink(() => process.stdout),
    err: sink(() => process.stderr),
    now: () => new Date(),
    signal: signals(),
  };
}

function sink(stream: () => NodeJS.WriteStream): Sink {
  let watched = false;
  let closed = false;
  let failure: Error | undefined;
  const open = () => {
    const target = stream();
    if (!watched) {
      watched = true;
      target.on("error", (error: NodeJS.ErrnoException) => {
        closed = true;
        if (!isGone(error)) failure = error;
      });
    }
    return target;
  };
  return {
    get stream() {
      return open();
    },
    get isTty() {
      return stream().isTTY === true;
    },
    get columns() {
      return stream().columns || 80;
    },
    get closed() {
      return closed;
    },
    write(text) {
      if (failure) return Promise.reject(cannotWrite(failure));
      if (closed) return Promise.resolve();
      return new Promise((resolve, reject) => {
        open().write(text, (error) => {
          if (error && !isGone(error)) reject(cannotWrite(error));
          else resolve();
        });
      });
    },
  };
}

/** A reader that went away, or a terminal that was closed, is a quiet end; a full disk is not. */
function isGone({ code = "" }: NodeJS.ErrnoException): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED", "EIO"].includes(code);
}

function cannotWrite(error: Error): OutputError {
  return new OutputError(`The output could not be written: ${error.message}`, {}, { cause: error });
}

function signals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      // The second signal ends the process there and then, with the signal's own exit status.
      if (controller.signal.aborted) {
        process.removeAllListeners(name);
        process.kill(process.pid, name);
      }
      controller.abort(name);
    });
  }
  return controller.signal;
}
