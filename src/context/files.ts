import { constants, createReadStream, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type ErrorFacts, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { whenAborted } from "../runtime/end-process.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { isWithin } from "../values/basics.ts";
import { sizeText } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { isEnabled } from "../values/setting.ts";
import { contextErrors } from "./errors.ts";

type Content = string | Uint8Array;

interface WriteOptions {
  readonly overwrite: boolean;
  readonly isPrivate?: boolean;
  readonly makeFolder?: boolean;
}

/**
 * Files, standard input and environment variables that the command line names, relative to the
 * working folder.
 */
export class Files {
  readonly #io: Io;
  #isPasted = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /**
   * The text of a file, or of standard input for `-`.
   * @param missing facts that are added to the error if the file does not exist
   * @throws {UsageError} if it cannot be read, or `-` is a terminal
   */
  async read(path: string, missing: ErrorFacts = {}): Promise<string> {
    return (await readNamed(this.#io, path, missing)).toString("utf8");
  }

  /**
   * The bytes of a file, or of standard input for `-`.
   * @throws {UsageError} if it cannot be read, or `-` is a terminal
   */
  readBytes(path: string): Promise<Uint8Array> {
    return readNamed(this.#io, path, {});
  }

  /**
   * The text of standard input, which may be pasted on a terminal and ended with Ctrl-D.
   * @param onTerminal called before a terminal is read
   */
  async paste(onTerminal: () => void): Promise<string> {
    this.#isPasted = true;
    if (this.#io.stdin.isTTY) onTerminal();
    return (await readInput(this.#io)).toString("utf8");
  }

  /** Whether standard input was read to its end, so that no question can be answered there. */
  isPasted(): boolean {
    return this.#isPasted;
  }

  /**
   * Writes a file with mode 0644, like the user's own documents, or 0600 if it is private. A file
   * that is replaced keeps its mode, and its whole text if the new one cannot be written.
   * @param options.makeFolder whether to create its folder if there is none
   * @throws {UsageError} if it exists and may not be replaced, is a symbolic link, or cannot be
   * written
   */
  write(path: string, content: Content, options: WriteOptions): Promise<void> {
    return writeNamed(this.#io, path, content, options);
  }

  /**
   * Refuses a file that exists, before the work whose result it is for.
   * @throws {UsageError} if it exists
   */
  async refuseExisting(path: string): Promise<void> {
    const { lstat } = await fs();
    const found = await lstat(resolve(this.#io.cwd, path)).catch(() => undefined);
    if (found !== undefined) throw contextErrors.file_exists(path);
  }

  /**
   * The absolute path of a file or folder, all links resolved.
   * @throws {UsageError} if there is none
   */
  async realPath(path: string): Promise<string> {
    try {
      const { realpath } = await fs();
      return await realpath(resolve(this.#io.cwd, path));
    } catch (error) {
      throw await cannotRead(this.#io, path, error);
    }
  }

  /** The value of an environment variable; undefined if it is not set. */
  variable(name: string): string | undefined {
    return this.#io.env[name];
  }

  /** All environment variables. */
  variables(): Readonly<Record<string, string | undefined>> {
    return this.#io.env;
  }
}

async function writeNamed(
  { cwd }: Io,
  path: string,
  content: Content,
  { overwrite, isPrivate = false, makeFolder = false }: WriteOptions,
): Promise<void> {
  const place = resolve(cwd, path);
  try {
    if (makeFolder) {
      const folders = await import("../durable/write-file.ts");
      await folders.makeFolder(dirname(place), { mode: 0o777 });
    }
    if (overwrite) {
      const { refuseLink } = await import("../durable/write-file.ts");
      await refuseLink(place, path);
      if (await isReplaced(place, content, isPrivate)) return;
    }
    await writeInPlace(place, content, { overwrite, isPrivate });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    throw isThere ? contextErrors.file_exists(path) : cannotWrite(path, error);
  }
}

async function writeInPlace(place: string, content: Content, options: WriteOptions) {
  const { overwrite, isPrivate } = options;
  const { open, unlink } = await fs();
  const file = await open(place, overwrite ? "w" : "wx", isPrivate ? 0o600 : 0o666);
  try {
    if (isPrivate) await file.chmod(0o600);
    await file.writeFile(content);
  } catch (error) {
    // A part of a new file would be taken for the whole.
    if (!overwrite) await unlink(place).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file as a whole.
 * @returns false where there is no regular file, as for a pipe or device, or its folder refuses
 * another file beside it: it must then be written in place
 */
async function isReplaced(place: string, content: Content, isPrivate: boolean): Promise<boolean> {
  const { access, chmod, stat } = await fs();
  const old = await stat(place).catch(() => undefined);
  if (!old?.isFile()) return false;
  // A rename would replace a file that its owner protects.
  await access(place, constants.W_OK);
  const { writeFileDurably } = await import("../durable/write-file.ts");
  try {
    await writeFileDurably(place, content);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "EBUSY"].includes(code)) return false;
    throw error;
  }
  if (!isPrivate) await chmod(place, old.mode);
  return true;
}

/**
 * The error of a file that cannot be written: where it is not found, its folder is what is missing.
 */
function cannotWrite(path: string, error: unknown): UsageError {
  const isFolderMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isFolderMissing ? `folder ${dirname(path)} not found` : fsReason(error);
  const remedy = isFolderMissing ? "Create the folder, or choose another one." : undefined;
  return inputErrors.file_unusable("write", path, reason, error, remedy);
}

/** The size limit of a file that the command line names, and of standard input. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Loads the module with the first file: the import takes milliseconds, and few commands need it.
 */
const fs = () => import("node:fs/promises");

/**
 * The bytes of a file, or of standard input for `-`.
 * @param missing facts that are added to the error if the file does not exist
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
  return inputErrors.file_unusable("read", path, fsReason(error), error).setFacts(facts);
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
  throw inputErrors
    .link_leads_outside(path, root, "pass its own path")
    .setFacts({ done: "Nothing was sent." });
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
  if (io.stdin.isTTY) throw contextErrors.stdin_is_terminal();
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
    if (size > MAX_BYTES) throw inputErrors.file_too_large(name, sizeText(MAX_BYTES));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
