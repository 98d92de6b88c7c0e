import type { RoutingModel, TopicPart } from "../model.ts";

/**
 * The same routing in the one order that everything is told in: order and repetition in a file mean
 * nothing.
 */
export function canonical({ destinations, topics }: RoutingModel): RoutingModel {
  return {
    destinations: new Map([...destinations].sort(byName)),
    topics: new Map(
      [...topics]
        .sort(byName)
        .map(([name, part]): [string, TopicPart] => [
          name,
          { ...part, events: sorted(part.events), destinations: sorted(part.destinations) },
        ]),
    ),
  };
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compare);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compare(a, b);
}

/** By code units: the same on every machine, whatever its language. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
