import type { SuggestedCommand } from "../../values/suggested-command.ts";

/** A record as a service answers a create. All but the id may be missing. */
interface CreatedFields {
  readonly id: string;
  readonly createTime?: string | null | undefined;
}

/** What was created, laid out, with the command that one wants next. */
export function createdPage(
  what: string,
  record: CreatedFields,
  details: Readonly<{ [label: string]: string | null | undefined }>,
  next: SuggestedCommand,
) {
  const { id, createTime } = record;
  return {
    title: `Created the ${what}`,
    blocks: [
      {
        kind: "rows" as const,
        rows: [
          ["ID", { text: id, kind: "id" as const }] as const,
          ...Object.entries(details).map(([label, value]) => [label, value] as const),
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
