import {
  type ContentPart,
  destinationProblems,
  valueWarnings,
} from "../../api/catalogue/destination-problems.ts";
import type { DestinationField } from "../../api/catalogue/destination-types.ts";

import { eventWarnings } from "./names.ts";
import type { RoutingModel } from "./routing.ts";
import { type DestinationContent, revealedSecrets } from "./secrets.ts";

/** Fields that the live platform requires and that are missing: all of them, or one of several. */
interface MissingFields {
  readonly part: ContentPart;
  /** One field, or several of which one is required. */
  readonly fields: readonly DestinationField[];
}

/** The fields that the content of a destination lacks. */
export function missingFields(
  type: string,
  content: Parameters<typeof destinationProblems>[1],
): readonly MissingFields[] {
  return destinationProblems(type, content).flatMap(({ part, missing }) =>
    missing === undefined ? [] : [{ part, fields: missing }],
  );
}

/**
 * The warnings of a routing that was not read from a file: of its new destinations and its events.
 */
export function routingWarnings({ destinations, topics }: RoutingModel): string[] {
  return [
    ...[...destinations.values()].flatMap((part) =>
      part.kind === "new" ? optionWarnings(part.type, part) : [],
    ),
    ...eventWarnings([...topics.values()].flatMap(({ events }) => events)),
  ];
}

/**
 * Warnings of the type, of values, and of missing fields of a destination that options give. They
 * are not errors: another server may know the type by other fields.
 */
export function optionWarnings(type: string, { metadata, secrets }: DestinationContent): string[] {
  const content = { metadata, secrets: revealedSecrets(secrets) };
  const lacking = missingFields(type, content).map(({ part, fields }) => {
    const option = part === "secrets" ? "--secret" : "--metadata";
    return fields
      .map(({ name }) => (name === "url" ? "--url" : `${option} ${name}=…`))
      .join(" or ");
  });
  return [
    ...valueWarnings(type, content).map(({ message }) => message),
    ...(lacking.length === 0 ? [] : [`A ${type} destination usually needs ${lacking.join(", ")}.`]),
  ];
}
