import type { RoutingPicture } from "../cli/view.ts";
import type { Look } from "./paint.ts";
import { drawTopic, pictureWidth, routingColumns } from "./routing-picture.ts";
import { drawTree } from "./routing-tree.ts";
import { display } from "./text.ts";

type Topic = RoutingPicture["topics"][number];

/**
 * Events on the left flow into a topic, the topic into destinations on the right. Where the names do
 * not fit beside each other, an indented tree says the same.
 */
export function renderRouting(picture: RoutingPicture, look: Look): string[] {
  const topics = picture.topics.map(displayed);
  const columns = routingColumns(topics);
  const draw = pictureWidth(columns) <= look.width ? drawTopic : drawTree;
  return topics.flatMap((topic, index) => [
    ...(index > 0 ? [""] : []),
    ...draw(topic, look, columns),
  ]);
}

/** The arrows of the picture, from one name to the next. */
export function routingEdges({ topics }: RoutingPicture): (readonly [from: string, to: string])[] {
  return topics.flatMap(({ name, events, destinations }) => [
    ...events.map((event) => [event, name] as const),
    ...destinations.map((destination) => [name, destination.name] as const),
  ]);
}

function displayed({ name, note, events, destinations }: Topic): Topic {
  const shown = (text: string) => display(text, { inCell: true });
  const noted = (text: string | undefined) => (text ? { note: shown(text) } : {});
  return {
    name: shown(name),
    ...noted(note),
    events: events.map(shown),
    destinations: destinations.map((to) => ({ name: shown(to.name), ...noted(to.note) })),
  };
}
