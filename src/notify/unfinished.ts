import { createHash } from "node:crypto";
import { readdir, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { RunEnvironment } from "../context/command-context.ts";
import { readOwnFile } from "../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { isWithin } from "../values/basics.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { LITERAL_SECRETS } from "./file/secrets.ts";
import { routingFileTexts } from "./file/write.ts";
import { addressesOf, mapSecretPaths, type RoutingModel } from "./model/routing.ts";
import { protectedVariable } from "./model/secrets.ts";
import type { StateBackend } from "./state/backend.ts";
import { diskError } from "./state/local/state-file.ts";

/**
 * The routing file of a setup that did not finish: it is written before the first create and
 * outlives a kill. It has what was typed, secrets included, and is as private as the state.
 */
export interface Unfinished {
  readonly path: string;
  readonly text: string;
}

/** The unfinished setups of a state: files beside it; of a remote one, in the default folder. */
export function unfinishedSetups(
  { local, location }: Pick<StateBackend, "local" | "location">,
  { stateFolder, cwd }: Pick<RunEnvironment, "stateFolder" | "cwd">,
) {
  const base = local ? location : join(stateFolder, `remote_${hashOf(location)}`);
  const read = (path: string) =>
    readOwnFile(path).catch((error: unknown) => {
      throw diskError("read", path, error);
    });
  const isOne = (path: string) =>
    path.startsWith(`${base}.`) && /^[\da-f]{8}\.setup\.yaml$/u.test(path.slice(base.length + 1));
  const find = async (file: string): Promise<readonly Unfinished[]> => {
    const path = resolve(cwd, file);
    const text = isOne(path) ? await read(path) : undefined;
    return text === undefined ? [] : [{ path, text }];
  };
  return {
    list: async (): Promise<readonly Unfinished[]> => {
      const names = await readdir(dirname(base)).catch((): string[] => []);
      const found = await Promise.all(names.sort().map((name) => find(join(dirname(base), name))));
      return found.flat();
    },
    /** The unfinished setup whose file this is; none for any other file. */
    find,
    /** The file of a routing: that of the same resources replaces it. */
    of: async (model: RoutingModel): Promise<Unfinished> => {
      const placed = mapSecretPaths(model, (path) => resolve(cwd, path));
      const { text } = await routingFileTexts(placed, { literal: true });
      const resources = addressesOf(model).sort().join();
      return { path: `${base}.${hashOf(resources)}.setup.yaml`, text };
    },
    /** Saves the file. Only the holder of the state's lock may call it. */
    save: async ({ path, text }: Unfinished) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    /** Removes files, unless another run has changed them. */
    remove: async (these: readonly Unfinished[]) => {
      for (const { path, text } of these) {
        // A file that cannot be removed is named again, and its routing found in place.
        const now = await read(path).catch(() => undefined);
        if (now === text) await unlink(path).catch(() => {});
      }
    },
  };
}

/**
 * The command that applies a routing file that amp wrote: what was typed is used as it is, but a
 * file that names it needs permission.
 */
export async function applyCommandOf(
  { path, text }: Unfinished,
  cwd: string,
  allowLiteralSecrets = false,
): Promise<SuggestedCommand> {
  const { parseDocument } = await import("yaml");
  // A file that somebody has edited may have mistakes, which its apply reports.
  const content = JSON.stringify(parseDocument(text, { logLevel: "silent" })) ?? "";
  const references = content.matchAll(/"(env|file):((?:[^"\\]|\\.)+)"/gu);
  const named = [...references].map(([, from, word]) => [from, JSON.parse(`"${word}"`)] as const);
  const folder = dirname(resolve(cwd, path));
  const allowed = named.flatMap(([from, name]) => {
    if (from === "env") return protectedVariable(name) === undefined ? [] : `env:${name}`;
    const place = resolve(folder, name);
    if (isWithin(folder, place)) return [];
    return `file:${isAbsolute(name) ? name : relative(cwd, place)}`;
  });
  const allow = [...(allowLiteralSecrets ? [LITERAL_SECRETS] : []), ...new Set(allowed)];
  return suggest("notify apply", [], { f: path, allow });
}

/** A short text that differs for different texts. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
