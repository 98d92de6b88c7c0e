import {
  type Block,
  defineCommand,
  type PageRow,
  record,
  required,
  rows,
  text,
} from "../../../cli/define.ts";
import type { FeedingTopic } from "../../../documents/notify.ts";
import {
  findReferences,
  type ReadsInto,
  readsBlock,
  readsInto,
} from "../../../inspect/references.ts";
import { findResource, listAround, searchFor } from "../../../notify/find-resource.ts";
import { redactMetadata } from "../../../notify/model/metadata.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { resourcePage, topicsInto } from "../../../notify/resource-page.ts";
import { changeCopyAndOriginal } from "../../../values/odd-fields.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";

interface ShownDestination extends LiveRecord {
  readonly topics?: readonly FeedingTopic[];
  readonly reads: ReadsInto;
}

export default defineCommand({
  description:
    "Shows its settings, the topics that are routed to it, and the customers' reads that deliver to it: by integration, with the first installations. This searches all installations of the project.",
  args: { destination: required(text("destination name or ID", { complete: "destination" })) },
  needs: ["project"],
  examples: [
    "amp notify destinations get ops",
    "amp notify destinations get ops --json --fields id,topics,reads.installations",
  ],
  fields: RESULT_FIELDS.shownDestination,
  exits: { conflict: "several destinations match" },
  run: async (context) => {
    const { api, project, args } = context;
    const listed = await listAround({ api, project }, "destination");
    const found = await findResource(
      "destination",
      args.destination,
      listed,
      searchFor("destination"),
      context,
    );
    const name = found.name ?? "";
    const topics = topicsInto(found, listed);
    const reads = readsInto(await findReferences(context, new Set([name])), name);
    return changeCopyAndOriginal<ShownDestination>(
      changeCopyAndOriginal<LiveRecord>(found, redactMetadata) as ShownDestination,
      (shown) => ({ ...shown, ...(topics ? { topics } : {}), reads }),
    );
  },
  view: record<ShownDestination>((destination) =>
    resourcePage("destination", destination, {
      title: destination.name,
      blocks: [topicsBlock(destination.topics), readsBlock(destination.reads)],
    }),
  ),
});

function topicsBlock(topics: readonly FeedingTopic[] | undefined): Block {
  if (topics === undefined) {
    return { kind: "text", text: "The service does not list destination routes.", tone: "dim" };
  }
  if (topics.length === 0) return { kind: "text", text: "No topic is routed to it.", tone: "dim" };
  return rows(
    topics.map(({ id, name, events }): PageRow => {
      const unknown = { text: "its events are not listed", tone: "dim" } as const;
      const none = { text: "no events", tone: "dim" } as const;
      return [name ?? id, events === undefined ? unknown : events.length > 0 ? events : none];
    }),
    "Topics",
  );
}
