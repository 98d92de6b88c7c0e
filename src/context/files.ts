import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { fsReason } from "../fs-reason.ts";
import type { Io } from "../io.ts";

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
        const { readFile } = await fs();
        return await readFile(resolve(io.cwd, path), "utf8");
      } catch (error) {
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

async function readStdin({ stdin, signal }: Io): Promise<string> {
  if (stdin.isTTY) {
    throw new UsageError("Standard input is a terminal: there is nothing to read from it", {
      remedy: "Pipe the text in, or name a file in place of the -.",
    });
  }
  const chunks: Uint8Array[] = [];
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  for await (const chunk of stdin) {
    chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array));
  }
  signal.removeEventListener("abort", stop);
  return Buffer.concat(chunks).toString("utf8");
}
