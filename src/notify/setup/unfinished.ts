import { readdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readOwnFile } from "../../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { routingFileTexts } from "../file/write.ts";
import { mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import type { StateBackend } from "../state/backend.ts";
import { diskError } from "../state/local/state-file.ts";
import { hashOf } from "./answers.ts";
import type { SetupContext } from "./options.ts";

/** The answers of a setup that did not finish, as a routing file: they outlive a kill. */
export interface Unfinished {
  readonly path: string;
  readonly text: string;
}

/** An unfinished setup that was found. */
export interface FoundSetup extends Unfinished {
  /** When it was started, in ms. */
  readonly started: number;
}

/** The unfinished setups of one state. */
export interface UnfinishedSetups {
  /** The last one first. */
  list(): Promise<readonly FoundSetup[]>;
  /** The place of a setup's answers; nothing is written. */
  of(model: RoutingModel, text: string): Unfinished;
  /** Saves the answers. Only the holder of the state's lock may call it. */
  save(one: Unfinished): Promise<void>;
  /** Removes these, unless another run has changed them. */
  remove(these: readonly Unfinished[]): Promise<void>;
}

/** The files beside a local state; of a remote one, in the default folder. */
export function unfinishedSetups(
  { local, location }: Pick<StateBackend, "local" | "location">,
  { stateFolder }: Pick<SetupContext["environment"], "stateFolder">,
): UnfinishedSetups {
  const base = local ? location : join(stateFolder, `remote_${hashOf(location)}`);
  const folder = dirname(base);
  const read = (path: string) =>
    readOwnFile(path).catch((error: unknown) => {
      throw diskError("read", path, error);
    });
  return {
    list: async () => {
      const names = await readdir(folder).catch((): string[] => []);
      const paths = names.flatMap((name) =>
        name.startsWith(`${basename(base)}.`) && /\.[\da-f]{8}\.setup\.yaml$/u.test(name)
          ? join(folder, name)
          : [],
      );
      const found = await Promise.all(
        paths.map(async (path) => {
          const text = await read(path);
          const started = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
          return text === undefined ? [] : [{ path, text, started }];
        }),
      );
      return found.flat().sort((one, other) => other.started - one.started);
    },
    // A setup of the same name has the same resources: its file replaces the earlier one.
    of: ({ name = "" }, text) => ({ path: `${base}.${hashOf(name)}.setup.yaml`, text }),
    save: async ({ path, text }) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    remove: async (these) => {
      for (const { path, text } of these) {
        // A file that cannot be removed is offered again, and its routing found in place.
        const now = await read(path).catch(() => undefined);
        if (now === text) await unlink(path).catch(() => {});
      }
    },
  };
}

/**
 * The text of the file: it has the references of secrets, never their values; credentials in the
 * metadata it has as they are, so that nothing must be typed again. The state beside it belongs to one
 * project, which may be given by ID or name.
 */
export async function unfinishedText(
  model: RoutingModel,
  { cwd }: Pick<SetupContext["environment"], "cwd">,
): Promise<string> {
  const placed = mapSecretPaths(model, (path) => resolve(cwd, path));
  return (await routingFileTexts(placed, { literal: true })).text;
}
