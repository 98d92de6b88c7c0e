import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { resolve } from "node:path";
import { readOwnFile } from "../../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { routingFile } from "../file/write.ts";
import { mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import { diskError } from "../state/local/state-file.ts";
import { defaultStateFile, type OpenedState, type StateContext } from "../state/open-backend.ts";

/** The answers of a running setup, as a routing file: they outlive a kill. */
export interface UnfinishedFile {
  readonly path: string;
  /** Reads the file; undefined where there is no unfinished setup. */
  read(): Promise<string | undefined>;
  /** Saves the answers. Only the holder of the state's lock may call it. */
  save(text: string): Promise<void>;
  /** Removes the file if it holds one of these texts: another setup may have written its own. */
  remove(texts: readonly (string | undefined)[]): Promise<void>;
}

/** The file beside a local state; for a remote one, in the default folder. */
export function unfinishedFileOf(
  { environment: { stateFolder } }: Pick<StateContext, "environment">,
  { backend, target }: OpenedState,
): UnfinishedFile {
  const path = backend.local
    ? `${backend.location}.setup.yaml`
    : // The hash is of this location: an unfinished setup belongs to one state.
      `${defaultStateFile(stateFolder, target)}.${hashOf(backend.location)}.setup.yaml`;
  const read = () =>
    readOwnFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOTDIR") return undefined;
      throw diskError("read", path, error);
    });
  return {
    path,
    read,
    save: async (text) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    remove: async (texts) => {
      const text = await read().catch(() => undefined);
      // A file that cannot be removed is offered again, and its routing found in place.
      if (text !== undefined && texts.includes(text)) await unlink(path).catch(() => {});
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** The text of the file: it contains the references of secrets, never their values. */
export function unfinishedText(
  model: RoutingModel,
  { project, environment: { cwd } }: Pick<StateContext, "project" | "environment">,
): Promise<string> {
  return routingFile(
    mapSecretPaths(model, (path) => resolve(cwd, path)),
    project,
  );
}
