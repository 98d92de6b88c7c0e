import type { Api } from "../../api/operations/endpoint.ts";
import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import type { CaseResult, JudgedExpectation } from "../../documents/notify.ts";
import { counted } from "../../values/counted.ts";
import { defined, isJsonObject } from "../../values/json.ts";
import { durationText } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import { type Address, addressOf } from "../model/address.ts";
import { createResource } from "../model/operations.ts";
import { bodyOf, type DestinationPart, ownResources, type RoutingModel } from "../model/routing.ts";
import type { CaseExpectation, RoutingCase } from "./read-cases.ts";
import type { Stub, StubServer } from "./stubs.ts";

interface CasePlatform extends Readonly<CaseFacts["platform"]> {
  readonly project: string;
  /** Sends a request to the API. */
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Lets an event occur, with these fields beside those of a sample. */
  occur(type: string, fields: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** Lets time pass until no message waits for an attempt, and webhooks that only fail are disabled. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the platform of a case. */
export type PlatformMaker = (options: {
  /** The destination that the reads of customers name; absent: as in the sample. */
  readonly readDestination?: string | undefined;
  /** Names and event types of the service that no rule applies to. */
  readonly foreignNames: ReadonlySet<string>;
}) => CasePlatform;

/**
 * Runs a case: applies the routing to a platform of its own, lets the event occur, and judges where
 * it arrived once nothing is waiting any more.
 * @throws {UsageError} where the platform refuses the routing
 */
export async function runCase(
  one: RoutingCase,
  model: RoutingModel,
  {
    makePlatform,
    stubs,
    signal,
  }: {
    readonly makePlatform: PlatformMaker;
    readonly stubs: StubServer;
    readonly signal: AbortSignal;
  },
): Promise<CaseResult> {
  const start = performance.now();
  const { destination, ...fields } = one.with;
  const readDestination = typeof destination === "string" ? destination : undefined;
  const platform = makePlatform({ readDestination, foreignNames: foreignNames(model) });
  try {
    const receivers = receiversOf(one, model);
    const urls = new Map([...receivers].map(([name, stub]) => [name, stubs.add(stub)]));
    const ids = await applyRouting(model, urls, platform);
    for (const [name, stub] of receivers) stub.secret = await secretOf(name, platform);
    const eventIds = await platform.occur(one.when, isData(one.when) ? fields : one.with);
    await Promise.race([platform.settled(), aborted(signal)]);
    const facts = { platform, ids, receivers, eventIds, model };
    const expectations = judgeCase(one, facts);
    return {
      name: one.name,
      file: one.file,
      line: one.line,
      when: one.when,
      outcome: expectations.every(({ met }) => met) ? "pass" : "fail",
      ms: Math.round(performance.now() - start),
      expectations,
    };
  } finally {
    await platform.close();
  }
}

/** The names of existing resources are kept; unknown event types are sent as they are. */
function foreignNames({ destinations, topics }: RoutingModel): ReadonlySet<string> {
  const existing = [...destinations, ...topics].filter(([, part]) => "id" in part);
  const events = [...topics.values()].flatMap((topic) => topic.events);
  return new Set([...existing.map(([name]) => name), ...events]);
}

function isData(type: string): boolean {
  return type.endsWith(".message");
}

/** A stub for each webhook, and for each destination whose type the file does not say. */
function receiversOf({ receivers, to }: RoutingCase, { destinations }: RoutingModel) {
  return new Map(
    [...destinations].flatMap(([name, { type = "webhook" }]): [string, Stub][] => {
      if (type !== "webhook") return [];
      const behaviour = receivers.get(name) ?? {};
      const stub = { behaviour, forwardTo: to.get(name), signatures: new Map(), received: 0 };
      return [[name, stub]];
    }),
  );
}

/** Creates the resources of a routing, its webhooks with the URLs of stubs. */
async function applyRouting(
  model: RoutingModel,
  urls: ReadonlyMap<string, string>,
  platform: CasePlatform,
): Promise<ReadonlyMap<string, string>> {
  const destinations = [...model.destinations].map(([name, part]): [string, DestinationPart] => {
    const url = urls.get(name);
    if (url === undefined) return [name, part];
    const { metadata = {}, secrets = {} } = part.kind === "new" ? part : {};
    return [name, { kind: "new", type: "webhook", metadata: { ...metadata, url }, secrets }];
  });
  // Resources that exist at the service do not exist here.
  const topics = [...model.topics].map(
    ([name, { events, destinations: to }]) => [name, { events, destinations: to }] as const,
  );
  const routing = { destinations: new Map(destinations), topics: new Map(topics) };
  const { project } = platform;
  const api = apiOf(platform);
  const ids = new Map<Address, string>();
  for (const resource of ownResources(routing)) {
    const { kind, address } = resource;
    const { id } = await createResource({ api, project }, kind, bodyOf(resource, ids));
    ids.set(address, id);
  }
  return new Map(
    [...model.destinations.keys()].map((name) => [
      name,
      ids.get(addressOf("destination", name)) ?? "",
    ]),
  );
}

/** The part of the API that creates need, at a platform in this process. */
function apiOf(platform: CasePlatform): Api {
  const call = async (
    { path, does }: { readonly path: string; readonly does: string },
    input: { readonly path: Readonly<Record<string, string>>; readonly body: unknown },
  ) => {
    const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      encodeURIComponent(input.path[name] ?? ""),
    );
    const { status, body } = await platform.call("POST", filled, input.body);
    if (status < 300) return body;
    const { detail, issues } = isJsonObject(body) ? body : {};
    const why = [detail, ...issueTexts(issues)].filter((text) => typeof text === "string");
    throw routingErrors.routing_refused(does, why.join("\n"));
  };
  return { call } as unknown as Api;
}

function issueTexts(issues: unknown): string[] {
  return (Array.isArray(issues) ? issues : []).flatMap((issue: unknown) =>
    isJsonObject(issue) ? `${String(issue.name)}: ${String(issue.detail)}` : [],
  );
}

async function secretOf(name: string, platform: CasePlatform): Promise<string | undefined> {
  const path = `/projects/${platform.project}/destinations/${encodeURIComponent(name)}`;
  const { body } = await platform.call("GET", `${path}?includeSecrets=true`);
  const secrets = isJsonObject(body) ? body.secrets : undefined;
  const secret = isJsonObject(secrets) ? secrets.webhookSigningKey : undefined;
  return typeof secret === "string" ? secret : undefined;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

interface CaseFacts {
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

function judgeCase(one: RoutingCase, facts: CaseFacts): JudgedExpectation[] {
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
    const { unreached } = facts.receivers.get(expectation.destination) ?? {};
    const reason = unreached ?? last.status ?? last.error ?? "no answer";
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
