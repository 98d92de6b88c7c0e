import { defineCommand, flag, lines, required, text } from "../../../cli/define.ts";
import { openState } from "../../../notify/state/open-backend.ts";
import { confirm } from "../../../questions/confirm.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Removes the lock of a run that can no longer release it, for example because its machine is gone. The lock of a run that is still running on this machine is kept. On another machine, make sure that it has ended: two runs at the same time can create every resource twice.",
  args: { lock: required(text("ID of the lock, from the error message")) },
  options: {
    ...stateOptions,
    force: flag("remove the lock of a run that is still running on this machine"),
  },
  needs: ["project"],
  takes: ["yes"],
  examples: ["amp notify state unlock 4f1c2a90-8d0e-4f57-9a53-3f0c5d1e7b21"],
  fields: RESULT_FIELDS.unlocked,
  run: async (context) => {
    await confirm(context, {
      message: `Remove the lock ${context.args.lock}? Its run must have ended.`,
      needed: "amp notify state unlock needs confirmation, and this is not an interactive terminal",
      remedy: "Add --yes to confirm.",
      done: "Nothing was sent.",
    });
    const { backend } = await openState(context, context.options, "unlock");
    await backend.unlock(context.args.lock, context.options.force);
    return { lock: context.args.lock };
  },
  view: lines<{ lock: string }>(
    ({ lock }) => `Removed the lock ${lock}`,
    ({ lock }) => lock,
  ),
});
