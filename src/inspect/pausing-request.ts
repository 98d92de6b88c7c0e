import { setTimeout as pause } from "node:timers/promises";
import { updateInstallation } from "../api/operations/endpoints.ts";
import type { Installation, ReadObject } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { PartialError, ServiceError } from "../errors.ts";
import { holdsRedacted } from "../secrets/answer.ts";
import { isJsonObject } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";
import { isPaused, readsOf } from "./config-blocks.ts";
import { installationPath, requestInstallation } from "./installations.ts";
import { asked } from "./operations.ts";

/** Whether the reading of objects is paused or resumed. */
export type PausingVerb = "pause" | "resume";

/** The words of each verb. */
export const PAUSING_WORDS = {
  pause: { done: "paused", already: "already paused", title: "Paused", doing: "Pause" },
  resume: { done: "resumed", already: "already running", title: "Resumed", doing: "Resume" },
} as const satisfies Record<PausingVerb, object>;

/** What pausing needs of a command's context. */
export type PausingContext = Pick<
  CommandContext,
  "api" | "guard" | "yes" | "interactive" | "prompt" | "report" | "dryRun"
> & { readonly project: string };

/** An object of a config, by its key in it. */
export type Read = [object: string, read: ReadObject];

/** Sends one request for all objects, which changes their `disabled` and nothing else. */
export async function sendPausing(
  context: PausingContext,
  installation: Installation,
  changing: readonly Read[],
  verb: PausingVerb,
): Promise<void> {
  const { api, project, report } = context;
  const disabled = verb === "pause";
  const keys = changing.map(([key]) => key);
  const reads = await readsAsSent(context, installation, keys);
  const objects = Object.fromEntries(reads.map(([key, read]) => [key, { ...read, disabled }]));
  const { provider } = installation.config.content ?? {};
  const content = { ...(provider ? { provider } : {}), read: { objects } };
  const unknown = {
    done: "It is unknown whether the request took effect. It was not sent again.",
    remedy: `Run the command again: reads that are ${PAUSING_WORDS[verb].done} stay unchanged.`,
  };
  try {
    const answer: unknown = await asked(
      "update installations",
      api.call(updateInstallation, {
        path: installationPath(project, installation),
        body: {
          updateMask: keys.map((key) => `config.content.read.objects.${key}.disabled`),
          installation: { config: { content } },
        },
      }),
    );
    if (context.dryRun || areDisabled(answer, changing, disabled)) return;
  } catch (error) {
    if (!(error instanceof PartialError)) throw error;
    const isAccepted = error.facts.status === 202;
    const seen = await seenDisabled(context, installation, changing, disabled, isAccepted);
    if (seen !== true) throw error.setFacts(unknown);
    if (isAccepted) return;
    report.warn(
      `The response was lost; the service shows the reads as ${PAUSING_WORDS[verb].done}.`,
    );
    return;
  }
  // A success that shows nothing, or something else, may have had no effect.
  if ((await seenDisabled(context, installation, changing, disabled, true)) !== false) return;
  throw new PartialError(`It is unknown whether the reads were ${PAUSING_WORDS[verb].done}`, {
    detail: "The service answered with success, but does not show the change.",
    ...unknown,
  });
}

/**
 * The objects as the service has them, not as they are shown: a service that replaces an object
 * whole would else lose what was redacted or corrected.
 * @throws {ServiceError} if they cannot be had unredacted
 */
async function readsAsSent(
  { api, project, dryRun }: PausingContext,
  installation: Installation,
  keys: readonly string[],
): Promise<Read[]> {
  const within = (found: Installation | undefined) => {
    const reads = new Map(readsOf(found && (originalOf(found) as Installation).config));
    return keys.flatMap((key): Read[] => {
      const read = reads.get(key);
      return read === undefined ? [] : [[key, read]];
    });
  };
  const listed = within(installation);
  if (dryRun || !holdsRedacted(listed)) return listed;
  const exact = within(await requestInstallation(api, project, installation, true));
  if (exact.length === keys.length) return exact;
  throw new ServiceError("The service no longer shows the config of these objects", {
    detail: "It has secrets, which the update must repeat.",
    remedy: "Run the command again.",
    done: "Nothing was changed.",
  });
}

/** The waits before each look for a change that the service has accepted. */
const LOOKS_MS = [0, 500, 1_500];

/**
 * Whether the service shows each object as it should be; undefined if it does not show them.
 * @param again whether to look again for a while
 */
async function seenDisabled(
  { api, project }: PausingContext,
  installation: Installation,
  changing: readonly Read[],
  disabled: boolean,
  again: boolean,
): Promise<boolean | undefined> {
  for (const wait of again ? LOOKS_MS : LOOKS_MS.slice(0, 1)) {
    await pause(wait);
    const shown = await requestInstallation(api, project, installation);
    if (shown === undefined) return undefined;
    if (areDisabled(shown, changing, disabled)) return true;
  }
  return false;
}

/** Whether an installation has each object as it should be. */
function areDisabled(shown: unknown, changing: readonly Read[], disabled: boolean): boolean {
  const { config } = (isJsonObject(shown) ? shown : {}) as Partial<Installation>;
  if (!isJsonObject(config)) return false;
  const reads = new Map(readsOf(config));
  return changing.every(([key]) => {
    const read = reads.get(key);
    return isJsonObject(read) && isPaused(read) === disabled;
  });
}
