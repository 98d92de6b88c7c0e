import { defineCommand, flag, inputFile, lines, required } from "../../../cli/define.ts";
import { editState } from "../../../notify/edit-state.ts";
import { stateToPush } from "../../../notify/state/edit.ts";
import { parseState } from "../../../notify/state/format.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Saves a state that was pulled, for example to move it to another location. An older state, or one with another lineage, is refused.",
  args: { file: required(inputFile("state file; - for standard input")) },
  options: {
    force: flag("replace the saved state even if it is newer or has another lineage"),
    ...stateOptions,
  },
  needs: ["project"],
  // A script may type it at every command that changes something.
  takes: ["yes"],
  examples: ["amp notify state push state.json --state gitlab"],
  fields: RESULT_FIELDS.pushed,
  run: async (context) => {
    const { file } = context.args;
    const pushed = parseState(await context.files.read(file), file);
    const { serial, lineage } = await editState(context, context.options, (saved, _now, here) =>
      stateToPush(saved.serial === 0 ? undefined : saved, pushed, {
        target: here,
        force: context.options.force,
      }),
    );
    return { lineage, serial };
  },
  view: lines<{ lineage: string; serial: number }>(
    ({ serial }) => `Saved with serial ${serial}`,
    ({ lineage }) => lineage,
  ),
});
