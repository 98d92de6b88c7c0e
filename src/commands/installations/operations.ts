import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { OperationRecord } from "../../api/schemas/operation.ts";
import { defineCommand, flag, id, required, table, text, time } from "../../cli/define.ts";
import { stateCell } from "../../inspect/cells.ts";
import { oneInstallation } from "../../inspect/installation-search.ts";
import { operationsOf, sinceTime } from "../../inspect/operations.ts";
import { suggest } from "../../values/suggested-command.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "Newest first, and written as they arrive. A service that shows no operations is named as such. The log of one says why it failed.",
  args: { installation: required(INSTALLATION) },
  options: {
    failed: flag("show only failed operations"),
    since: text("show only operations since this time, such as 2h, 7d or 2026-09-01", {
      placeholder: "time",
    }),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  examples: [
    'amp installations operations "Acme Corp" --failed --since 7d',
    "amp installations operations ins_7f3a --json --fields createTime,status,result",
  ],
  fields: RECORD_FIELDS.operation,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { api, project, args, options, now } = context;
    const since = sinceTime(options.since, now());
    const found = await oneInstallation(context, args.installation, (name, more) =>
      suggest("installations operations", [name], more),
    );
    return operationsOf(api, project, found, { failed: options.failed, since });
  },
  view: table<OperationRecord>(
    ["operation", "operations"],
    {
      Started: ({ createTime }) => time(createTime),
      Action: "actionType",
      Status: ({ status }) => stateCell(status),
      Objects: ({ metadata }) => metadata?.objects?.join(", "),
      ID: (operation) => id(operation.id),
      Result: "result",
    },
    {
      spare: ["Action", "Objects"],
      next: suggest("installations logs", [{ placeholder: "id" }]),
      tally: { failed: ({ status }) => status === "failure" },
    },
  ),
});
