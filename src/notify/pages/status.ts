import { type Column, id, type Tone, toned } from "../../view/view.ts";
import { RESOURCE_STATUSES, type ResourceStatus, type StatusRow } from "../plan/plan.ts";
import { NOT_VERIFIED } from "../plan/status.ts";

/** How each status is told. */
const STATUS_WORDS: Readonly<Record<ResourceStatus, readonly [words: string, tone: Tone]>> = {
  "in-place": ["in place", "good"],
  missing: ["missing", "bad"],
  changed: ["changed", "attention"],
  duplicated: ["duplicated", "bad"],
  unknown: ["unknown", "attention"],
  unmanaged: ["unmanaged", "dim"],
};

/** The columns of a list of statuses. */
export const STATUS_COLUMNS = {
  Status: ({ status }) => toned(STATUS_WORDS[status][1], STATUS_WORDS[status][0]),
  Address: "address",
  ID: (row) => id(row.ids?.join(", ") ?? row.id),
  Note: ({ note, differences = [] }) =>
    differences.length > 0
      ? `${note ? `${note}: ` : ""}${differences.map(({ field }) => field).join(", ")}`
      : // True of every row, and said once above them.
        note === NOT_VERIFIED
        ? undefined
        : note,
} as const satisfies Readonly<Record<string, Column<StatusRow>>>;

/** The counts of the closing line: every status but `in-place`. */
export const STATUS_TALLY: Readonly<Record<string, (row: StatusRow) => boolean>> =
  Object.fromEntries(
    RESOURCE_STATUSES.filter((status) => status !== "in-place").map((status) => [
      STATUS_WORDS[status][0],
      (row) => row.status === status,
    ]),
  );
