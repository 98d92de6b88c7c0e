import { nearest } from "../../nearest.ts";
import type { TopicPart } from "../model.ts";
import { knownKeys, listOf, mapOf, textOf } from "./fields.ts";
import { TOPIC_KEYS } from "./keys.ts";
import { eventOddities, nameOddity } from "./oddities.ts";
import { type Problems, quoted } from "./problems.ts";
import type { Entry, Tree } from "./tree.ts";

/** Reads one topic; `names` are the destinations that the file has. */
export function readTopic(
  { key: name, at, value }: Entry,
  names: ReadonlySet<string>,
  problems: Problems,
): TopicPart | undefined {
  const what = `the topic ${quoted(name)}`;
  const example = "{ events: [installation.created], destinations: [ops] }";
  const map = mapOf(value, { what, example }, problems);
  if (map === undefined) return undefined;
  const { id: given, events, destinations } = knownKeys(map, TOPIC_KEYS, problems);
  const id = given && textOf(given.value, { what: "the id", example: "id: 1f0c…" }, problems);
  if (given === undefined) nameOddity("topic", name, at, problems);
  return {
    ...(id === undefined ? {} : { id }),
    events: eventsOf(events?.value, problems),
    destinations: referencesOf(destinations?.value, names, problems),
  };
}

function eventsOf(tree: Tree | undefined, problems: Problems): string[] {
  const example = "[installation.created]";
  return textsOf(tree, { what: "events", one: "an event type", example }, problems).map(
    ({ text, at }) => {
      eventOddities(text, at, problems);
      return text;
    },
  );
}

function referencesOf(
  tree: Tree | undefined,
  names: ReadonlySet<string>,
  problems: Problems,
): string[] {
  const wanted = { what: "destinations", one: "a destination", example: "[ops]" };
  return textsOf(tree, wanted, problems).flatMap(({ text, at }) => {
    if (names.has(text)) return [text];
    problems.add(at, () => noDestination(text, names));
    return [];
  });
}

function noDestination(name: string, names: ReadonlySet<string>): string {
  const near = nearest(name, [...names]);
  const then = near === undefined ? "write it below destinations" : `did you mean ${quoted(near)}?`;
  return `this file has no destination ${quoted(name)}: ${then}`;
}

function textsOf(
  tree: Tree | undefined,
  { what, one, example }: { what: string; one: string; example: string },
  problems: Problems,
): { text: string; at: number }[] {
  if (tree === undefined) return [];
  return listOf(tree, { what, example }, problems).flatMap((item) => {
    const text = textOf(item, { what: one, example }, problems);
    return text === undefined ? [] : [{ text, at: item.at }];
  });
}
