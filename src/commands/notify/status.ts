import { defineCommand, table, text } from "../../cli/define.ts";
import { STATUS_COLUMNS, STATUS_TALLY } from "../../notify/pages/status.ts";
import type { StatusRow } from "../../notify/plan/plan.ts";
import { statusOf } from "../../notify/status.ts";
import { fileOptions, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "In place, missing, changed, duplicated, unknown or unmanaged. Without a file: what the state knows, and what the service has beside it. Changes nothing; a secret that is not at hand counts as unchanged.",
  options: {
    file: text("routing file; - for standard input", {
      placeholder: "file",
      complete: "file",
      short: "-f",
    }),
    allowLiteralSecrets: fileOptions.allowLiteralSecrets,
    state: stateOptions.state,
  },
  needs: ["project"],
  examples: ["amp notify status", "amp notify status -f routing.yaml --json"],
  run: (context) => statusOf(context, context.options),
  view: table<StatusRow>(["part", "parts"], STATUS_COLUMNS, {
    tally: STATUS_TALLY,
    id: (row) => row.id ?? "",
    whenEmpty: "Neither state nor service has a routing.",
  }),
});
