import { isJsonObject } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { registerMetadataSecrets } from "../model/metadata.ts";
import type { DestinationPart, RoutingModel } from "../model/routing.ts";
import { canonicalRouting } from "../model/routing.ts";
import type { Secrets } from "../model/secrets.ts";
import { collectIssues, type FileIssues, quoted } from "./issues.ts";
import type { RoutingFile } from "./schema.ts";
import { readFileSecrets, type SecretSources } from "./secret-value.ts";
import { warnOfRouting } from "./warnings.ts";
import { checkCharacters, decodedText, parseYaml } from "./yaml-text.ts";
import {
  entriesBelow,
  entryOf,
  offsetOf,
  plainData,
  type YamlTree,
  yamlTree,
} from "./yaml-tree.ts";

/** The content of a routing file. */
export interface ReadRouting {
  /** The model in canonical order. */
  readonly model: RoutingModel;
  /** The name or ID of the project that the file belongs to, if it has one. */
  readonly project?: string;
  /** The warnings with path, line and column. */
  readonly warnings: readonly string[];
}

/**
 * Reads a routing file, YAML or JSON, and the secrets that it refers to, so that nothing is missing
 * once the first request is sent.
 * @param path for messages; `file:` is relative to its folder
 * @throws {UsageError} with line and column of up to ten errors; never with a secret in it
 */
export async function readRoutingFile(
  text: string,
  path: string,
  sources: Omit<SecretSources, "path">,
): Promise<ReadRouting> {
  const source = decodedText(text, path);
  const issues = collectIssues(source, path);
  checkCharacters(source, issues);
  issues.check();
  const yaml = await import("yaml");
  const document = parseYaml(yaml, source, issues);
  const tree = document === undefined ? undefined : yamlTree(yaml, document, issues);
  if (tree === undefined) return issues.fail();
  registerSecrets(tree);
  // zod is loaded with this module.
  const { checkForm } = await import("./check-form.ts");
  const { file, issues: found } = checkForm(plainData(tree, isTyped));
  for (const { path: at, isKey, message } of found)
    issues.error(offsetOf(tree, at, isKey), message);
  checkNumbers(tree, issues);
  checkReferences(tree, issues);
  checkIds(tree, issues);
  const secrets = await readFileSecrets(tree, { ...sources, path }, issues);
  issues.check();
  if (file === undefined) return issues.fail();
  const model = modelOf(file, secrets);
  warnOfRouting(model, tree, issues);
  return {
    model: canonicalRouting(model),
    ...(file.project === undefined ? {} : { project: file.project }),
    warnings: issues.warnings(),
  };
}

/** Whether YAML decides the type of a value: all other values of the file are text. */
function isTyped([first, , third]: readonly string[]): boolean {
  return first === "version" || (first === "destinations" && third === "metadata");
}

function modelOf(file: RoutingFile, secrets: ReadonlyMap<string, Secrets>): RoutingModel {
  const destinations = Object.entries(file.destinations ?? {}).map(
    ([name, part]): [string, DestinationPart] => {
      if ("id" in part) return [name, { kind: "existing", id: part.id }];
      const { type, metadata } = part;
      return [
        name,
        { kind: "new", type, metadata: metadata ?? {}, secrets: secrets.get(name) ?? {} },
      ];
    },
  );
  const topics = Object.entries(file.topics ?? {}).map(([name, part]) => {
    const { id, events, destinations } = part ?? {};
    const ids = id === undefined ? {} : { id };
    return [name, { ...ids, events: events ?? [], destinations: destinations ?? [] }] as const;
  });
  return { destinations: new Map(destinations), topics: new Map(topics) };
}

/** Registers secrets in the metadata, so that no message or error shows them. */
function registerSecrets(tree: YamlTree): void {
  for (const { value } of entriesBelow(tree, "destinations")) {
    const metadata = entryOf(value, "metadata");
    const data = metadata && plainData(metadata.value, () => true);
    if (isJsonObject(data)) registerMetadataSecrets(textAt(value, "type") ?? "", data);
  }
}

/** Refuses numbers that JSON cannot hold: infinity, and those that would lose their last digits. */
function checkNumbers(tree: YamlTree, issues: FileIssues): void {
  const check = (part: YamlTree): void => {
    if (part.kind === "mapping") for (const { value } of part.entries.values()) check(value);
    else if (part.kind === "list") part.items.forEach(check);
    else if (typeof part.value === "number" && !isExact(part.value)) {
      issues.error(part.at, "the number cannot be sent exactly: put it in quotes");
    }
  };
  for (const { value } of entriesBelow(tree, "destinations")) {
    const metadata = entryOf(value, "metadata");
    if (metadata !== undefined) check(metadata.value);
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Checks that the destinations of a topic are in the same file. */
function checkReferences(tree: YamlTree, issues: FileIssues): void {
  const names = new Set(entriesBelow(tree, "destinations").map(({ key }) => key));
  for (const { key: topic, value } of entriesBelow(tree, "topics")) {
    const list = entryOf(value, "destinations")?.value;
    for (const item of list?.kind === "list" ? list.items : []) {
      if (item.kind !== "scalar" || item.value === null || item.text.trim() === "") continue;
      if (names.has(item.text)) continue;
      // Comparing with all names is slow, and only the first messages are shown.
      issues.error(item.at, () => {
        const near = nearest(item.text, [...names]);
        const hint =
          near === undefined ? "add it below destinations" : `did you mean ${quoted(near)}?`;
        return `topic ${quoted(topic)}: no destination ${quoted(item.text)} in this file: ${hint}`;
      });
    }
  }
}

/** Refuses two names for one resource: its routes would be created twice. */
function checkIds(tree: YamlTree, issues: FileIssues): void {
  for (const [group, noun] of [
    ["destinations", "destination"],
    ["topics", "topic"],
  ] as const) {
    const names = new Map<string, string>();
    for (const { key, at, value } of entriesBelow(tree, group)) {
      const id = textAt(value, "id");
      if (id === undefined) continue;
      const before = names.get(id);
      if (before !== undefined) {
        issues.error(at, `${noun} ${quoted(key)} has the same id as ${quoted(before)}: keep one`);
      }
      names.set(id, key);
    }
  }
}

function textAt(tree: YamlTree, key: string): string | undefined {
  const value = entryOf(tree, key)?.value;
  return value?.kind === "scalar" && value.value !== null ? value.text : undefined;
}
