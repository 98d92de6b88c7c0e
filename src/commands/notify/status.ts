import { defineCommand, id, table, text, toned } from "../../cli/define.ts";
import type { Status, StatusRow } from "../../notify/plan/status.ts";
import { statusOf } from "../../notify/status-of.ts";
import { fileOptions, stateOptions } from "./engine-options.ts";

const TONES = {
  "in-place": "good",
  missing: "attention",
  changed: "bad",
  unmanaged: "dim",
  duplicated: "bad",
  unknown: "bad",
} as const satisfies Record<Status, string>;

export default defineCommand({
  description:
    "Without a file: what the state knows, and what the service has beside it. Changes nothing.",
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
  view: table<StatusRow>(
    ["part", "parts"],
    {
      Address: "address",
      Status: ({ status }) => toned(TONES[status], status),
      Origin: "origin",
      Note: "note",
      ID: (row) => (row.ids ? row.ids.join(" ") : id(row.id)),
    },
    { id: (row) => row.id ?? "", whenEmpty: "Neither state nor service has a routing." },
  ),
});
