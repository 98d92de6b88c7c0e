import {
  DESTINATION_TYPE_NAMES,
  destinationType,
  type Field,
} from "../../api/catalogue/destination-types.ts";
import { nearest } from "../../values/nearest.ts";
import { eventWarnings, type NamedKind, nameCheck } from "../model/names.ts";
import type { NewDestination } from "../model/routing.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { entryOf, type YamlEntry } from "./yaml-tree.ts";

/** Where the parts of a destination stand. */
interface DestinationPositions {
  readonly at: number;
  readonly type?: YamlEntry;
  readonly metadata?: YamlEntry;
  readonly secrets?: YamlEntry;
}

/**
 * What the live platform would not take. Warnings, since another service may, and the platform
 * learns new types.
 */
export function warnOfDestination(
  name: string,
  part: NewDestination,
  places: DestinationPositions,
  problems: FileIssues,
): void {
  warnOfName("destination", name, places.at, problems);
  const known = destinationType(part.type);
  if (known === undefined) {
    warnOfType(part.type, places.type?.value.at ?? places.at, problems);
    return;
  }
  const { metadata, secrets } = part;
  const inMetadata = places.metadata?.at ?? places.at;
  const needs = `a destination of type ${part.type} needs`;
  for (const field of missing(known.metadata, metadata)) {
    problems.warn(inMetadata, `${needs} metadata ${field}`);
  }
  for (const field of missing(known.secrets, secrets)) {
    problems.warn(places.secrets?.at ?? places.at, `${needs} the secret ${field}`);
  }
  for (const group of known.oneOf ?? []) {
    if (group.some((field) => Object.hasOwn(metadata, field))) continue;
    problems.warn(inMetadata, `${needs} metadata ${group.join(" or ")}`);
  }
  for (const { name: field, check } of known.metadata) {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    const wrong = typeof value === "string" ? check?.(value) : undefined;
    if (wrong !== undefined)
      problems.warn(fieldPosition(places, field), `metadata ${field}: ${wrong}`);
  }
}

function warnOfType(type: string, at: number, problems: FileIssues): void {
  const near = nearest(type, DESTINATION_TYPE_NAMES);
  if (near === undefined) return;
  const say = `amp does not know the destination type ${quoted(type)}: did you mean ${near}?`;
  problems.warn(at, `${say} It is sent as it is.`);
}

function missing(fields: readonly Field[], given: object): string[] {
  return fields
    .filter(({ name, required }) => required && !Object.hasOwn(given, name))
    .map(({ name, hint }) => `${name} (${hint})`);
}

/** The name of something new that the live platform would not take. */
export function warnOfName(kind: NamedKind, name: string, at: number, problems: FileIssues): void {
  const says = nameCheck(kind, [])(name);
  if (says === true) return;
  problems.warn(at, `the name ${quoted(name)} may be refused. ${says}`);
}

/** An event type that this version does not know. */
export function warnOfEvent(event: string, at: number, problems: FileIssues): void {
  for (const warning of eventWarnings([event])) problems.warn(at, warning);
}

function fieldPosition({ at, metadata }: DestinationPositions, field: string): number {
  const map = metadata?.value;
  const entry = map?.kind === "map" ? entryOf(map, field) : undefined;
  return entry?.value.at ?? metadata?.at ?? at;
}
