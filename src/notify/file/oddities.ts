import {
  DESTINATION_TYPE_NAMES,
  destinationType,
  type Field,
} from "../../api/destination-types.ts";
import { nearest } from "../../nearest.ts";
import { eventWarnings } from "../event-names.ts";
import type { NewDestination } from "../model.ts";
import { type Named, nameCheck } from "../names.ts";
import { type Problems, quoted } from "./problems.ts";
import { type Entry, entryOf } from "./tree.ts";

/** Where the parts of a destination stand. */
interface Places {
  readonly at: number;
  readonly type?: Entry;
  readonly metadata?: Entry;
  readonly secrets?: Entry;
}

/**
 * What the live platform would not take. Warnings, since another service may, and the platform
 * learns new types.
 */
export function destinationOddities(
  name: string,
  part: NewDestination,
  places: Places,
  problems: Problems,
): void {
  nameOddity("destination", name, places.at, problems);
  const known = destinationType(part.type);
  if (known === undefined) {
    typeOddity(part.type, places.type?.value.at ?? places.at, problems);
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
      problems.warn(fieldPlace(places, field), `metadata ${field}: ${wrong}`);
  }
}

function typeOddity(type: string, at: number, problems: Problems): void {
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
export function nameOddity(kind: Named, name: string, at: number, problems: Problems): void {
  const says = nameCheck(kind, [])(name);
  if (says === true) return;
  problems.warn(at, `the name ${quoted(name)} may be refused. ${says}`);
}

/** An event type that this version does not know. */
export function eventOddities(event: string, at: number, problems: Problems): void {
  for (const warning of eventWarnings([event])) problems.warn(at, warning);
}

function fieldPlace({ at, metadata }: Places, field: string): number {
  const map = metadata?.value;
  const entry = map?.kind === "map" ? entryOf(map, field) : undefined;
  return entry?.value.at ?? metadata?.at ?? at;
}
