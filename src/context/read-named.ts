import { constants, createReadStream, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type ErrorFacts, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { whenAborted } from "../runtime/end-process.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { isWithin } from "../values/basics.ts";
import { sizeText } from "../values/counted.ts";
import { isEnabled } from "../values/setting.ts";

/** The size limit of a file that the command line names, and of standard input. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Loads the module with the first file: the import takes milliseconds, and few commands need it.
 */
const fs = () => import("node:fs/promises");

/**
 * The bytes of a file, or of standard input for `-`.
 * @param missing what the error says beyond the reason where there is no such file
 */
export async function readNamed(io: Io, path: string, missing: ErrorFacts): Promise<Buffer> {
  if (path === "-") return readStdin(io);
  try {
    if (isEnabled(io.env.CI)) await refuseWayOut(io.cwd, path);
    return await readNamedFile(resolve(io.cwd, path), path, io.signal);
  } catch (error) {
    if (error instanceof UsageError || io.signal.aborted) throw error;
    throw await cannotRead(io, path, error, missing);
  }
}

/** The error of a file that cannot be read; it names the most similar file of the folder. */
export async function cannotRead(
  io: Io,
  path: string,
  error: unknown,
  missing: ErrorFacts = {},
): Promise<UsageError> {
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const facts = isMissing ? ((await nearestFile(io, path)) ?? missing) : {};
  return new UsageError(`Cannot read ${path}: ${fsReason(error)}`, facts, { cause: error });
}

/**
 * Refuses a file of the checkout that is a link out of it. A CI job may read the files of a change
 * that nobody has reviewed, and messages quote lines of them.
 */
async function refuseWayOut(cwd: string, path: string): Promise<void> {
  const { realpath } = await fs();
  const place = resolve(cwd, path);
  const root = checkoutOf(cwd);
  if (!isWithin(root, place)) return;
  const [real, realRoot] = await Promise.all([realpath(place), realpath(root)]);
  if (isWithin(realRoot, real)) return;
  throw new UsageError(`${path} is a link to a file outside ${root}, which is not read in CI`, {
    remedy: "Put the file itself there, or pass its own path.",
    done: "Nothing was sent.",
  });
}

/** The root of the repository around a folder, or the folder itself. */
function checkoutOf(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (statSync(join(folder, ".git"), { throwIfNoEntry: false })) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** The remedy for a mistyped name: the file of its folder with the most similar one. */
async function nearestFile({ cwd }: Io, path: string): Promise<ErrorFacts | undefined> {
  const [{ readdir }, { nearest }] = await Promise.all([fs(), import("../values/nearest.ts")]);
  const found = await readdir(dirname(resolve(cwd, path)), { withFileTypes: true }).catch(() => []);
  const names = found.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
  const near = nearest(basename(path), names);
  return near === undefined ? undefined : { remedy: `Did you mean ${join(dirname(path), near)}?` };
}

/** Reads a file. A named pipe is waited for until its writer or a signal comes. */
async function readNamedFile(file: string, name: string, signal: AbortSignal): Promise<Buffer> {
  const stream = createReadStream(file);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  const stop = () => {
    stream.destroy();
    releasePipeReader(file, closed).catch(() => {});
  };
  whenAborted(signal, stop);
  try {
    return await readWhole(stream, name);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Opens a pipe for writing until its reader is closed, to end an open for reading, which would
 * block and keep the process alive. That one may still be about to begin.
 */
async function releasePipeReader(file: string, closed: Promise<unknown>): Promise<void> {
  const { O_RDWR, O_NONBLOCK = 0 } = constants;
  const { open, stat } = await fs();
  if (!(await stat(file)).isFIFO()) return;
  const writer = await open(file, O_RDWR | O_NONBLOCK);
  await closed;
  await writer.close();
}

function readStdin(io: Io): Promise<Buffer> {
  if (io.stdin.isTTY) {
    throw new UsageError("Standard input is a terminal, not a pipe or file", {
      remedy: "Pipe the text in, or pass a file name instead of -.",
    });
  }
  return readInput(io);
}

/** The bytes of standard input. */
export async function readInput({ stdin, signal }: Io): Promise<Buffer> {
  const stop = () => stdin.destroy();
  whenAborted(signal, stop);
  const bytes = await readWhole(stdin, "Standard input");
  signal.removeEventListener("abort", stop);
  return bytes;
}

/**
 * Reads a stream to its end.
 * @throws {UsageError} for more than the limit: a device or a pipe may have no end
 */
async function readWhole(stream: AsyncIterable<unknown>, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    size += bytes.byteLength;
    // Leaving the loop closes the stream.
    if (size > MAX_BYTES) throw new UsageError(`${name} is larger than ${sizeText(MAX_BYTES)}`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
