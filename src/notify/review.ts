import type { RoutingModel, Standing } from "./model.ts";
import { pictureOf } from "./picture.ts";
import { countsOf, stepsOf } from "./steps.ts";

/** What will be created, as a page. */
export type ReviewPage = ReturnType<typeof reviewPage>;

/** Lays out what will be created, and what there is already that it joins. */
export function reviewPage(model: RoutingModel, standing: Standing) {
  const counts = countsOf(stepsOf(model, standing));
  const there = standing.size === 0 ? "" : ` · ${standing.size} in place already`;
  return {
    title: counts === "" ? "All of this exists already:" : "This will be created:",
    blocks: [
      { kind: "routing" as const, picture: pictureOf(model) },
      { kind: "text" as const, text: `  ${counts === "" ? "nothing to create" : counts}${there}` },
    ],
  };
}
