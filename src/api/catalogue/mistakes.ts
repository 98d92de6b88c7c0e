import type { ErrorFacts } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { nearest, nearMiss } from "../../values/nearest.ts";
import { apiErrors } from "../errors.ts";
import { type ContentPart, destinationProblems } from "./destination-problems.ts";
import {
  DESTINATION_TYPE_NAMES,
  type DestinationField,
  destinationType,
  NEEDS_TLS,
  UPDATE_FIELDS,
} from "./destination-types.ts";
import { EVENT_TYPES } from "./events.ts";

/** What each word of `--allow` lets through: the service may take what amp does not know. */
export const ALLOWED_MISTAKES = {
  unknown: "words that are nearly known ones, and values of another form",
  incomplete: "destinations without a required field",
  http: "URLs without TLS",
} as const;

/** A word of `--allow` for a mistake. */
export type MistakeWord = keyof typeof ALLOWED_MISTAKES;

/** The words of `--allow` for mistakes. */
export const MISTAKE_WORDS = Object.keys(ALLOWED_MISTAKES) as readonly MistakeWord[];

/** What the live platform would refuse, said in the same words wherever it is typed. */
export interface Mistake {
  /** The way to the part, below its destination; empty for an event type. */
  readonly path: readonly string[];
  readonly message: string;
  /** The word that lets it through; absent: it is near nothing that amp knows, and only warned of. */
  readonly allow?: MistakeWord;
  /** The field that it is about: one with another value than its type takes, or one that is missing. */
  readonly field?: "value" | "missing";
}

/** The mistake in an event type; undefined for one that amp knows. */
export function eventMistake(
  event: string,
  known: readonly string[] = EVENT_TYPES,
): Mistake | undefined {
  if (known.includes(event)) return undefined;
  const unknown = `Unknown event type ${JSON.stringify(event)}`;
  const near = nearMiss(event, known);
  if (near !== undefined) return unknownWord(`${unknown}: did you mean ${near}?`);
  // The platform gets new ones: an export of them must stay a file that can be applied.
  return { path: [], message: `${unknown}. The service may refuse it.` };
}

function unknownWord(message: string, path: readonly string[] = []): Mistake {
  return { path, message, allow: "unknown" };
}

/** The mistake in a destination type; undefined for one that amp knows. */
export function destinationTypeMistake(type: string): Mistake | undefined {
  if (destinationType(type) !== undefined) return undefined;
  const near = nearMiss(type, DESTINATION_TYPE_NAMES);
  const unknown = `Unknown destination type ${JSON.stringify(type)}`;
  return near === undefined
    ? { path: ["type"], message: `${unknown}. The service may refuse it.` }
    : unknownWord(`${unknown}: did you mean ${near}?`, ["type"]);
}

/** The content of a destination, its secrets revealed. */
type MistakenContent = Readonly<Record<ContentPart, Readonly<Record<string, unknown>>>>;

/** The mistakes in the type, metadata and secrets of a new destination. */
export function destinationMistakes(type: string, content: MistakenContent): Mistake[] {
  const known = destinationType(type);
  if (known === undefined) return asList(destinationTypeMistake(type));
  const fields = (["metadata", "secrets"] as const).flatMap((part) =>
    unlistedFields(part, type, known[part], content[part]),
  );
  const meant = new Set(fields.flatMap(({ meant = [] }) => meant));
  const problems = destinationProblems(type, content).flatMap((problem): Mistake[] => {
    const { part, name, detail, missing } = problem;
    if (missing === undefined) {
      const message = `${part}.${name} of a ${type} destination ${detail}`;
      const isHttp = detail === NEEDS_TLS && /^http:/iu.test(String(content[part][name]));
      const allow = isHttp ? "http" : "unknown";
      return [{ path: [part, name], message, allow, field: "value" }];
    }
    // The name of a field that is there is nearly that of the missing one.
    if (missing.some((one) => meant.has(one.name))) return [];
    const names = missing.map(({ name, hint }) => `${part}.${name} (${hint})`).join(" or ");
    const message = `A ${type} destination needs ${names}`;
    return [{ path: [part, name], message, allow: "incomplete", field: "missing" }];
  });
  return [...fields.map(({ meant: _, ...mistake }) => mistake), ...problems];
}

/** The fields that a type does not have, each with the absent one that is nearest to it, if any. */
function unlistedFields(
  part: ContentPart,
  type: string,
  fields: readonly DestinationField[],
  values: Readonly<Record<string, unknown>>,
): (Mistake & { readonly meant?: string })[] {
  const names = fields.map(({ name }) => name);
  const absent = names.filter((name) => !Object.hasOwn(values, name));
  return Object.keys(values).flatMap((name): (Mistake & { readonly meant?: string })[] => {
    if (names.includes(name) || UPDATE_FIELDS[type]?.includes(name)) return [];
    const path = [part, name];
    const field = `${part}.${name} is not a field of a ${type} destination`;
    const meant = nearest(name, absent);
    if (meant !== undefined) {
      return [{ ...unknownWord(`${field}: did you mean ${meant}?`, path), meant }];
    }
    return [{ path, message: `${field} that amp knows. The service may refuse it.` }];
  });
}

/** The message of a mistake that is refused, with the way to send it all the same. */
export function refusedText({ message, allow }: Pick<Mistake, "message" | "allow">): string {
  return allow === undefined ? message : `${message} (or pass --allow ${allow})`;
}

/**
 * Refuses mistakes before anything is sent, and warns of those that are allowed or near nothing that
 * amp knows.
 * @throws {UsageError}
 */
export function refuseMistakes(
  mistakes: readonly Mistake[],
  allowed: readonly string[],
  warn: (text: string) => void,
  facts: ErrorFacts = {},
): void {
  const isRefused = ({ allow }: Mistake) => allow !== undefined && !allowed.includes(allow);
  for (const mistake of mistakes) if (!isRefused(mistake)) warn(mistake.message);
  const refused = mistakes.filter(isRefused);
  const messages = refused.map(({ message }) => message);
  const words = new Set(refused.map(({ allow }) => allow ?? ""));
  if (messages.length > 0) throw apiErrors.input_mistaken(messages, [...words], facts);
}
