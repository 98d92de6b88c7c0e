import { deliversTo } from "../model/metadata.ts";
import type { DestinationPart, RoutingModel } from "../model/routing.ts";

/** The routing as the data of a drawing: events flow into a topic, the topic into destinations. */
export interface Diagram {
  readonly topics: readonly {
    readonly name: string;
    readonly note: string;
    readonly events: readonly string[];
    readonly destinations: readonly { readonly name: string; readonly note: string }[];
  }[];
}

/** The picture of a routing; each thing once, new and existing ones told apart. */
export function diagramOf({ destinations, topics }: RoutingModel): Diagram {
  return {
    topics: [...topics].map(([name, topic]) => ({
      name,
      note: topic.id === undefined ? "topic" : "existing topic",
      events: [...new Set(topic.events)],
      destinations: [...new Set(topic.destinations)].map((destination) => ({
        name: destination,
        note: noteOf(destinations.get(destination)),
      })),
    })),
  };
}

function noteOf(part: DestinationPart | undefined): string {
  if (part?.kind !== "new") return ["existing", part?.type ?? "destination"].join(" ");
  const where = deliversTo(part);
  // There is little room beside a name; that it is https goes without saying.
  return [part.type, where?.replace(/^https:\/\//u, "")].filter(Boolean).join(" ");
}
