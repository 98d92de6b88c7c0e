import type * as z from "zod/mini";
import { destinationType } from "../../api/catalogue/destination-types.ts";
import { isJsonObject } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { eventProblem } from "../model/names.ts";
import { NAMED_GROUPS, NAMED_KINDS, type NamedKind } from "../model/resource.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { FILE_KEYS, type RoutingFile, routingFileSchema } from "./schema.ts";
import {
  entriesBelow,
  entryOf,
  textAt,
  textsAt,
  type YamlScalar,
  type YamlTree,
} from "./yaml-tree.ts";

type Path = readonly PropertyKey[];

interface FormIssue {
  /** The keys and list positions that lead to the part. */
  readonly path: Path;
  /** Whether the key is wrong, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

/** Checks the plain data of a file against the schema. */
export function checkForm(value: unknown): {
  readonly file?: RoutingFile;
  readonly issues: readonly FormIssue[];
} {
  const checked = routingFileSchema.safeParse(value);
  if (checked.success) return { file: checked.data, issues: [] };
  return { issues: checked.error.issues.flatMap((issue) => formIssues(issue, value)) };
}

function formIssues(issue: z.core.$ZodIssue, value: unknown): FormIssue[] {
  const { path, code } = issue;
  if (code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = [...path, key];
      const message = within(at, unknownKey(key, path, valueAt(value, path)));
      return { path: at, isKey: true, message };
    });
  }
  if (code === "invalid_union" && path[0] === "destinations") {
    const branch = meantBranch(issue, valueAt(value, path));
    if (branch !== undefined) return branch.flatMap((each) => formIssues(each, value));
  }
  const isKey = code === "invalid_key";
  return [{ path, isKey, message: isKey ? issue.message : within(path, issue.message) }];
}

/** The issues of a destination as the variant, new or existing, that it was meant to be. */
function meantBranch(
  { path, errors }: z.core.$ZodIssueInvalidUnion,
  value: unknown,
): z.core.$ZodIssue[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const [existing = [], created = []] = errors;
  const meant = Object.hasOwn(value, "id") ? existing : created;
  const hasUnknownKey = meant.some(({ code }) => code === "unrecognized_keys");
  return (
    meant
      // The unknown key may be the missing one, misspelt.
      .filter((issue) => !hasUnknownKey || valueAt(value, issue.path) !== undefined)
      .map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
  );
}

function unknownKey(key: string, path: Path, value: unknown): string {
  const isDestination = path[0] === "destinations";
  if (isDestination && isJsonObject(value)) {
    if (FILE_KEYS.destination.includes(key)) {
      return `${key} cannot be combined with id, which selects an existing destination: remove one`;
    }
    const type = destinationType(String(value.type));
    const part = (["metadata", "secrets"] as const).find((fields) =>
      type?.[fields].some(({ name }) => name === key),
    );
    if (part !== undefined) return `unknown key ${quoted(key)}: move it below ${part}`;
  }
  const keys = FILE_KEYS[path[0] === "forbid" ? "forbid" : (kindBelow(path[0]) ?? "file")];
  const near = nearest(key, keys);
  const hint = near === undefined ? `use ${keys.join(", ")}` : `did you mean ${near}?`;
  return `unknown key ${quoted(key)}: ${hint}`;
}

/** The message, with the name of its destination or topic, or of the list that it is in. */
function within([group, name, ...rest]: Path, message: string): string {
  if (name === undefined) return message;
  if (kindBelow(group) === undefined) return `${String(group)}: ${message}`;
  const part = `${kindBelow(group)} ${quoted(String(name))}`;
  return `${part}${rest.length === 0 ? "" : ":"} ${message}`;
}

/** The kind of resource that a part of the file names. */
function kindBelow(group: PropertyKey | undefined): NamedKind | undefined {
  return NAMED_KINDS.find((kind) => NAMED_GROUPS[kind] === group);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

/** Reports what the form of a file does not show. */
export function checkTree(tree: YamlTree, issues: FileIssues): void {
  checkNumbers(tree, issues);
  checkEvents(tree, issues);
  checkReferences(tree, issues);
  checkIds(tree, issues);
  checkRenames(tree, issues);
}

/** Refuses numbers that JSON cannot hold: infinity, and those that would lose their last digits. */
function checkNumbers(tree: YamlTree, issues: FileIssues): void {
  const check = (part: YamlTree): void => {
    if (part.kind === "mapping") for (const { value } of part.entries.values()) check(value);
    else if (part.kind === "list") part.items.forEach(check);
    else if (
      typeof part.value === "number" &&
      (!Number.isFinite(part.value) ||
        (Number.isInteger(part.value) && !Number.isSafeInteger(part.value)))
    ) {
      issues.error(part.at, "the number cannot be sent exactly: put it in quotes");
    }
  };
  for (const { value } of entriesBelow(tree, "destinations")) {
    const metadata = entryOf(value, "metadata");
    if (metadata !== undefined) check(metadata.value);
  }
}

/** Refuses texts that are neither an event type nor a pattern of known ones. */
function checkEvents(tree: YamlTree, issues: FileIssues): void {
  const check = (where: string, items: readonly YamlScalar[]) => {
    for (const { at, text } of items) {
      const problem = eventProblem(text);
      if (problem !== undefined) issues.error(at, `${where}: ${quoted(text)} ${problem}`);
    }
  };
  for (const { key, value } of entriesBelow(tree, "topics")) {
    check(`topic ${quoted(key)}`, textsAt(value, "events"));
  }
  check("require", textsAt(tree, "require"));
}

function checkReferences(tree: YamlTree, issues: FileIssues): void {
  if (!hasDestinations(tree)) return;
  const names = new Set(entriesBelow(tree, "destinations").map(({ key }) => key));
  for (const { key: topic, value } of entriesBelow(tree, "topics")) {
    for (const item of textsAt(value, "destinations")) {
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

/**
 * Whether the destinations can be read, or there are none: where they have another form or a
 * misspelt key, that is the error, and not each reference to them.
 */
function hasDestinations(tree: YamlTree): boolean {
  const part = entryOf(tree, "destinations")?.value;
  if (part?.kind === "scalar") return part.value === null;
  if (part !== undefined) return part.kind === "mapping";
  const keys = tree.kind === "mapping" ? [...tree.entries.keys()] : [];
  return !keys.some(
    (key) => !FILE_KEYS.file.includes(key) && nearest(key, FILE_KEYS.file) === "destinations",
  );
}

/** Refuses two names for one resource: its routes would be created twice. */
function checkIds(tree: YamlTree, issues: FileIssues): void {
  for (const kind of NAMED_KINDS) {
    const names = new Map<string, string>();
    for (const { key, at, value } of entriesBelow(tree, NAMED_GROUPS[kind])) {
      const id = textAt(value, "id");
      if (id === undefined) continue;
      const before = names.get(id);
      if (before !== undefined) {
        issues.error(at, `${kind} ${quoted(key)} has the same id as ${quoted(before)}: keep one`);
      }
      names.set(id, key);
    }
  }
}

const RENAMED_FROM = "renamed-from";

/**
 * Checks the earlier names of a file: each belongs to one resource alone, or it would not be known
 * which of them the existing one becomes.
 */
function checkRenames(tree: YamlTree, issues: FileIssues): void {
  for (const kind of NAMED_KINDS) {
    const entries = [...entriesBelow(tree, NAMED_GROUPS[kind])];
    const names = new Set(entries.map(({ key }) => key));
    const takenBy = new Map<string, string>();
    for (const { key, value } of entries) {
      const before = textAt(value, RENAMED_FROM);
      const at = entryOf(value, RENAMED_FROM)?.value.at;
      if (before === undefined || at === undefined) continue;
      const error = (message: string) => issues.error(at, `${kind} ${quoted(key)}: ${message}`);
      const other = takenBy.get(before);
      if (textAt(value, "id") !== undefined) {
        error(
          `${RENAMED_FROM} cannot be combined with id, which selects an existing one: remove one`,
        );
      } else if (before === key) error(`${RENAMED_FROM} is the current name: remove the line`);
      else if (names.has(before)) {
        error(
          `${RENAMED_FROM}: ${quoted(before)} is another ${kind} of this file: remove one of them`,
        );
      } else if (other !== undefined) {
        error(
          `${RENAMED_FROM}: ${quoted(before)} is the earlier name of ${quoted(other)}, too: keep one`,
        );
      }
      takenBy.set(before, key);
    }
  }
}
