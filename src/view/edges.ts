import { type RoutingPicture, rowsOfItems, table, type ViewRows } from "./view.ts";

/** The edges of a picture, each from one name to the next. */
export function routingEdges({ topics }: RoutingPicture): (readonly [from: string, to: string])[] {
  return topics.flatMap(({ name, events, destinations }) => [
    ...events.map((event) => [event, name] as const),
    ...destinations.map((destination) => [name, destination.name] as const),
  ]);
}

/** The edges of a picture as the rows of a result. */
export function edgeRows(picture: RoutingPicture): ViewRows {
  return rowsOfItems(
    routingEdges(picture),
    table<readonly [from: string, to: string]>(["edge", "edges"], {
      From: ([from]) => from,
      To: ([, to]) => to,
    }),
  );
}
