import { defineCommand, record } from "../../cli/define.ts";
import { type ValidatedFile, validateRoutingFile } from "../../notify/checks/check.ts";
import { fileOptions } from "./options.ts";

export default defineCommand({
  description:
    "Checks a routing file, and its own rules (require, forbid), without a login or network access, for example for a pull request. Its secrets need not be set; amp only checks that the file is allowed to read them.",
  options: fileOptions,
  examples: [
    "amp notify validate -f routing.yaml",
    { note: "in CI, with errors as JSON", run: "amp notify validate -f routing.yaml --json" },
  ],
  fields: ["file", "project", "destinations", "topics", "warnings", "unavailableSecrets"],
  run: (context) => validateRoutingFile(context, context.options),
  view: record<ValidatedFile>(
    ({ file, project, destinations, topics, unavailableSecrets }) => ({
      title: `${file} is valid`,
      blocks: [
        {
          kind: "rows",
          rows: [
            ["Project", project],
            ["Destinations", destinations],
            ["Topics", topics],
            ["Secrets not available here", unavailableSecrets],
          ],
        },
      ],
    }),
    ({ file }) => file,
  ),
});
