import { defineCommand, needing, record, required, text } from "../../../cli/define.ts";
import { readDestinationContent } from "../../../notify/model/destination-input.ts";
import { hasContent } from "../../../notify/model/secrets.ts";
import { appliedIds, applyExit, applyPage, resultRows } from "../../../notify/pages/apply.ts";
import { updateNamed } from "../../../notify/update.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { commandErrors } from "../../errors.ts";
import { acceptOf, destinationOptions, stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Shows old and new values, asks for confirmation, and sends only the fields that you set; secrets are never shown. A new name is refused while customers' reads use the old one.",
  args: { destination: required(text("destination name or ID", { complete: "destination" })) },
  options: {
    name: text("new name: letters, digits and dashes", { placeholder: "name" }),
    ...destinationOptions,
    accept: needing("name", acceptOf(["references"])),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify destinations update ops --url https://hooks.acme.com/amp/v2",
    "amp notify destinations update ops --name ops-webhook --yes",
  ],
  fields: RESULT_FIELDS.receipt,
  exits: { conflict: "in use, the name is taken, or another run holds the lock" },
  run: async (context) => {
    const { args, options, files } = context;
    const content = await readDestinationContent("", options, files);
    if (options.name === undefined && !hasContent(content)) throw commandErrors.update_empty();
    const { metadata, secrets } = content;
    const changes = { name: options.name, metadata, secrets };
    return updateNamed(context, "destination", args.destination, changes, options);
  },
  exit: applyExit,
  view: record(applyPage, appliedIds, resultRows),
});
