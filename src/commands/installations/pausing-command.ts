import {
  defineCommand,
  list,
  record,
  required,
  rowsOfItems,
  table,
  text,
} from "../../cli/define.ts";
import { oneInstallation } from "../../inspect/installation-search.ts";
import {
  type PausedObject,
  type PausingResult,
  type PausingVerb,
  pauseOrResume,
  pausingPage,
} from "../../inspect/pausing.ts";
import { suggest } from "../../values/suggested-command.ts";
import { SEARCH_OPTIONS } from "./options.ts";

const WORDS = {
  pause: {
    description:
      "Asks first, and sends one request: the config then has disabled for each of these objects, and nothing else of it changes.",
    already: "paused",
  },
  resume: {
    description:
      "Asks first, and sends one request: the config then no longer has disabled for any of these objects, and nothing else of it changes.",
    already: "running",
  },
} as const satisfies Record<PausingVerb, object>;

const ROWS = table<PausedObject>(["object", "objects"], {
  Object: "object",
  Outcome: "outcome",
});

/** The command that pauses or resumes the reading of objects of one installation. */
export function pausingCommand(verb: PausingVerb) {
  const path = `installations ${verb}` as const;
  const { description, already } = WORDS[verb];
  return defineCommand({
    description: `${description} What is already ${already} stays so, and is a success. The whole ID or name of the installation must be given. If the answer is lost, amp looks at the service; if that fails, the outcome is unknown, and the command may be run again.`,
    args: {
      installation: required(
        text("whole ID of an installation or connection, or name of its owner"),
      ),
    },
    options: {
      object: list(
        text(`${verb} only this object, default: each that it reads (repeatable)`, {
          placeholder: "name",
        }),
      ),
      note: text("reason, which the output repeats; the service has no place for it"),
      ...SEARCH_OPTIONS,
    },
    needs: ["project"],
    effect: "write",
    examples: [
      `amp ${path} ins_08139571 --object contacts`,
      `amp ${path} "Cyberdyne Systems" --note "ticket 4711" --yes`,
    ],
    fields: ["id", "integrationId", "group", "objects", "note"],
    exits: {
      conflict: "several installations match",
      partial: "it is unknown whether the request took effect",
    },
    run: async (context) => {
      const { args, options } = context;
      const again = (name: string, more?: { readonly integration?: string }) =>
        suggest(path, [name], more);
      const found = await oneInstallation(context, args.installation, again, { exact: true });
      return pauseOrResume(context, found, { verb, objects: options.object, note: options.note });
    },
    view: record<PausingResult>(
      pausingPage,
      ({ id }) => id,
      ({ objects }) => rowsOfItems(objects, ROWS),
    ),
  });
}
