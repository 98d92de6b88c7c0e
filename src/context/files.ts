import { closeSync, constants, createReadStream, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { sizeText } from "../values/size.ts";

/** Bytes of a file that the command line names, or of standard input. */
const MAX_BYTES = 64 * 2 ** 20;

/** Files, standard input and environment variables that the command line names. */
export interface Files {
  /**
   * The text of a file, or of standard input for `-`.
   * @throws {UsageError} where it cannot be read, or where `-` is a terminal
   */
  read(path: string): Promise<string>;
  /**
   * Writes a text file, 0644 as the user's own documents are.
   * @throws {UsageError} where it exists and may not be replaced, or cannot be written
   */
  write(path: string, text: string, options: { overwrite: boolean }): Promise<void>;
  /** The value of an environment variable; `undefined` where it is not set. */
  variable(name: string): string | undefined;
}

/** The files of the real world. */
export function createFiles(io: Io): Files {
  return {
    read: async (path) => {
      if (path === "-") return readStdin(io);
      try {
        return await readNamedFile(resolve(io.cwd, path), path, io.signal);
      } catch (error) {
        if (error instanceof UsageError || io.signal.aborted) throw error;
        throw new UsageError(`${path} cannot be read: ${fsReason(error)}`, {}, { cause: error });
      }
    },
    write: async (path, text, { overwrite }) => {
      try {
        const { writeFile } = await fs();
        await writeFile(resolve(io.cwd, path), text, { flag: overwrite ? "w" : "wx" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") {
          throw new UsageError(`${path} exists already`, {
            remedy: "Name another file, or add --yes to replace it.",
          });
        }
        throw new UsageError(`${path} cannot be written: ${fsReason(error)}`, {}, { cause: error });
      }
    },
    variable: (name) => io.env[name],
  };
}

/** Loaded when a file is named: it takes milliseconds, and few commands need it. */
const fs = () => import("node:fs/promises");

/** A named pipe is waited for like any other file, until its writer comes or a signal. */
async function readNamedFile(file: string, name: string, signal: AbortSignal): Promise<string> {
  const stream = createReadStream(file);
  const stop = () => {
    stream.destroy();
    releasePipeReader(file);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await readText(stream, name);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** To open a pipe that nobody writes to takes forever, and keeps the process alive: be its writer. */
function releasePipeReader(file: string): void {
  const { O_RDWR, O_NONBLOCK = 0 } = constants;
  if (statSync(file, { throwIfNoEntry: false })?.isFIFO()) {
    closeSync(openSync(file, O_RDWR | O_NONBLOCK));
  }
}

async function readStdin({ stdin, signal }: Io): Promise<string> {
  if (stdin.isTTY) {
    throw new UsageError("Standard input is a terminal: there is nothing to read from it", {
      remedy: "Pipe the text in, or name a file in place of the -.",
    });
  }
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  const text = await readText(stdin, "Standard input");
  signal.removeEventListener("abort", stop);
  return text;
}

/** @throws {UsageError} for more than is sensible: a device or a pipe may have no end */
async function readText(stream: AsyncIterable<unknown>, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    size += bytes.byteLength;
    // Leaving the loop closes the stream.
    if (size > MAX_BYTES) throw new UsageError(`${name} is larger than ${sizeText(MAX_BYTES)}`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
