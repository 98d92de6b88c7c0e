import type { Api } from "../../api/operations/endpoint.ts";
import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { BackfillProgress } from "../../api/schemas/operation.ts";
import {
  type Cell,
  defineCommand,
  flag,
  id,
  required,
  table,
  text,
  time,
} from "../../cli/define.ts";
import {
  backfillRate,
  backfillsOf,
  barText,
  rateText,
  standstillOf,
  watchBackfills,
} from "../../inspect/backfills.ts";
import { oneInstallation } from "../../inspect/installation-search.ts";
import { hasEnded } from "../../inspect/operations.ts";
import { numberText } from "../../values/counted.ts";
import { durationText } from "../../values/duration.ts";
import { changeDisplayCopy } from "../../values/odd-fields.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "A backfill reads all records of an object for the first time. Rate and remaining time are calculated from its start, and are hidden if no new record was read for an hour. A bar is shown only if the provider reports the number of records. With --watch, shows the progress on a terminal, waits until all backfills have ended, and prints the final state.",
  args: {
    installation: required(INSTALLATION),
    object: text("name of an object (default: all objects that it reads)"),
  },
  options: { watch: flag("wait until the backfills have ended"), ...SEARCH_OPTIONS },
  needs: ["project"],
  examples: [
    'amp installations progress "Acme Corp"',
    "amp installations progress ins_7f3a contacts --watch",
  ],
  fields: RECORD_FIELDS.backfillProgress,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { api, args, options, project, now } = context;
    const found = await oneInstallation(context, args.installation, "installations progress");
    const look = (api: Api) => backfillsOf({ api, project }, found, args.object);
    if (!options.watch) return withStandstill(await look(api), now());
    const isOver = async (asked: Api, { operationId }: BackfillProgress) =>
      !operationId || hasEnded({ api: asked, project }, operationId);
    return withStandstill(await watchBackfills(look, isOver, context), now());
  },
  view: table<ShownBackfill>(
    ["backfill", "backfills"],
    {
      Object: "objectName",
      Progress: progressCell,
      Records: ({ recordsProcessed }) => numberCell(recordsProcessed),
      Of: ({ recordsEstimatedTotal }) => numberCell(recordsEstimatedTotal),
      Rate: rateCell,
      Left: leftCell,
      Updated: ({ updateTime }) => time(updateTime),
      Operation: ({ operationId }) => id(operationId),
    },
    {
      id: ({ objectName }) => objectName ?? "",
      spare: ["Updated", "Operation", "Of", "Records"],
      whenEmpty: "No read of all records is in progress.",
    },
  ),
});

/** A backfill with the time since its last progress, for views only. */
type ShownBackfill = BackfillProgress & { readonly quietMs?: number };

function withStandstill(backfills: readonly BackfillProgress[], now: Date): ShownBackfill[] {
  return backfills.map((backfill) => {
    const quietMs = standstillOf(backfill, now);
    if (quietMs === undefined) return backfill;
    return changeDisplayCopy<ShownBackfill>(backfill, (one) => ({ ...one, quietMs }));
  });
}

const BAR_CELLS = 20;

function progressCell(backfill: ShownBackfill): Cell {
  const { part } = backfillRate(backfill);
  return part === undefined ? undefined : { text: barText(part, BAR_CELLS), raw: part.toFixed(4) };
}

function numberCell(value: number | null | undefined): Cell {
  return typeof value === "number" ? { text: numberText(value), raw: String(value) } : undefined;
}

/** The rate; a backfill without progress has none. */
function rateCell(backfill: ShownBackfill): Cell {
  const { quietMs } = backfill;
  if (quietMs !== undefined)
    return { text: `no progress for ${durationText(quietMs)}`, raw: "", tone: "bad" };
  const { rate } = backfillRate(backfill);
  return rate === undefined ? undefined : { text: rateText(rate), raw: rate.toFixed(3) };
}

/** The time left; in a pipe, in seconds. */
function leftCell(backfill: ShownBackfill): Cell {
  const { leftMs } = backfillRate(backfill, backfill.quietMs);
  if (leftMs === undefined) return undefined;
  return { text: durationText(leftMs), raw: String(Math.round(leftMs / 1000)) };
}
