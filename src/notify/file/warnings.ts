import { valueWarnings } from "../../api/catalogue/destination-problems.ts";
import { isCredentialHeader } from "../../secrets/answer.ts";
import { missingFields } from "../model/destination-warnings.ts";
import { mapTexts, metadataValues, referenceAt } from "../model/metadata.ts";
import { eventProblem, eventWarnings, expandEvents, nameCheck } from "../model/names.ts";
import { NAMED_GROUPS, NAMED_KINDS } from "../model/resource.ts";
import { revealedSecrets } from "../model/secrets.ts";
import type { ReadContent } from "./contents.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { FILE_KEYS } from "./schema.ts";
import {
  entriesBelow,
  entryOf,
  offsetOf,
  textAt,
  textsAt,
  type YamlEntry,
  type YamlTree,
} from "./yaml-tree.ts";

interface Warning {
  /** The way to the part, below its destination. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Warns of values that the live platform would refuse. They are not errors, since another service
 * may accept them, and the platform gets new types.
 */
export function collectRoutingWarnings(
  tree: YamlTree,
  contents: ReadonlyMap<string, ReadContent>,
  issues: FileIssues,
  allowLiteralSecrets = false,
): void {
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
    const literal = allowLiteralSecrets ? [] : literalCredentials(content);
    for (const { path, message } of [...contentWarnings(entry, content), ...literal]) {
      const at = offsetOf(tree, ["destinations", entry.key, ...path]);
      issues.warn(at, `destination ${quoted(entry.key)}: ${message}`);
    }
  }
  for (const { value } of entriesBelow(tree, "topics")) {
    for (const item of textsAt(value, "events")) {
      if (eventProblem(item.text) !== undefined) continue;
      for (const message of eventWarnings(expandEvents([item.text]))) issues.warn(item.at, message);
    }
  }
}

function contentWarnings({ value }: YamlEntry, content: ReadContent): readonly Warning[] {
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
  const known = { metadata, secrets };
  return [
    ...unexpanded,
    ...valueWarnings(type, known).filter(({ path }) => !skipped.has(path.join("."))),
    // A misspelt key may be the part that seems to be missing.
    ...(hasUnknownKey(value) ? [] : missingWarnings(type, known)),
  ];
}

function missingWarnings(type: string, content: Parameters<typeof missingFields>[1]): Warning[] {
  return missingFields(type, content).map(({ part, fields }) => {
    const names = fields.map(({ name, hint }) => `${part}.${name} (${hint})`);
    return {
      path: [part, fields[0]?.name ?? ""],
      message: `type ${type} needs ${names.join(" or ")}`,
    };
  });
}

function hasUnknownKey(destination: YamlTree): boolean {
  const keys = destination.kind === "mapping" ? [...destination.entries.keys()] : [];
  return keys.some((key) => !FILE_KEYS.destination.includes(key));
}

/** Headers whose name is that of a credential, and whose value is in the file itself. */
function literalCredentials({ metadata, references }: ReadContent): Warning[] {
  return metadataValues(metadata).flatMap(({ path, value }) => {
    const [part, name = ""] = path;
    const isCredential = part === "headers" && path.length === 2 && isCredentialHeader(name);
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
function unexpandedVariables(metadata: ReadContent["metadata"]): Warning[] {
  const found: Warning[] = [];
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
