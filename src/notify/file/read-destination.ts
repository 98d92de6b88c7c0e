import { destinationType } from "../../api/destination-types.ts";
import { learnMetadata } from "../learn-metadata.ts";
import type { DestinationPart } from "../model.ts";
import { knownKeys, mapOf, textOf } from "./fields.ts";
import { DESTINATION_KEYS } from "./keys.ts";
import { destinationOddities } from "./oddities.ts";
import { type Problems, quoted } from "./problems.ts";
import { readMetadata } from "./read-metadata.ts";
import { readSecrets, type SecretPlace } from "./secret-value.ts";
import type { Entry, Tree } from "./tree.ts";

const NEW = "{ type: webhook, metadata: { url: https://… } }";

/** Reads one destination; undefined where it is mistaken. */
export async function readDestination(
  { key: name, at, value }: Entry,
  place: SecretPlace,
  problems: Problems,
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
      problems.add(more.at, say);
    }
    return id === undefined ? undefined : { kind: "existing", id };
  }
  // One with a strange key may have it misspelt, which is told already.
  if (found.type === undefined && map.entries.length === Object.keys(found).length) {
    problems.add(at, `${what} has no type: write ${NEW}, or { id: … } for one that exists`);
  }
  const type = found.type
    ? textOf(found.type.value, { what: "the type", example: "type: webhook" }, problems)
    : undefined;
  const metadata = found.metadata ? readMetadata(found.metadata.value, problems) : {};
  learnMetadata(type ?? "", metadata);
  const secrets = found.secrets ? await readSecrets(found.secrets.value, place, problems) : {};
  if (type === undefined) return undefined;
  const part = { kind: "new", type, metadata, secrets } as const;
  destinationOddities(name, part, { at, ...found }, problems);
  return part;
}

/** A field of the type that stands one level too high. */
function placeFor(key: string, typed: Tree | undefined): string | undefined {
  const known = destinationType(typed?.kind === "leaf" ? typed.text : "");
  const group = (["metadata", "secrets"] as const).find((fields) =>
    known?.[fields].some(({ name }) => name === key),
  );
  return group === undefined ? undefined : `write it below ${group}`;
}
