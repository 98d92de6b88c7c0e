import { defineCommand, id, table } from "../../cli/define.ts";
import type { Settled } from "../../notify/engine/engine.ts";
import { tellEvents } from "../../notify/observe.ts";
import { openSession } from "../../notify/session.ts";
import { engineOptions, stateOptions } from "./engine-options.ts";

const { commitHorizon } = engineOptions;

export default defineCommand({
  description:
    "A run that was killed may have left creates whose outcome nobody knows. This looks for them at the service, and creates nothing; amp notify apply does the same before anything else.",
  options: { commitHorizon, ...stateOptions },
  needs: ["project"],
  examples: ["amp notify resume"],
  run: async (context) => {
    const { talk, surroundings, now } = context;
    const observe = tellEvents({ talk, ci: surroundings.ci, now });
    return openSession(context, context.options, observe).engine.resume();
  },
  view: table<Settled>(
    ["open create", "open creates"],
    { Address: "address", Outcome: "outcome", ID: (one) => id(one.id) },
    { id: (one) => one.id ?? "", whenEmpty: "Every outcome is known." },
  ),
});
