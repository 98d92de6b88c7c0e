import { addressCell, defineCommand, id, table, time } from "../../cli/define.ts";
import { listForDisplay } from "../../notify/model/operations.ts";
import { type LiveRecord, type NamedKind, RESOURCES } from "../../notify/model/resource.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";

/** The command that lists the resources of a kind. */
export function listCommand(
  kind: NamedKind,
  { examples, next }: { readonly examples: readonly string[]; readonly next: SuggestedCommand },
) {
  const { words, fields, details } = RESOURCES[kind];
  return defineCommand({
    needs: ["project"],
    examples,
    fields,
    run: (context) => listForDisplay(context, kind, {}),
    view: table<LiveRecord>(
      words,
      {
        Name: ({ name }) => name && addressCell(name),
        ...details,
        Created: ({ createTime }) => time(createTime),
        ID: (one) => id(one.id),
      },
      { next, whenEmpty: suggest("notify setup") },
    ),
  });
}
