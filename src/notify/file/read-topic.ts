import { nearest } from "../../values/nearest.ts";
import type { TopicPart } from "../model/routing.ts";
import { knownKeys, listOf, mapOf, TOPIC_KEYS, textOf } from "./fields.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { warnOfEvent, warnOfName } from "./warnings.ts";
import type { YamlEntry, YamlTree } from "./yaml-tree.ts";

/** Reads one topic; `names` are the destinations that the file has. */
export function readTopic(
  { key: name, at, value }: YamlEntry,
  names: ReadonlySet<string>,
  problems: FileIssues,
): TopicPart | undefined {
  const what = `the topic ${quoted(name)}`;
  const example = "{ events: [installation.created], destinations: [ops] }";
  const map = mapOf(value, { what, example }, problems);
  if (map === undefined) return undefined;
  const { id: given, events, destinations } = knownKeys(map, TOPIC_KEYS, problems);
  const id = given && textOf(given.value, { what: "the id", example: "id: 1f0c…" }, problems);
  if (given === undefined) warnOfName("topic", name, at, problems);
  return {
    ...(id === undefined ? {} : { id }),
    events: eventsOf(events?.value, problems),
    destinations: referencesOf(destinations?.value, names, problems),
  };
}

function eventsOf(tree: YamlTree | undefined, problems: FileIssues): string[] {
  const example = "[installation.created]";
  return textsOf(tree, { what: "events", one: "an event type", example }, problems).map(
    ({ text, at }) => {
      warnOfEvent(text, at, problems);
      return text;
    },
  );
}

function referencesOf(
  tree: YamlTree | undefined,
  names: ReadonlySet<string>,
  problems: FileIssues,
): string[] {
  const wanted = { what: "destinations", one: "a destination", example: "[ops]" };
  return textsOf(tree, wanted, problems).flatMap(({ text, at }) => {
    if (names.has(text)) return [text];
    problems.error(at, () => noDestination(text, names));
    return [];
  });
}

function noDestination(name: string, names: ReadonlySet<string>): string {
  const near = nearest(name, [...names]);
  const then = near === undefined ? "write it below destinations" : `did you mean ${quoted(near)}?`;
  return `this file has no destination ${quoted(name)}: ${then}`;
}

function textsOf(
  tree: YamlTree | undefined,
  { what, one, example }: { what: string; one: string; example: string },
  problems: FileIssues,
): { text: string; at: number }[] {
  if (tree === undefined) return [];
  return listOf(tree, { what, example }, problems).flatMap((item) => {
    const text = textOf(item, { what: one, example }, problems);
    return text === undefined ? [] : [{ text, at: item.at }];
  });
}
