import { countText, missingResources } from "../model/resource.ts";
import type { ExistingIds, RoutingModel } from "../model/routing.ts";
import { diagramOf } from "../pages/diagram.ts";

/** What will be created, as a page. */
export type SetupReview = ReturnType<typeof reviewPage>;

/** Lays out what will be created, and what there is already that it joins. */
export function reviewPage(model: RoutingModel, standing: ExistingIds) {
  const counts = countText(missingResources(model, standing));
  const there = standing.size === 0 ? "" : ` · ${standing.size} in place already`;
  return {
    title: counts === "" ? "All of this exists already:" : "This will be created:",
    blocks: [
      { kind: "routing" as const, picture: diagramOf(model) },
      { kind: "text" as const, text: `  ${counts === "" ? "nothing to create" : counts}${there}` },
    ],
  };
}
