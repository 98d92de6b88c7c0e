import { destinationType } from "../../api/catalogue/destination-types.ts";
import { isMetadata, type Metadata, registerMetadataSecrets } from "../model/metadata.ts";
import type { DestinationPart } from "../model/routing.ts";
import { DESTINATION_KEYS, knownKeys, mapOf, textOf } from "./fields.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { readFileSecrets, type SecretSources } from "./secret-value.ts";
import { warnOfDestination } from "./warnings.ts";
import type { YamlEntry, YamlTree } from "./yaml-tree.ts";

const NEW = "{ type: webhook, metadata: { url: https://… } }";

/** Reads one destination; undefined where it is mistaken. */
export async function readFileDestination(
  { key: name, at, value }: YamlEntry,
  place: SecretSources,
  problems: FileIssues,
): Promise<DestinationPart | undefined> {
  const what = `the destination ${quoted(name)}`;
  const map = mapOf(value, { what, example: `${NEW} or { id: … }` }, problems);
  if (map === undefined) return undefined;
  const typed = map.entries.find(({ key }) => key === "type")?.value;
  const found = knownKeys(map, DESTINATION_KEYS, problems, (key) => placeFor(key, typed));
  if (found.id !== undefined) {
    const id = textOf(found.id.value, { what: "the id", example: "id: 1f0c…" }, problems);
    for (const more of [found.type, found.metadata, found.secrets]) {
      if (more === undefined) continue;
      const say = `${what} exists, as its id says, so it takes no ${more.key}: remove one of the two`;
      problems.error(more.at, say);
    }
    return id === undefined ? undefined : { kind: "existing", id };
  }
  // One with a strange key may have it misspelt, which is told already.
  if (found.type === undefined && map.entries.length === Object.keys(found).length) {
    problems.error(at, `${what} has no type: write ${NEW}, or { id: … } for one that exists`);
  }
  const type = found.type
    ? textOf(found.type.value, { what: "the type", example: "type: webhook" }, problems)
    : undefined;
  const metadata = found.metadata ? readMetadata(found.metadata.value, problems) : {};
  registerMetadataSecrets(type ?? "", metadata);
  const secrets = found.secrets ? await readFileSecrets(found.secrets.value, place, problems) : {};
  if (type === undefined) return undefined;
  const part = { kind: "new", type, metadata, secrets } as const;
  warnOfDestination(name, part, { at, ...found }, problems);
  return part;
}

/** A field of the type that stands one level too high. */
function placeFor(key: string, typed: YamlTree | undefined): string | undefined {
  const known = destinationType(typed?.kind === "leaf" ? typed.text : "");
  const group = (["metadata", "secrets"] as const).find((fields) =>
    known?.[fields].some(({ name }) => name === key),
  );
  return group === undefined ? undefined : `write it below ${group}`;
}

/** Reads the metadata of a destination: whatever its type may want, as long as it is JSON. */
export function readMetadata(tree: YamlTree, problems: FileIssues): Metadata {
  const wanted = { what: "metadata", example: "{ url: https://hooks.example.com/amp }" };
  const map = mapOf(tree, wanted, problems);
  const value = map === undefined ? {} : jsonOf(map, problems);
  return isMetadata(value) ? value : {};
}

function jsonOf(tree: YamlTree, problems: FileIssues): unknown {
  if (tree.kind === "list") return tree.items.map((item) => jsonOf(item, problems));
  if (tree.kind === "map") {
    return Object.fromEntries(tree.entries.map(({ key, value }) => [key, jsonOf(value, problems)]));
  }
  const { value } = tree;
  if (typeof value === "number" && !isExact(value)) {
    problems.error(tree.at, "this number cannot be sent as it stands here: put it in quotes");
  }
  return value;
}

/** JSON has no infinity, and a long number would lose its last digits. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
