import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import type { StateBackend } from "./backend.ts";
import { refuseCache } from "./cache-folder.ts";
import { gitlabPlace } from "./gitlab.ts";
import { httpBackend } from "./http.ts";
import { type Environment, httpPlace } from "./http-options.ts";
import { localBackend } from "./local.ts";
import { s3Backend } from "./s3.ts";
import { s3Place } from "./s3-place.ts";
import type { SendOptions } from "./send.ts";
import type { StateTarget } from "./state.ts";

/** What the place of a state follows from. */
export interface Location extends SendOptions {
  /** A file, an address, `gitlab`, `gitlab:NAME`; absent: AMP_STATE, and then the default file. */
  readonly state?: string | undefined;
  readonly env: Environment;
  /** Where a file that is named by a relative path stands. */
  readonly cwd: string;
  /** Of the default file. */
  readonly defaultFolder: string;
  readonly target: StateTarget;
}

type Opener = (named: string, source: string, location: Location) => StateBackend;

/** By how a place begins; whatever else it is, is a file. */
const REMOTE: readonly (readonly [begins: RegExp, open: Opener])[] = [
  [
    /^https?:\/\//iu,
    (named, source, location) => httpBackend(httpPlace(named, source, location.env), location),
  ],
  [/^s3:\/\//u, (named, _, location) => s3Backend(s3Place(named, location.env), location)],
  [
    /^gitlab(?::|$)/u,
    (named, _, location) => {
      const name = named.split(":").slice(1).join(":") || undefined;
      return httpBackend(gitlabPlace(name, location.env, location.target), location);
    },
  ],
  [
    /^[a-z][a-z\d+.-]*:\/\//iu,
    (named, source) => {
      throw new UsageError(`${source}: no state can be kept at ${named.split(":")[0]}://`, {
        remedy: "Name a file, an address with https, gitlab, or s3://BUCKET/KEY.",
      });
    },
  ],
];

/**
 * The place of the state of a target. Nothing is read, made or sent yet.
 * @throws {UsageError} for a place that is none, or that lacks its variables
 */
export function openBackend(location: Location): StateBackend {
  const { state, env, cwd, defaultFolder, target } = location;
  const named = state ?? env.AMP_STATE;
  if (named === undefined) return localBackend(join(defaultFolder, fileNameOf(target)));
  const source = state === undefined ? "AMP_STATE" : "--state";
  if (named.trim() === "") throw new UsageError(`${source} is empty`);
  const open = REMOTE.find(([begins]) => begins.test(named))?.[1];
  if (open) return open(named, source, location);
  const path = resolve(cwd, named);
  refuseCache(path, env);
  return localBackend(path);
}

/** Readable, and by its hash of that target alone. */
function fileNameOf({ origin, basePath, project }: StateTarget): string {
  const { hostname, port, protocol } = new URL(origin);
  const usualPort = protocol === "http:" ? "80" : "443";
  const words = [hostname, port || usualPort, basePath.replace(/^\/+/u, ""), project]
    .map((word) => word.replaceAll(/[^A-Za-z\d.-]+/gu, "-"))
    .filter((word) => word !== "")
    .join("_")
    .slice(0, 120);
  const hash = createHash("sha256").update(JSON.stringify([origin, basePath, project]));
  return `${words}_${hash.digest("hex").slice(0, 8)}.json`;
}
