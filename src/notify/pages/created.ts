import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { type LiveRecord, RESOURCES, type ResourceKind, shownKey } from "../model/resource.ts";

/** The page of a created record, with the command that usually follows. */
export function createdPage(kind: ResourceKind, record: LiveRecord, next: SuggestedCommand) {
  const { words, details = {} } = RESOURCES[kind];
  const { id, createTime } = record;
  return {
    title: `Created the ${words[0]}`,
    blocks: [
      {
        kind: "rows" as const,
        rows: [
          ["ID", { text: id, kind: "id" as const }] as const,
          ...shownKey(kind).map(({ label, textOf }) => [label, textOf(record)] as const),
          ...Object.entries(details).map(([label, textOf]) => [label, textOf(record)] as const),
          [
            "Created",
            createTime ? { text: createTime, kind: "time" as const } : undefined,
          ] as const,
        ],
      },
      { kind: "command" as const, heading: "Next", lines: [next] },
    ],
  };
}
