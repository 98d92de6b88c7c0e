import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { commitOf } from "../stamp.ts";

/** What everything in a release says about itself. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly licence: string;
  /** The commit that it is built from, with `-dirty` if files were changed. */
  readonly commit: string;
  /** When that commit was made, in seconds: the time of every file, so that two builds are equal. */
  readonly epoch: number;
  /** Where it will be downloaded from: `AMP_RELEASE_URL`. */
  readonly url: string;
  readonly maintainer: string;
}

export function readRelease(): Release {
  const { name, version, description, license } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as { name: string; version: string; description: string; license: string };
  const commit = commitOf();
  if (commit === undefined) throw new Error("A release is built from a checkout of git.");
  const given = process.env.SOURCE_DATE_EPOCH;
  const made = execFileSync("git", ["log", "-1", "--format=%ct"], { encoding: "utf8" });
  return {
    name,
    version,
    summary: description,
    licence: license,
    commit,
    epoch: Number(given ?? made),
    url: process.env.AMP_RELEASE_URL ?? "https://downloads.example.com/amp",
    maintainer: process.env.AMP_RELEASE_MAINTAINER ?? "The amp contributors <amp@example.com>",
  };
}

const start = promisify(execFile);

/**
 * Runs a program, whose times are those of the release.
 * @returns what it wrote to stdout
 * @throws {Error} with what it wrote to stderr, where it fails
 */
export async function run(
  words: readonly string[],
  { epoch, cwd }: { readonly epoch?: number; readonly cwd?: string } = {},
): Promise<string> {
  const [program = "", ...rest] = words;
  const env = {
    ...process.env,
    LC_ALL: "C",
    TZ: "UTC",
    ...(epoch !== undefined && { SOURCE_DATE_EPOCH: `${epoch}` }),
  };
  const { stdout } = await start(program, rest, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    // On Windows npm is a script, which only a shell starts.
    shell: process.platform === "win32" && program === "npm",
  });
  return stdout;
}

/** Does as many at once as there are processors. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** The SHA-256 of a file, in hexadecimal. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
