import { updateInstallation } from "../api/operations/endpoints.ts";
import type { Installation, ReadObject } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { PartialError, ServiceError, UsageError } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { holdsRedacted } from "../secrets/answer.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy, originalOf } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Block, joined, nextBlock, type Page, row, rows } from "../view/view.ts";
import { groupName } from "./cells.ts";
import { isPaused, readsOf } from "./config-blocks.ts";
import { unknownReads } from "./diagnosis.ts";
import { requestInstallation } from "./installation-request.ts";
import type { NamedInstallation } from "./installations.ts";
import { asked, installationPath } from "./operations.ts";

/** Whether the reading of objects is paused or resumed. */
export type PausingVerb = "pause" | "resume";

/** The words of each verb. */
const WORDS = {
  pause: { done: "paused", already: "already paused", title: "Paused", doing: "Pause" },
  resume: { done: "resumed", already: "already running", title: "Resumed", doing: "Resume" },
} as const satisfies Record<PausingVerb, object>;

/** The outcome for one object. */
export interface PausedObject {
  readonly object: string;
  readonly outcome: (typeof WORDS)[PausingVerb]["done" | "already"];
}

/** The result of pausing or resuming an installation. */
export interface PausingResult {
  readonly id: string;
  readonly integrationId: string;
  readonly group?: string;
  readonly objects: readonly PausedObject[];
  /** The reason that was given; the service has no place for it. */
  readonly note?: string;
}

/** The request of the user. */
interface PausingRequest {
  readonly verb: PausingVerb;
  /** The names of the objects; empty: each that the installation reads. */
  readonly objects: readonly string[];
  readonly note: string | undefined;
}

type Pausing = Pick<
  CommandContext,
  "api" | "guard" | "yes" | "interactive" | "prompt" | "report" | "dryRun"
> & { readonly project: string };

/**
 * Pauses or resumes the reading of objects. Objects that are already in this state are left alone,
 * so the same command can be run again.
 * @throws {UsageError} for an object that is not read, and without an interactive terminal
 * @throws {PartialError} where it is unknown whether the request took effect
 */
export async function pauseOrResume(
  context: Pausing,
  installation: NamedInstallation,
  request: PausingRequest,
): Promise<PausingResult> {
  const { verb, note } = request;
  const { integrationName } = installation;
  const { done, already, doing } = WORDS[verb];
  const chosen = chosenReads(installation, request.objects);
  const isWanted = ([, read]: Read) => isPaused(read) === (verb === "pause");
  const changing = chosen.filter((one) => !isWanted(one));
  const name = groupName(installation);
  if (changing.length > 0) {
    const names = changing.map(([object]) => object).join(", ");
    const place = joined([integrationName, installation.id]);
    if (!context.dryRun) {
      await confirm(context, {
        message: `${doing} reading ${names} of ${name ?? installation.id} (${place})?`,
        needed: `amp installations ${verb} needs confirmation, and this is not an interactive terminal`,
        remedy: "Add --yes to confirm.",
        done: "Nothing was changed.",
      });
      await context.guard.assertMayWrite();
    }
    await change(context, installation, changing, verb);
  }
  const result: PausingResult = {
    id: installation.id,
    integrationId: installation.integrationId,
    ...(name === undefined ? {} : { group: name }),
    objects: chosen.map((one) => ({ object: one[0], outcome: isWanted(one) ? already : done })),
    ...(note === undefined ? {} : { note }),
  };
  if (integrationName === undefined) return result;
  return changeDisplayCopy<ShownPausing>(result, (one) => ({ ...one, integrationName }));
}

type Read = [object: string, read: ReadObject];

/** The objects of the config that were named, by their keys in it. */
function chosenReads(installation: Installation, names: readonly string[]): Read[] {
  const { config, id } = installation;
  const reads = readsOf(config);
  const known = reads.map(([key]) => key);
  if (reads.length === 0) {
    const unknown = unknownReads(installation);
    throw new UsageError(
      unknown ? `It is unknown what installation ${id} reads` : `Installation ${id} reads nothing`,
      unknown ? { detail: unknown } : {},
    );
  }
  if (names.length === 0) return reads;
  return [...new Set(names)].map((name) => {
    const found =
      reads.find(([key]) => key === name) ?? reads.find(([, one]) => one.objectName === name);
    if (found !== undefined) return found;
    const near = nearest(name, known);
    throw new UsageError(`--object ${name}: the installation does not read it`, {
      detail: `It reads ${known.join(", ")}.`,
      ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
    });
  });
}

/** Sends one request for all objects, which changes their `disabled` and nothing else. */
async function change(
  context: Pausing,
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
  try {
    await asked(
      "update installations",
      api.call(updateInstallation, {
        path: installationPath(project, installation),
        body: {
          updateMask: keys.map((key) => `config.content.read.objects.${key}.disabled`),
          installation: { config: { content } },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof PartialError)) throw error;
    if (!(await isSo(context, installation, changing, disabled))) {
      throw error.setFacts({
        done: "It is unknown whether the request took effect. It was not sent again.",
        remedy: `Run the command again: reads that are ${WORDS[verb].done} stay unchanged.`,
      });
    }
    report.warn(`The response was lost; the service shows the reads as ${WORDS[verb].done}.`);
  }
}

/**
 * The objects as the service has them, not as they are shown: a service that replaces an object whole
 * would else lose what was redacted or corrected.
 * @throws {ServiceError} if they cannot be had unredacted
 */
async function readsAsSent(
  { api, project, dryRun }: Pausing,
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

/** Whether the service shows each object as it should be; false if it cannot be reached. */
async function isSo(
  { api, project }: Pausing,
  installation: Installation,
  changing: readonly Read[],
  disabled: boolean,
): Promise<boolean> {
  const shown = await requestInstallation(api, project, installation);
  if (shown === undefined) return false;
  const reads = new Map(readsOf(shown.config));
  return changing.every(([key]) => {
    const read = reads.get(key);
    return read !== undefined && isPaused(read) === disabled;
  });
}

/** A result with the name of the integration: a customer may have an installation of several. */
type ShownPausing = PausingResult & { readonly integrationName?: string };

/** The command that resumes what was paused; what was paused before stays so. */
function wayBack(id: string, objects: readonly PausedObject[]): Block[] {
  const paused = objects.filter(({ outcome }) => outcome === WORDS.pause.done);
  if (paused.length === 0) return [];
  const names = paused.map(({ object }) => object).join(",");
  return [nextBlock(suggest("installations resume", [id], { object: names }))];
}

/** The result as a page. */
export function pausingPage({ id, group, integrationName, objects, note }: ShownPausing): Page {
  const aside = joined([integrationName, group === undefined ? undefined : id]);
  return {
    title: group ?? id,
    ...(aside === undefined ? {} : { aside }),
    blocks: [
      rows([
        ...objects.map(({ object, outcome }) => [object, outcome] as const),
        ...row("Note", note),
      ]),
      ...wayBack(id, objects),
    ],
  };
}
