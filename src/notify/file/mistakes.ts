import {
  destinationMistakes,
  eventMistake,
  type Mistake,
  refusedText,
} from "../../api/catalogue/mistakes.ts";
import { isSecretName } from "../../secrets/names.ts";
import { isSensitive, mapTexts, metadataValues, referenceAt } from "../model/metadata.ts";
import { eventProblem, expandEvents, nameCheck } from "../model/names.ts";
import { NAMED_GROUPS, NAMED_KINDS } from "../model/resource.ts";
import { revealedSecrets } from "../model/secrets.ts";
import type { ReadContent } from "./contents.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { FILE_KEYS } from "./schema.ts";
import { LITERAL_SECRETS } from "./secrets.ts";
import {
  entriesBelow,
  entryOf,
  offsetOf,
  textAt,
  textsAt,
  type YamlEntry,
  type YamlTree,
} from "./yaml-tree.ts";

/**
 * Refuses what the live platform would refuse, unless it is allowed, and warns of what amp does not
 * know: the platform gets new types.
 * @param allow the words of `--allow`
 */
export function collectMistakes(
  tree: YamlTree,
  contents: ReadonlyMap<string, ReadContent>,
  issues: FileIssues,
  allow: readonly string[],
): void {
  const report = (at: number, mistake: Mistake, where = "") => {
    if (mistake.allow === undefined || allow.includes(mistake.allow)) {
      issues.warn(at, `${where}${mistake.message}`);
    } else issues.error(at, `${where}${refusedText(mistake)}`);
  };
  for (const kind of NAMED_KINDS) {
    for (const { key: name, at, value } of entriesBelow(tree, NAMED_GROUPS[kind])) {
      const problem = textAt(value, "id") === undefined ? nameCheck(kind)(name) : true;
      if (problem === true) continue;
      issues.warn(at, `the ${kind} name ${quoted(name)} may be refused: ${problem}`);
    }
  }
  for (const entry of entriesBelow(tree, "destinations")) {
    const content = contents.get(entry.key);
    if (content === undefined) continue;
    const literal = allow.includes(LITERAL_SECRETS) ? [] : literalCredentials(content);
    for (const mistake of [...contentMistakes(entry, content), ...literal]) {
      const at = offsetOf(tree, ["destinations", entry.key, ...mistake.path]);
      report(at, mistake, `destination ${quoted(entry.key)}: `);
    }
  }
  const topics = entriesBelow(tree, "topics").map(({ value }) => value);
  const events = topics.flatMap((topic) => textsAt(topic, "events"));
  for (const item of [...events, ...textsAt(tree, "require")]) {
    if (eventProblem(item.text) !== undefined) continue;
    for (const event of expandEvents([item.text])) {
      const mistake = eventMistake(event);
      if (mistake !== undefined) report(item.at, mistake);
    }
  }
}

function contentMistakes({ value }: YamlEntry, content: ReadContent): readonly Mistake[] {
  const { type, metadata, unread } = content;
  if (type === undefined || entryOf(value, "id") !== undefined) return [];
  const unexpanded = unexpandedVariables(metadata);
  const skipped = new Set([...unread, ...unexpanded.map(({ path }) => path.join("."))]);
  // Secrets that could not be read exist all the same: each has a placeholder.
  const unknown = [...unread].filter((field) => field.startsWith("secrets."));
  const secrets = {
    ...Object.fromEntries(unknown.map((field) => [field.slice("secrets.".length), "?"])),
    ...revealedSecrets(content.secrets),
  };
  const mistakes = destinationMistakes(type, { metadata, secrets });
  // A misspelt key may be the part that seems to be missing.
  const isMisspelt = hasUnknownKey(value);
  return [
    ...unexpanded,
    ...mistakes.filter(
      ({ path, field }) => !skipped.has(path.join(".")) && !(field === "missing" && isMisspelt),
    ),
  ];
}

function hasUnknownKey(destination: YamlTree): boolean {
  const keys = destination.kind === "mapping" ? [...destination.entries.keys()] : [];
  return keys.some((key) => !FILE_KEYS.destination.includes(key));
}

/** Values that are written in the file itself: of headers with the name of a credential, and Slack URLs. */
function literalCredentials({ type = "", metadata, references }: ReadContent): Mistake[] {
  return metadataValues(metadata).flatMap(({ path, value }) => {
    const [part, name = ""] = path;
    const isCredential =
      part === "headers" ? path.length === 2 && isSecretName(name) : isSensitive(type, path, value);
    const isGiven = typeof value === "number" || (typeof value === "string" && value !== "");
    if (!isCredential || !isGiven || referenceAt(references, path, value)) return [];
    const where = ["metadata", ...path];
    const says = "the credential is written in the file; use env:NAME";
    return [
      { path: where, message: `${where.join(".")}: ${says} (or pass --allow literal-secrets)` },
    ];
  });
}

/** Texts such as `${NAME}`, which other tools replace by a variable, and amp does not. */
function unexpandedVariables(metadata: ReadContent["metadata"]): Mistake[] {
  const found: Mistake[] = [];
  mapTexts(metadata, (text, path) => {
    const [, name] = /^\$(?:\{([A-Za-z_]\w*)\}|[A-Za-z_]\w*)$/u.exec(text) ?? [];
    if (name !== undefined) {
      const field = ["metadata", ...path].join(".");
      found.push({
        path: ["metadata", ...path],
        message: `${field}: \${${name}} is not replaced with the variable: write env:${name}`,
      });
    }
    return text;
  });
  return found;
}
