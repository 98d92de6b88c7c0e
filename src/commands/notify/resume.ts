import { defineCommand, id, table } from "../../cli/define.ts";
import type { Settled } from "../../notify/engine/engine.ts";
import { tellEvents } from "../../notify/observe.ts";
import { openSession } from "../../notify/session.ts";
import { engineOptions, stateOptions } from "./engine-options.ts";

const { commitHorizon } = engineOptions;

export default defineCommand({
  description:
    "Settles what an earlier run left open, by looking at the service; creates nothing new. amp notify apply does the same before anything else.",
  options: { commitHorizon, ...stateOptions },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: ["amp notify resume"],
  run: async (context) => {
    const { talk, surroundings, now } = context;
    const observe = tellEvents({ talk, ci: surroundings.ci, now });
    return openSession(context, context.options, observe).engine.resume();
  },
  view: table<Settled>(
    ["open create", "open creates"],
    { Address: "address", Outcome: "outcome", ID: (one) => id(one.id) },
    { id: (one) => one.id ?? "", whenEmpty: "Nothing was left open." },
  ),
});
