import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { defined } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Block, joined, nextBlock, type Page, row, rows } from "../view/view.ts";
import { groupName } from "./cells.ts";
import { isPaused, readsOf } from "./config-blocks.ts";
import { unknownReads } from "./diagnosis.ts";
import type { NamedInstallation } from "./installations.ts";
import {
  PAUSING_WORDS,
  type PausingContext,
  type PausingVerb,
  type Read,
  sendPausing,
} from "./pausing-request.ts";

/** The outcome for one object. */
export interface PausedObject {
  readonly object: string;
  readonly outcome: (typeof PAUSING_WORDS)[PausingVerb]["done" | "already"];
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

interface PausingRequest {
  readonly verb: PausingVerb;
  /** The names of the objects; empty: each that the installation reads. */
  readonly objects: readonly string[];
  readonly note: string | undefined;
}

/**
 * Pauses or resumes the reading of objects. Objects that are already in this state are left alone,
 * so the same command can be run again.
 * @throws {UsageError} for an object that is not read, and without an interactive terminal
 * @throws {PartialError} where it is unknown whether the request took effect
 */
export async function pauseOrResume(
  context: PausingContext,
  installation: NamedInstallation,
  request: PausingRequest,
): Promise<PausingResult> {
  const { verb, note } = request;
  const { id, integrationId, integrationName } = installation;
  const { done, already, doing } = PAUSING_WORDS[verb];
  const chosen = chosenReads(installation, request.objects);
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
  const result: PausingResult = defined({ id, integrationId, group: name, objects, note });
  if (integrationName === undefined) return result;
  return changeDisplayCopy<ShownPausing>(result, (one) => ({ ...one, integrationName }));
}

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
      ...(near && { remedy: `Did you mean ${near}?` }),
    });
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
      rows([
        ...objects.map(({ object, outcome }) => [object, outcome] as const),
        ...row("Note", note),
      ]),
      ...wayBack(id, objects),
    ],
  };
}
