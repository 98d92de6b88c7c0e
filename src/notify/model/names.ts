import { EVENT_TYPES, eventType } from "../../api/catalogue/events.ts";
import { nearest } from "../../values/nearest.ts";

/** True, or what is wrong, as prompts want it. */
export type AnswerCheck = (answer: string) => true | string;

/** The live platform's rules (platform.md, "Names"). Told early by questions, judged by the service. */
const NAME_RULES = {
  destination: { pattern: /^[A-Za-z0-9-]+$/u, says: "Only letters, digits and dashes." },
  topic: {
    pattern: /^[A-Za-z0-9-]{1,64}$/u,
    says: "Only letters, digits and dashes, 64 at the most.",
  },
} as const;

/** What can be named. */
export type NamedKind = keyof typeof NAME_RULES;

/** A check for the name of something new. */
export function nameCheck(
  kind: NamedKind,
  taken: readonly (string | null | undefined)[],
): AnswerCheck {
  return (answer) => {
    const { pattern, says } = NAME_RULES[kind];
    if (!pattern.test(answer)) return says;
    return taken.includes(answer) ? `A ${kind} of this name exists already.` : true;
  };
}

/** A check for what must not be empty. */
export const notEmpty: AnswerCheck = (answer) => answer.trim() !== "" || "Required";

/** The event type that was probably meant by one that this version does not know. */
export function nearestEvent(event: string): string | undefined {
  return eventType(event) === undefined ? nearest(event, EVENT_TYPES) : undefined;
}

/** A warning for each event type that this version does not know; they are sent all the same. */
export function eventWarnings(events: readonly string[]): string[] {
  return [...new Set(events)]
    .filter((event) => eventType(event) === undefined)
    .map((event) => {
      const meant = nearestEvent(event);
      const hint = meant ? `did you mean ${meant}?` : "amp notify events lists those it knows.";
      return `amp does not know the event type ${JSON.stringify(event)}: ${hint} It is sent as it is.`;
    });
}
