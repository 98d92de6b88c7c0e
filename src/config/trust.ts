import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { withLock } from "../durable/lock.ts";
import { writeFileDurably } from "../durable/write-file.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import { tried } from "../values/basics.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  fileError,
  objectAt,
  parseJsonText,
  readIfExists,
  requiredTextAt,
  shapeError,
} from "./own-file.ts";

const TRUST_VERSION = 1;

/** The trusted content of the file at one path. */
export interface TrustedContent {
  readonly sha256: string;
  /** The time of the trust: RFC 3339. */
  readonly since: string;
}

/** The options of a change of the trusted files. */
export interface TrustOptions {
  /** The folder of profiles and credentials. */
  readonly folder: string;
  /** Ends the wait for the lock when aborted. */
  readonly signal: AbortSignal;
}

/** The hash of a project file's content, as the trusted files keep it. */
export function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * The path with the links of its folder resolved: one file has one name, however it was reached.
 */
export function canonicalPath(path: string): string {
  return tried(() => join(realpathSync(dirname(path)), basename(path))) ?? path;
}

/**
 * Reads the trusted files, by canonical path.
 * @throws {UsageError} for a file that is not valid; nothing is trusted then
 */
export function readTrusted(folder: string): ReadonlyMap<string, TrustedContent> {
  const path = trustPath(folder);
  const text = readIfExists(path);
  if (text === undefined) return new Map();
  try {
    const { version, files } = objectAt(path, "it", parseJsonText(text, path));
    if (version !== TRUST_VERSION) throw shapeError(path, "version", `${TRUST_VERSION}`);
    const named = Object.entries(objectAt(path, "files", files));
    return new Map(
      named.map(([name, value]) => {
        const { sha256, since } = objectAt(path, `files.${name}`, value);
        const need = (key: string, field: unknown) =>
          requiredTextAt(path, `files.${name}.${key}`, field);
        return [name, { sha256: need("sha256", sha256), since: need("since", since) }];
      }),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw error.setFacts({
      remedy: "Fix the file, or delete it and trust your project files again.",
      suggestion: suggest("trust"),
    });
  }
}

/** Records that a file is trusted with this content. */
export async function saveTrust(
  options: TrustOptions,
  path: string,
  content: TrustedContent,
): Promise<void> {
  await changeTrusted(options, (files) => files.set(canonicalPath(path), content));
}

/**
 * Removes the trust in a file.
 * @throws {NotFoundError} if it is not trusted
 */
export async function revokeTrust(options: TrustOptions, path: string): Promise<TrustedContent> {
  let revoked: TrustedContent | undefined;
  await changeTrusted(options, (files) => {
    const name = canonicalPath(path);
    revoked = files.get(name);
    files.delete(name);
  });
  if (revoked !== undefined) return revoked;
  throw new NotFoundError(`${path} is not a trusted file`, {
    suggestion: suggest("trust", [], { list: true }),
  });
}

async function changeTrusted(
  { folder, signal }: TrustOptions,
  change: (files: Map<string, TrustedContent>) => unknown,
): Promise<void> {
  const path = trustPath(folder);
  try {
    await withLock(path, { wait: 30_000, command: "amp trust", signal }, async () => {
      const files = new Map(readTrusted(folder));
      change(files);
      const content = { version: TRUST_VERSION, files: Object.fromEntries(files) };
      await writeFileDurably(path, `${JSON.stringify(content, undefined, 2)}\n`);
    });
  } catch (error) {
    throw fileError("write", path, error);
  }
}

function trustPath(folder: string): string {
  return join(folder, "trust.json");
}
