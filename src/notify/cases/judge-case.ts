import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import type { JudgedExpectation } from "../../documents/notify.ts";
import { counted } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { durationText } from "../../values/time.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { CaseExpectation, RoutingCase } from "./read-cases.ts";
import type { Stub } from "./stubs.ts";

/** The facts that a case is judged by. */
export interface CaseFacts {
  readonly platform: {
    readonly attempts: readonly DeliveryAttempt[];
    isDisabled(destinationId: string): boolean;
    /** The platform's time before an attempt: the waits after all earlier ones, in milliseconds. */
    waitBefore(attempt: number): number;
  };
  /** The IDs of the destinations by name. */
  readonly ids: ReadonlyMap<string, string>;
  readonly receivers: ReadonlyMap<string, Stub>;
  /** The IDs of the events that the case let occur. */
  readonly eventIds: readonly string[];
  readonly model: RoutingModel;
}

/** Judges the expectations of a case. */
export function judgeCase(one: RoutingCase, facts: CaseFacts): JudgedExpectation[] {
  return one.expectations.map((expectation) => {
    const problem = JUDGES[expectation.kind](expectation, one, facts);
    return {
      text: expectationText(expectation, one.when),
      met: problem === undefined,
      ...defined({ message: problem }),
      line: expectation.line,
    };
  });
}

type Judge = (
  expectation: CaseExpectation,
  one: RoutingCase,
  facts: CaseFacts,
) => string | undefined;

/** The problem of each kind of expectation; undefined where it holds. */
const JUDGES: Readonly<Record<CaseExpectation["kind"], Judge>> = {
  reaches: (expectation, one, facts) => {
    const { destination, withinMs, signed, times } = expectation;
    const attempts = attemptsOf(expectation, one, facts);
    const delivered = attempts.filter(({ outcome }) => outcome === "delivered");
    const [first] = delivered;
    if (first === undefined) return whyNot(expectation, one, facts, attempts);
    const count = new Set(delivered.map(({ messageId }) => messageId)).size;
    if (times !== undefined && count !== times) return `it arrived ${count} times`;
    const took = elapsed(first, attempts, facts);
    if (withinMs !== undefined && took > withinMs) {
      return `it arrived after ${timeText(took)}, with attempt ${first.attempt}`;
    }
    if (signed === undefined) return undefined;
    return signatureProblem(signed, destination, first, facts);
  },
  misses: (expectation, one, facts) => {
    const attempts = attemptsOf(expectation, one, facts);
    if (attempts.length === 0) return undefined;
    return attempts.some(({ outcome }) => outcome === "delivered")
      ? `it arrived${byTopics(expectation, one, facts)}`
      : `it was sent${byTopics(expectation, one, facts)}, but not accepted`;
  },
  disabled: (expectation, _one, { platform, ids }) => {
    const id = ids.get(expectation.destination) ?? "";
    if (platform.isDisabled(id)) return undefined;
    const failed = platform.attempts.filter(
      ({ destinationId, outcome }) => destinationId === id && outcome !== "delivered",
    );
    return failed.length === 0
      ? "it is not disabled: no message to it failed"
      : `it is not disabled: ${failed.length} of its attempts failed, and others were delivered`;
  },
};

function attemptsOf(
  { destination, event }: CaseExpectation,
  { when }: RoutingCase,
  { platform, ids, eventIds }: CaseFacts,
): DeliveryAttempt[] {
  const id = ids.get(destination);
  const type = event ?? when;
  return platform.attempts.filter(
    (one) =>
      one.destinationId === id &&
      one.eventType === type &&
      (event !== undefined || eventIds.includes(one.eventId)),
  );
}

/** The platform's time until an attempt had its answer: all waits and answers before it. */
function elapsed(
  { messageId, attempt }: DeliveryAttempt,
  attempts: readonly DeliveryAttempt[],
  { platform }: CaseFacts,
): number {
  const answers = attempts
    .filter((one) => one.messageId === messageId && one.attempt <= attempt)
    .reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  return platform.waitBefore(attempt) + answers;
}

function signatureProblem(
  signed: boolean,
  destination: string,
  { messageId }: DeliveryAttempt,
  { receivers }: CaseFacts,
): string | undefined {
  const stub = receivers.get(destination);
  if (stub === undefined) return signed ? "only messages to webhooks are signed" : undefined;
  const problem = stub.signatures.get(messageId);
  if (signed) return problem;
  return problem === undefined ? "its signature is valid" : undefined;
}

function whyNot(
  expectation: CaseExpectation,
  one: RoutingCase,
  facts: CaseFacts,
  attempts: readonly DeliveryAttempt[],
): string {
  const last = attempts.at(-1);
  if (last !== undefined) {
    const reason = last.status === undefined ? (last.error ?? "no answer") : String(last.status);
    return `it did not arrive: ${attempts.length === 1 ? "the attempt" : `all ${attempts.length} attempts`} failed (${reason})`;
  }
  const type = expectation.event ?? one.when;
  const occurred =
    expectation.event === undefined ||
    facts.platform.attempts.some((each) => each.eventType === type);
  const topics = [...facts.model.topics].flatMap(([name, { events }]) =>
    events.includes(type) ? [name] : [],
  );
  if (type.endsWith(".message"))
    return "it did not arrive: the customer's read names another destination";
  if (topics.length === 0) return `it did not arrive: no topic receives ${type}`;
  const routed = [...facts.model.topics].some(
    ([name, { destinations }]) =>
      topics.includes(name) && destinations.includes(expectation.destination),
  );
  if (routed && !occurred) return `it did not arrive: ${type} was not triggered`;
  const named = topics.length === 1 ? `topic ${topics[0]} does` : `topics ${topics.join(", ")} do`;
  return `it did not arrive: ${named} not route to it`;
}

function byTopics(
  expectation: CaseExpectation,
  { when }: RoutingCase,
  { model }: CaseFacts,
): string {
  const type = expectation.event ?? when;
  const topics = [...model.topics].flatMap(([name, { events, destinations }]) =>
    events.includes(type) && destinations.includes(expectation.destination) ? [name] : [],
  );
  if (topics.length === 0) return "";
  return ` by ${topics.length === 1 ? "topic" : "topics"} ${topics.join(", ")}`;
}

function expectationText(expectation: CaseExpectation, when: string): string {
  const { kind, destination, event, withinMs, signed, times } = expectation;
  if (kind === "disabled") return `${destination} is disabled`;
  const parts = [
    `${event ?? when} ${kind} ${destination}`,
    times !== undefined && counted(times, "time"),
    withinMs !== undefined && `within ${timeText(withinMs)}`,
    signed !== undefined && (signed ? "signed" : "with an invalid signature"),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

/** A time that is compared with a limit: rounded to tenths of a second, both may look the same. */
function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}
