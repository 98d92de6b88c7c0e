import type { RoutingModel } from "../model.ts";
import { canonical } from "../plan/canonical.ts";
import { knownKeys, mapOf, textOf } from "./fields.ts";
import { checkCharacters, fitText } from "./fit-text.ts";
import { FILE_KEYS, FILE_VERSION } from "./keys.ts";
import { gatherProblems, type Problems } from "./problems.ts";
import { namesBelow, readDestinations, readTopics } from "./read-parts.ts";
import type { SecretPlace } from "./secret-value.ts";
import { parseYaml } from "./syntax.ts";
import type { Entry, Mapping, Tree } from "./tree.ts";
import { treeOf } from "./tree-of.ts";

/** What a routing file says. */
export interface ReadRouting {
  /** In canonical order. */
  readonly model: RoutingModel;
  /** Where it belongs, by name or ID, if it says so. */
  readonly project?: string;
  /** With path, line and column. */
  readonly warnings: readonly string[];
}

const DESTINATIONS = { what: "destinations", example: "ops: { id: 1f0c… }" };
const TOPICS = { what: "topics", example: "lifecycle: { events: [installation.created] }" };

/**
 * Reads a routing file, YAML or JSON. Its secrets are read from where it says, so that nothing is
 * missing once the first request is sent.
 * @param path for messages, and what `file:` is relative to
 * @throws {UsageError} with line and column of up to ten mistakes; never with a secret in it
 */
export async function readRoutingFile(
  text: string,
  path: string,
  options: Omit<SecretPlace, "path">,
): Promise<ReadRouting> {
  const source = fitText(text, path);
  const problems = gatherProblems(source, path);
  checkCharacters(source, problems);
  problems.check();
  const yaml = await import("yaml");
  const document = parseYaml(yaml, source, problems);
  const tree = document === undefined ? undefined : treeOf(yaml, document, problems);
  const { read, variable, allowLiteralSecrets } = options;
  const place = { read, variable, allowLiteralSecrets, path };
  const file = tree === undefined ? undefined : await readFile(tree, place, problems);
  problems.check();
  // Unreachable: whatever leaves nothing to return has told a problem.
  if (file === undefined) throw new Error(`${path} is no routing file`);
  return { ...file, model: canonical(file.model), warnings: problems.warnings() };
}

async function readFile(
  tree: Tree,
  place: SecretPlace,
  problems: Problems,
): Promise<Omit<ReadRouting, "warnings"> | undefined> {
  const map = mapOf(tree, { what: "a routing file", example: "version: 1" }, problems);
  if (map === undefined) return undefined;
  const found = knownKeys(map, FILE_KEYS, problems);
  checkVersion(found.version, map, problems);
  const project =
    found.project &&
    textOf(found.project.value, { what: "project", example: "project: acme" }, problems);
  const outs = namesBelow(found.destinations, DESTINATIONS, problems);
  const destinations = await readDestinations(outs, place, problems);
  const topics = readTopics(namesBelow(found.topics, TOPICS, problems), outs, problems);
  return { model: { destinations, topics }, ...(project === undefined ? {} : { project }) };
}

function checkVersion(entry: Entry | undefined, { at }: Mapping, problems: Problems): void {
  const value = entry?.value;
  if (value === undefined)
    problems.add(at, `the version is missing: begin with version: ${FILE_VERSION}`);
  else if (value.kind !== "leaf" || value.value !== FILE_VERSION) {
    problems.add(value.at, `this version of amp reads version: ${FILE_VERSION} only`);
  }
}
