import type { Api } from "../api/operations/endpoint.ts";
import { updateInstallation } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import { lastLook, type Polling, poll } from "../api/operations/poll.ts";
import type { Installation, ReadObject } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { PausedObject, PausingResult } from "../documents/inspect.ts";
import { assertFailure, PartialError } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { holdsRedacted } from "../secrets/answer.ts";
import { defined, isJsonObject } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy, originalOf } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Block, joined, nextBlock, type Page, row, rows } from "../view/view.ts";
import { isPaused, readsOf } from "./config-blocks.ts";
import { unknownReads } from "./diagnosis.ts";
import { inspectErrors } from "./errors.ts";
import {
  currentInstallation,
  groupName,
  installationPath,
  type NamedInstallation,
  requestInstallation,
} from "./installations.ts";
import { asked } from "./operations.ts";

/**
 * Pauses or resumes the reading of objects. Objects that are already in this state are left alone,
 * so the same command can be run again. Without the name of an object, it is each that is read.
 * @throws {UsageError} for an object that is not read, and without an interactive terminal
 * @throws {PartialError} where it is unknown whether the request took effect
 */
export async function pauseOrResume(
  context: PausingContext,
  installation: NamedInstallation,
  verb: PausingVerb,
  options: { readonly object: readonly string[]; readonly note: string | undefined },
): Promise<PausingResult> {
  const { id, integrationId, integrationName } = installation;
  const { done, already, doing } = PAUSING_WORDS[verb];
  const chosen = chosenReads(installation, options.object);
  const isWanted = ([, read]: Read) => isPaused(read) === (verb === "pause");
  const changing = chosen.filter((one) => !isWanted(one));
  const name = groupName(installation);
  if (changing.length > 0) {
    const names = changing.map(([object]) => object).join(", ");
    if (!context.dryRun) {
      await confirm(context, {
        message: `${doing} reading ${names} of ${name ?? id} (${joined([integrationName, id])})?`,
        needed: `amp installations ${verb} needs confirmation, and this is not an interactive terminal`,
        remedy: "Add --yes to confirm.",
        done: "Nothing was changed.",
      });
      await context.guard.assertMayWrite();
    }
    await sendPausing(context, installation, changing, verb);
  }
  const objects = chosen.map((one) => ({
    object: one[0],
    outcome: isWanted(one) ? already : done,
  }));
  const result: PausingResult = defined({
    id,
    integrationId,
    group: name,
    objects,
    note: options.note,
  });
  if (integrationName === undefined) return result;
  return changeDisplayCopy<ShownPausing>(result, (one) => ({ ...one, integrationName }));
}

/** The objects of the config that were named, by their keys in it. */
function chosenReads(installation: Installation, names: readonly string[]): Read[] {
  const { config, id } = installation;
  const reads = readsOf(config);
  const known = reads.map(([key]) => key);
  if (reads.length === 0) throw inspectErrors.reads_none(id, unknownReads(installation));
  if (names.length === 0) return reads;
  return [...new Set(names)].map((name) => {
    const found =
      reads.find(([key]) => key === name) ?? reads.find(([, one]) => one.objectName === name);
    if (found !== undefined) return found;
    throw inspectErrors.object_not_read(name, known, nearest(name, known));
  });
}

/** A result with the name of the integration: a customer may have an installation of several. */
type ShownPausing = PausingResult & { readonly integrationName?: string };

/** The command that resumes what was paused; what was paused before stays so. */
function wayBack(id: string, objects: readonly PausedObject[]): Block[] {
  const paused = objects.filter(({ outcome }) => outcome === PAUSING_WORDS.pause.done);
  if (paused.length === 0) return [];
  const names = paused.map(({ object }) => object).join(",");
  return [nextBlock(suggest("installations resume", [id], { object: names }))];
}

/** The result as a page. */
export function pausingPage({ id, group, integrationName, objects, note }: ShownPausing): Page {
  return {
    title: group ?? id,
    ...defined({ aside: joined([integrationName, group && id]) }),
    blocks: [
      {
        kind: "rows",
        rows: objects.map(({ object, outcome }) => [object, outcome] as const),
        inRows: true,
      },
      rows(row("Note", note)),
      ...wayBack(id, objects),
    ],
  };
}

/** Whether the reading of objects is paused or resumed. */
export type PausingVerb = "pause" | "resume";

const PAUSING_WORDS = {
  pause: { done: "paused", already: "already paused", title: "Paused", doing: "Pause" },
  resume: { done: "resumed", already: "not paused", title: "Resumed", doing: "Resume" },
} as const satisfies Record<PausingVerb, object>;

/** What pausing needs of a command's context. */
type PausingContext = Pick<
  CommandContext,
  "api" | "guard" | "yes" | "interactive" | "prompt" | "report" | "dryRun"
> &
  Polling & { readonly project: string };

/** An object of a config, by its key in it. */
type Read = [object: string, read: ReadObject];

/** Sends one request for all objects, which changes their `disabled` and nothing else. */
async function sendPausing(
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
    assertFailure(error);
    let isGone: boolean | undefined = error.facts.status === 410;
    if (error.facts.status === 404) {
      const now = currentInstallation(api, project, installation);
      isGone = await ifAvailable(now.then((one) => one === undefined));
    }
    if (isGone) throw inspectErrors.installation_gone(installation.id);
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
  throw inspectErrors.pausing_unseen(PAUSING_WORDS[verb].done, unknown);
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
  throw inspectErrors.config_gone();
}

/** The pauses between the looks for a change that the service has accepted, in milliseconds. */
const PAUSES = [500, 1_500];

/**
 * Whether the service shows each object as it should be; undefined if it does not show them.
 * @param again whether to look again for a while
 */
async function seenDisabled(
  context: PausingContext,
  installation: Installation,
  changing: readonly Read[],
  disabled: boolean,
  again: boolean,
): Promise<boolean | undefined> {
  const read = async (api: Api) => {
    const shown = await requestInstallation(api, context.project, installation);
    return shown && areDisabled(shown, changing, disabled);
  };
  const maxLooks = again ? PAUSES.length + 1 : 1;
  const looks = poll(context, read, (seen) => seen !== false, { pauses: PAUSES, maxLooks });
  return (await lastLook(looks)).answer;
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
