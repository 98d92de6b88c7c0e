import { defineCommand, id, table } from "../../cli/define.ts";
import { type OutcomeDocument, outcomeDocument, outcomeText } from "../../notify/engine/receipt.ts";
import { reportEvents } from "../../notify/progress.ts";
import { openEngine } from "../../notify/session.ts";
import { openState } from "../../notify/state/open-backend.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "A run that was killed may have left creates whose outcome is unknown. This command looks for them at the service and creates nothing; amp notify apply does the same first.",
  options: stateOptions,
  needs: ["project"],
  // A script may type it at every command that changes something.
  takes: ["yes"],
  examples: ["amp notify resume"],
  fields: ["address", "kind", "outcome", "earlier", "id", "requestId", "ms", "sent"],
  run: async (context) => {
    const state = await openState(context, context.options);
    const engine = openEngine(state, context, context.options, reportEvents(context));
    return (await engine.resume()).map(outcomeDocument);
  },
  view: table<OutcomeDocument>(
    ["open create", "open creates"],
    { Address: "address", Outcome: outcomeText, ID: (one) => id(one.id) },
    { id: (one) => one.id ?? "", whenEmpty: "No outcome is unknown." },
  ),
});
