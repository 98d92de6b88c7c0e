import {
  defineCommand,
  list,
  phrase,
  record,
  required,
  rowsOfItems,
  table,
  text,
} from "../../cli/define.ts";
import type { PausedObject, PausingResult } from "../../documents/inspect.ts";
import { oneInstallation } from "../../inspect/find-installation.ts";
import { type PausingVerb, pauseOrResume, pausingPage } from "../../inspect/pausing.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { SEARCH_OPTIONS } from "./options.ts";

const ROWS = table<PausedObject>(["object", "objects"], {
  Object: "object",
  Outcome: "outcome",
});

/** The command that pauses or resumes the reading of objects of one installation. */
export function pausingCommand(verb: PausingVerb) {
  const path = `installations ${verb}` as const;
  const isPause = verb === "pause";
  return defineCommand({
    description: `Asks for confirmation, then sends one request that sets disabled to ${isPause} for these objects in the config, and changes nothing else. Objects that are ${isPause ? "already" : "not"} paused are left unchanged and count as success. The full ID or name of the installation is required. If the response is lost, amp checks the config at the service; if that fails too, the outcome is unknown, and you can safely run the command again.`,
    args: {
      installation: required(
        phrase(
          text(
            "full ID of an installation, connection or operation, the name of its owner, or - for standard input",
            { pasted: true, complete: "customer" },
          ),
        ),
      ),
    },
    options: {
      object: list(
        text(`${verb} only this object (default: all objects that it reads)`, {
          placeholder: "name",
        }),
      ),
      note: text("reason, repeated in the output; it is not sent to the service"),
      ...SEARCH_OPTIONS,
    },
    needs: ["project"],
    effect: "write",
    examples: [
      `amp ${path} ins_08139571 --object contacts`,
      `amp ${path} "Cyberdyne Systems" --note "ticket 4711" --yes`,
    ],
    fields: RESULT_FIELDS.pausing,
    exits: {
      conflict: "several installations match",
      partial: "it is unknown whether the request took effect",
    },
    run: async (context) => {
      const { args, options } = context;
      const found = await oneInstallation(context, args.installation, path, { exact: true });
      return pauseOrResume(context, found, verb, options);
    },
    view: record<PausingResult>(
      pausingPage,
      ({ id }) => id,
      ({ objects }) => rowsOfItems(objects, ROWS),
    ),
  });
}
