import { DESTINATION_TYPE_NAMES } from "../../api/catalogue/destination-types.ts";
import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { MISTAKE_WORDS } from "../../api/catalogue/mistakes.ts";
import { defineCommand, file, list, record, text, value } from "../../cli/define.ts";
import { appliedIds, applyExit, resultRows } from "../../notify/pages/apply.ts";
import { setupPage } from "../../notify/setup/result.ts";
import { setUp } from "../../notify/setup/setup.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { allowOf, overwrite } from "../report-options.ts";
import { acceptOf, destinationOptions, readEvent, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "On a terminal, prompts for missing values: a destination, a topic and event types. Then shows the plan, and creates the resources once you agree. With --yes and all options it prompts for nothing; running it again changes nothing, and with other values updates what it created. If a create fails, the later ones are not tried, and the error lists the resources that exist, with their IDs. After an interruption or an unknown outcome, the error and the next setup name the command that continues: the routing is saved beside the state, as private as it, until everything is in place. For the fields of each destination type, run amp notify destinations create --help.",
  options: {
    destinationName: text("name of a new destination; an existing one needs no further options", {
      placeholder: "name",
    }),
    destinationType: text("type of a new destination", {
      placeholder: "type",
      suggestions: DESTINATION_TYPE_NAMES,
    }),
    ...destinationOptions,
    destinationId: text("existing destination, by name or ID, instead of a new one", {
      complete: "destination",
      placeholder: "id",
    }),
    topic: text("name of a new topic", { placeholder: "name" }),
    topicId: text("existing topic, by name or ID, instead of a new one", {
      placeholder: "id",
      complete: "topic",
    }),
    event: list(
      value(
        "event types to route, separated by commas; all, or a pattern such as 'connection.*'",
        "event",
        readEvent,
        { suggestions: ["all", ...EVENT_TYPES] },
      ),
    ),
    save: file("also save the routing to this file"),
    overwrite,
    accept: acceptOf(["recreate", "adopt", "shared"]),
    allow: allowOf(MISTAKE_WORDS),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify setup",
    {
      note: "without questions",
      run: "amp notify setup --destination-name ops-webhook --destination-type webhook --url https://hooks.acme.com/amp --topic customer-lifecycle --event installation.created,installation.deleted --yes --json",
    },
    {
      note: "more event types for an existing topic and destination",
      run: "amp notify setup --destination-id d_41c7 --topic-id t_09aa --event connection.error --yes",
    },
  ],
  fields: RESULT_FIELDS.setupReceipt,
  exits: { check: "applied, but duplicates exist" },
  run: (context) => setUp(context, context.options),
  exit: applyExit,
  view: record(setupPage, appliedIds, resultRows),
});
