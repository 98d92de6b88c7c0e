import { defineCommand, lines, required, text } from "../../cli/define.ts";
import { openState } from "../../notify/state/open-backend.ts";
import { stateOptions } from "./options.ts";

const { state } = stateOptions;

export default defineCommand({
  description:
    "Removes the lock of a run that cannot remove it any more, on a machine that is gone. Make sure that it is: two runs at once can create twice.",
  args: { lock: required(text("the lock's ID, as the refusal named it")) },
  options: { state },
  needs: ["project"],
  confirm: ({ args }) => `Remove the lock ${args.lock}? Whoever holds it must not be running.`,
  examples: ["amp notify unlock 4f1c2a90-8d0e-4f57-9a53-3f0c5d1e7b21"],
  run: async (context) => {
    await openState(context, context.options).backend.unlock(context.args.lock);
    return { lock: context.args.lock };
  },
  view: lines<{ lock: string }>(
    ({ lock }) => `The lock ${lock} is removed`,
    ({ lock }) => lock,
  ),
});
