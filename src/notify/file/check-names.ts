import { NAMED_GROUPS, NAMED_KINDS } from "../model/resource.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { entriesBelow, entryOf, textAt, type YamlTree } from "./yaml-tree.ts";

/** Refuses two names for one resource: its routes would be created twice. */
export function checkIds(tree: YamlTree, issues: FileIssues): void {
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

const KEY = "renamed-from";

/**
 * Checks the earlier names of a file: each belongs to one resource alone, or it would not be known
 * which of them the existing one becomes.
 */
export function checkRenames(tree: YamlTree, issues: FileIssues): void {
  for (const kind of NAMED_KINDS) {
    const entries = [...entriesBelow(tree, NAMED_GROUPS[kind])];
    const names = new Set(entries.map(({ key }) => key));
    const takenBy = new Map<string, string>();
    for (const { key, value } of entries) {
      const before = textAt(value, KEY);
      const at = entryOf(value, KEY)?.value.at;
      if (before === undefined || at === undefined) continue;
      const error = (message: string) => issues.error(at, `${kind} ${quoted(key)}: ${message}`);
      const other = takenBy.get(before);
      if (textAt(value, "id") !== undefined) {
        error(`${KEY} cannot be combined with id, which selects an existing one: remove one`);
      } else if (before === key) error(`${KEY} is the current name: remove the line`);
      else if (names.has(before)) {
        error(`${KEY}: ${quoted(before)} is another ${kind} of this file: remove one of them`);
      } else if (other !== undefined) {
        error(`${KEY}: ${quoted(before)} is the earlier name of ${quoted(other)}, too: keep one`);
      }
      takenBy.set(before, key);
    }
  }
}
