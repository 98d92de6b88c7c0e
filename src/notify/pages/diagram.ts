import type { Block, Page, RoutingPicture } from "../../view/view.ts";
import { deliversTo } from "../model/metadata.ts";
import type { DestinationPart, RoutingModel } from "../model/routing.ts";
import { NO_CHOICES } from "../plan/blockers.ts";
import type { Plan } from "../plan/plan.ts";
import { planPage } from "./plan.ts";

/** The plan of one small routing, with the routing drawn above it. */
export function drawnPlanPage(plan: Plan, model: RoutingModel): Page {
  const page = planPage(plan, NO_CHOICES);
  const diagram: Block = { kind: "routing", picture: diagramOf(model) };
  return { ...page, blocks: [diagram, ...page.blocks] };
}

/** The routing as a diagram: each part once, with new and existing ones marked differently. */
function diagramOf({ destinations, topics }: RoutingModel): RoutingPicture {
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
  const target = deliversTo(part);
  // The space beside a name is short, and every webhook URL begins with https://.
  return [part.type, target?.replace(/^https:\/\//u, "")].filter(Boolean).join(" ");
}
