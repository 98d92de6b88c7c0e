import { EVENT_TYPES, EVENTS, type EventType } from "../../api/catalogue/events.ts";
import { defineCommand, sentence, table } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Lists the event types that this version of amp knows; needs no login or network access. A service may have others: they are sent unchanged.",
  examples: ["amp notify events", "amp notify events --json", "amp notify events --output id"],
  fields: RESULT_FIELDS.eventType,
  run: () => EVENT_TYPES.map((name) => ({ name, ...EVENTS[name] })),
  view: table<{ readonly name: string } & EventType>(
    ["event type", "event types"],
    { Event: "name", "Fires when": ({ fires }) => sentence(fires) },
    { id: ({ name }) => name, next: suggest("notify setup") },
  ),
});
