import { DESTINATION_TYPE_NAMES } from "../../api/catalogue/destination-types.ts";
import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { defineCommand, flag, record, several, text } from "../../cli/define.ts";
import { appliedIds } from "../../notify/apply.ts";
import { setUp, setupPage } from "../../notify/setup/setup.ts";
import { destinationOptions, engineOptions, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "On a terminal, asks for what is not given: a destination, a topic, event types; shows what " +
    "will be created and creates it once that is agreed. With --yes and all options it asks " +
    "nothing, and run again it changes nothing. If a step fails, the later ones are not tried, " +
    "and what exists is told with its IDs; --resume goes on from there. What each type of destination takes: amp notify destinations create --help.",
  options: {
    destinationName: text("name of a new destination", { placeholder: "name" }),
    destinationType: text("type of a new destination", {
      placeholder: "type",
      suggestions: DESTINATION_TYPE_NAMES,
    }),
    ...destinationOptions,
    destinationId: text("a destination that exists, in place of a new one", { placeholder: "id" }),
    topic: text("name of a new topic", { placeholder: "name" }),
    topicId: text("a topic that exists, in place of a new one", { placeholder: "id" }),
    event: several(
      text("an event type to route", { placeholder: "event", suggestions: EVENT_TYPES }),
    ),
    resume: flag("go on with the setup that was not finished"),
    save: text("write the routing as a file too; --yes replaces one that exists", {
      placeholder: "file",
      complete: "file",
    }),
    commitHorizon: engineOptions.commitHorizon,
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify setup",
    {
      note: "without questions",
      run:
        "amp notify setup --destination-name ops-webhook --destination-type webhook " +
        "--url https://hooks.acme.com/amp --topic customer-lifecycle " +
        "--event installation.created --event installation.deleted --yes --json",
    },
    {
      note: "further events for a topic and a destination that exist",
      run: "amp notify setup --destination-id d_41c7 --topic-id t_09aa --event connection.error --yes",
    },
    { note: "after it was cut off", run: "amp notify setup --resume" },
  ],
  run: (context) => setUp(context, context.options),
  view: record(setupPage, appliedIds),
});
