import type { OperationRecord } from "../../api/schemas/operation.ts";
import {
  type Cell,
  defineCommand,
  flag,
  id,
  phrase,
  required,
  table,
  text,
} from "../../cli/define.ts";
import { oneInstallation } from "../../inspect/find-installation.ts";
import { stateCell } from "../../inspect/installations.ts";
import { operationsOf, sinceTime } from "../../inspect/operations.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "Lists the newest first, as they arrive. To see why an operation failed, show its log with amp installations logs. Some services do not provide operations.",
  args: { installation: required(phrase(INSTALLATION)) },
  options: {
    failed: flag("show only failed operations"),
    since: text(
      "show only operations since this time, such as 2h, 9am, last monday or 21 Nov (amp help times)",
      {
        placeholder: "time",
      },
    ),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  examples: [
    'amp installations operations "Acme Corp" --failed --since 7d',
    "amp installations operations ins_7f3a --json --fields createTime,status,result",
  ],
  fields: RESULT_FIELDS.operation,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { api, project, args, options } = context;
    const since = sinceTime(options.since, context);
    const found = await oneInstallation(context, args.installation, "installations operations");
    return operationsOf(api, project, found, { failed: options.failed, since });
  },
  view: table<OperationRecord>(
    ["operation", "operations"],
    {
      Started: startedCell,
      Action: "actionType",
      Status: ({ status }) => stateCell(status),
      Objects: ({ metadata }) => metadata?.objects?.join(", "),
      ID: (operation) => id(operation.id),
      Result: resultCell,
    },
    {
      next: suggest("installations logs", [{ placeholder: "id" }]),
      tally: { failed: ({ status }) => status === "failure" },
    },
  ),
});

/** The start by the clock, as in logs: of runs hours apart, "1d ago" says nothing. */
function startedCell({ createTime }: OperationRecord): Cell {
  if (!createTime) return undefined;
  const [, text] = /^\d{4}-(\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?Z$/u.exec(createTime) ?? [];
  return { text: text === undefined ? createTime : `${text.replace("T", " ")}Z`, raw: createTime };
}

/** The result; on a terminal without the object, which has a column. A failure is not cut. */
function resultCell({ result, status, metadata }: OperationRecord): Cell {
  if (!result) return undefined;
  const [only, ...others] = metadata?.objects ?? [];
  const prefix = `[${only}] `;
  const isNamed = only !== undefined && others.length === 0 && result.startsWith(prefix);
  const text = isNamed ? result.slice(prefix.length) : result;
  return { text, raw: result, ...(status === "failure" && { wraps: true }) };
}
