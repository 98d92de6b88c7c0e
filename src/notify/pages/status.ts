import { type Column, id, type Tone, toned } from "../../view/view.ts";
import {
  NOT_VERIFIED,
  RESOURCE_STATUSES,
  type ResourceStatus,
  type StatusRow,
} from "../plan/status.ts";

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

/** `1 missing · 2 changed`: what is not in place; undefined where all is. */
export function statusRemark(rows: readonly StatusRow[]): string | undefined {
  const parts = RESOURCE_STATUSES.filter((status) => status !== "in-place").flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${STATUS_WORDS[status][0]}`];
  });
  return parts.length === 0 ? undefined : parts.join(" · ");
}
