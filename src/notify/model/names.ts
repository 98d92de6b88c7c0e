import { EVENT_TYPES, eventType } from "../../api/catalogue/events.ts";
import { AmpError } from "../../errors.ts";
import { matchesPattern, nearest } from "../../values/nearest.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { MAX_NAME_LENGTH } from "./address.ts";
import { type NamedKind, RESOURCES } from "./resource.ts";

/** The check of an answer: true, or the reason why it is not valid. */
export type AnswerCheck = (answer: string) => true | string;

/** A check for the name of a new resource. */
export function nameCheck(kind: NamedKind): AnswerCheck {
  const { nameRule } = RESOURCES[kind];
  return (answer) => !nameRule || nameRule.pattern.test(answer) || nameRule.problem;
}

/** The check for a required answer. */
export const notEmpty: AnswerCheck = (answer) => answer.trim() !== "" || "Required";

/** Means every event type that this version knows. */
const ALL_EVENTS = "all";

/**
 * The problem of a text that is neither an event type nor a pattern of known ones, as text after
 * it; undefined if it is one.
 */
export function eventProblem(text: string): string | undefined {
  if (text === "") return "must not be empty";
  if (/[\s,]/u.test(text)) return "is not a valid event type: it has a comma or a space";
  if (expandEvents([text]).length > 0) return undefined;
  const areas = [...new Set(EVENT_TYPES.map((event) => `${event.split(".")[0]}.*`))];
  const near = nearest(text, areas);
  return `matches no known event type${near === undefined ? "" : `: did you mean ${near}?`}`;
}

/**
 * The event types that texts mean: `all` is every known one, and in a pattern such as
 * `connection.*` the asterisk matches any characters.
 */
export function expandEvents(texts: readonly string[]): string[] {
  const expanded = texts.flatMap((text): readonly string[] => {
    if (text === ALL_EVENTS) return EVENT_TYPES;
    if (!text.includes("*")) return [text];
    return EVENT_TYPES.filter((event) => matchesPattern(text, event));
  });
  return [...new Set(expanded)];
}

/**
 * The event types as options of a command: `all` for every known one, which would fill a screen.
 */
export function shortEvents(events: readonly string[]): readonly string[] {
  const given = new Set(events);
  const isAll = given.size === EVENT_TYPES.length && EVENT_TYPES.every((one) => given.has(one));
  return isAll ? [ALL_EVENTS] : [...given];
}

/** The known event type that is nearest to an unknown one. */
export function nearestEvent(event: string): string | undefined {
  return eventType(event) === undefined ? nearest(event, EVENT_TYPES) : undefined;
}

/** The nearest valid name; `undefined` where the name is valid, or nothing would be left of it. */
export function nearestName(name: string): string | undefined {
  const near = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z\d-]+/gu, "-")
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^-+|-+$/gu, "");
  return near === "" || near === name ? undefined : near;
}

/**
 * Waits for a create. Where the service refuses its name, the error suggests a valid one.
 * @param again the command for another name; absent where it needs more than the name
 */
export async function withNameAdvice<Answer>(
  call: Promise<Answer>,
  name: string,
  again?: (name: string) => SuggestedCommand,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const near = nearestName(name);
    if (near === undefined || !isAboutName(error)) throw error;
    const { remedy } = error.facts;
    throw again === undefined
      ? error.setFacts({ remedy: remedy ?? `Use another name, for example ${near}.` })
      : error.setFacts({ suggestion: again(near).asGuess() });
  }
}

function isAboutName(error: unknown): error is AmpError {
  return (
    error instanceof AmpError && error.facts.issues?.some(({ name }) => name === "name") === true
  );
}
