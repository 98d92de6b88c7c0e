import { publishNames } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";
import {
  type Metadata,
  mapTexts,
  placeholderProblem,
  registerMetadataSecrets,
} from "../model/metadata.ts";
import type { DestinationContent } from "../model/secrets.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { readFileSecrets, readMetadata, type SecretSources } from "./secrets.ts";
import { entriesBelow, entryOf, offsetOf, plainData, textAt, type YamlTree } from "./yaml-tree.ts";

/** A destination of a file, with the values that it refers to. */
export interface ReadContent extends DestinationContent {
  readonly type: string | undefined;
  /**
   * The fields, such as `metadata.url`, whose value is not known: it cannot be read, which is an
   * error, or its variable is not set, where that is none.
   */
  readonly unread: ReadonlySet<string>;
}

/**
 * Reads the metadata and secrets of all destinations, by name, also where the form of others is
 * wrong: all errors are reported in one run.
 */
export async function readContents(
  tree: YamlTree,
  sources: SecretSources,
  issues: FileIssues,
): Promise<ReadonlyMap<string, ReadContent>> {
  const contents = new Map<string, ReadContent>();
  for (const { key: name, value } of entriesBelow(tree, "destinations")) {
    const type = textAt(value, "type");
    const unread = new Set<string>();
    const report = (path: readonly string[], reason: string) => {
      const at = offsetOf(tree, ["destinations", name, ...path]);
      issues.error(at, `destination ${quoted(name)}: ${reason}`);
      unread.add(fieldOf(path));
    };
    const { unset = new Set() } = sources;
    const secrets = await readFileSecrets(value, sources, (name, reason) =>
      report(["secrets", name], `secret ${quoted(name)}: ${reason}`),
    );
    for (const { key } of entriesBelow(value, "secrets")) {
      const { reference } = secrets[key] ?? {};
      const isUnset = reference?.from === "env" && unset.has(reference.name);
      if (secrets[key] === undefined || isUnset) unread.add(`secrets.${key}`);
    }
    const metadata = metadataOf(value);
    mapTexts(metadata, (text, path) => {
      const problem = placeholderProblem(text);
      if (problem) report(["metadata", ...path], `${["metadata", ...path].join(".")}: ${problem}`);
    });
    const resolved = readMetadata(metadata, sources, (path, reason) =>
      report(["metadata", ...path], `${["metadata", ...path].join(".")}: ${reason}`),
    );
    for (const { path, secret } of resolved.references ?? []) {
      const { reference } = secret;
      if (reference?.from !== "env" || !unset.has(reference.name)) continue;
      const where = ["metadata", ...path];
      unread.add(fieldOf(where));
      const says = `${where.join(".")}: variable ${reference.name} is not set, so its value is not checked`;
      const at = offsetOf(tree, ["destinations", name, ...where]);
      issues.warn(at, `destination ${quoted(name)}: ${says}`);
    }
    registerMetadataSecrets(type ?? "", resolved.metadata);
    contents.set(name, { ...resolved, type, secrets, unread });
  }
  return contents;
}

/** Registers secrets in the metadata, so that no message or error shows them; and the names. */
export function registerSecrets(tree: YamlTree): void {
  const named = [...entriesBelow(tree, "destinations"), ...entriesBelow(tree, "topics")];
  publishNames(named.map(({ key }) => key));
  for (const { value } of entriesBelow(tree, "destinations")) {
    registerMetadataSecrets(textAt(value, "type") ?? "", metadataOf(value));
  }
}

/** The metadata of a destination as it is written; none where it has another form. */
function metadataOf(destination: YamlTree): Metadata {
  const metadata = entryOf(destination, "metadata");
  const data = metadata && plainData(metadata.value, () => true);
  return isJsonObject(data) ? data : {};
}

function fieldOf([part = "", name = ""]: readonly string[]): string {
  return `${part}.${name}`;
}
