import { defineCommand, flag, table } from "../../cli/define.ts";
import type { StatusRow } from "../../notify/plan/plan.ts";
import {
  STATUS_COLUMNS,
  STATUS_TALLY,
  statusExit,
  statusNext,
  statusOf,
  statusReason,
} from "../../notify/status.ts";
import { routingFile, secretOptionsOfFile, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Each resource is in place, missing, changed, duplicated, unknown or unmanaged. Without a file, the state is compared with the service; with --exit-code it must exist. It changes nothing. A secret whose variable is not set counts as unchanged. Exits with code 8 if there are duplicates, or 9 if a resource is missing too.",
  options: {
    file: routingFile,
    ...secretOptionsOfFile,
    exitCode: flag("exit with code 8 if a resource is missing, changed or of unknown outcome"),
    ...stateOptions,
  },
  needs: ["project"],
  examples: ["amp notify status", "amp notify status -f routing.yaml --exit-code --json"],
  fields: ["address", "kind", "status", "id", "ids", "origin", "differences", "note"],
  exits: { check: "duplicates exist, or resources drifted (with --exit-code)" },
  run: (context) => statusOf(context, context.options),
  exit: statusExit,
  reason: statusReason,
  next: statusNext,
  view: table<StatusRow>(["resource", "resources"], STATUS_COLUMNS, {
    tally: STATUS_TALLY,
    id: (row) => row.id ?? "",
    spare: ["ID"],
    whenEmpty: "Neither the state nor the service has any routing.",
  }),
});
