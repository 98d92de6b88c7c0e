import {
  type Cell,
  defineCommand,
  joined,
  record,
  required,
  rows,
  text,
} from "../../../cli/define.ts";
import type { FedDestination } from "../../../documents/notify.ts";
import { findResource, listAround, searchFor } from "../../../notify/find-resource.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { destinationsOf, eventsInto, resourcePage } from "../../../notify/resource-page.ts";
import { defined } from "../../../values/json.ts";
import { changeCopyAndOriginal } from "../../../values/odd-fields.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";

interface ShownTopic extends LiveRecord {
  readonly events?: readonly string[];
  readonly destinations?: readonly FedDestination[];
}

export default defineCommand({
  description:
    "Shows the event types that are routed to it, and the destinations that it is routed to.",
  args: { topic: required(text("topic name or ID", { complete: "topic" })) },
  needs: ["project"],
  examples: ["amp notify topics get lifecycle", "amp notify topics get lifecycle --json"],
  fields: RESULT_FIELDS.shownTopic,
  exits: { conflict: "several topics match" },
  run: async (context) => {
    const { api, project, args } = context;
    const listed = await listAround({ api, project }, "topic");
    const found = await findResource("topic", args.topic, listed, searchFor("topic"), context);
    const events = eventsInto(found, listed);
    const destinations = destinationsOf(found, listed);
    return changeCopyAndOriginal<ShownTopic>(found, (shown) => ({
      ...shown,
      ...defined({ events, destinations }),
    }));
  },
  view: record<ShownTopic>((topic) =>
    resourcePage("topic", topic, {
      title: topic.name,
      blocks: [
        rows([
          ["Events", listCell(topic.events, "no events")],
          [
            "Destinations",
            listCell(
              topic.destinations?.map(({ id, name, type }) => joined([name ?? id, type]) ?? id),
              "no destinations",
            ),
          ],
        ]),
      ],
    }),
  ),
});

function listCell(texts: readonly string[] | undefined, none: string): Cell | readonly Cell[] {
  if (texts === undefined) return { text: "the service does not list these routes", tone: "dim" };
  return texts.length > 0 ? texts : { text: none, tone: "dim" };
}
