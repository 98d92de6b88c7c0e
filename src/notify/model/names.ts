import { EVENT_TYPES, eventType } from "../../api/catalogue/events.ts";
import { AmpError } from "../../errors.ts";
import { nearest } from "../../values/nearest.ts";

/** The check of an answer: true, or what is wrong with it. */
export type AnswerCheck = (answer: string) => true | string;

/** The longest name of a topic at the live platform. */
const MAX_NAME_LENGTH = 64;

/** The live platform's rules for names. Questions check them early; the service decides. */
const NAME_RULES = {
  destination: {
    pattern: /^[A-Za-z0-9-]+$/u,
    problem: "Only letters, digits and dashes are allowed",
  },
  topic: {
    pattern: /^[A-Za-z0-9-]{1,64}$/u,
    problem: "Only letters, digits and dashes are allowed, at most 64",
  },
} as const;

/** The kinds of resources that have names. */
export type NamedKind = keyof typeof NAME_RULES;

/** The check for the name of a new resource. */
export function nameCheck(
  kind: NamedKind,
  taken: readonly (string | null | undefined)[],
): AnswerCheck {
  return (answer) => {
    const { pattern, problem } = NAME_RULES[kind];
    if (!pattern.test(answer)) return problem;
    return taken.includes(answer) ? `A ${kind} with this name already exists` : true;
  };
}

/** The check for a required answer. */
export const notEmpty: AnswerCheck = (answer) => answer.trim() !== "" || "Required";

/** The known event type that is nearest to an unknown one. */
export function nearestEvent(event: string): string | undefined {
  return eventType(event) === undefined ? nearest(event, EVENT_TYPES) : undefined;
}

/** A warning for each event type that this version does not know. They are sent anyway. */
export function eventWarnings(events: readonly string[]): string[] {
  return [...new Set(events)]
    .filter((event) => eventType(event) === undefined)
    .map((event) => {
      const meant = nearestEvent(event);
      const hint = meant ? `: did you mean ${meant}?` : ".";
      return `Unknown event type ${JSON.stringify(event)}${hint} It is sent anyway.`;
    });
}

/** The nearest valid name; `undefined` where the name is valid, or nothing of it would be left. */
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
 * @param command the command line to suggest it with; without one, only the option is named
 */
export async function withNameAdvice<Answer>(
  call: Promise<Answer>,
  name: string,
  command?: string,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const near = nearestName(name);
    if (near === undefined || !isAboutName(error)) throw error;
    const { remedy } = error.facts;
    throw command === undefined
      ? error.with({ remedy: remedy ?? `For example --name ${near}.` })
      : error.with({ suggestion: `${command} --name ${near}` });
  }
}

function isAboutName(error: unknown): error is AmpError {
  return (
    error instanceof AmpError && error.facts.issues?.some(({ name }) => name === "name") === true
  );
}
