import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "../../api/operations/endpoint.ts";
import type { CaseResult } from "../../documents/notify.ts";
import { isJsonObject } from "../../values/json.ts";
import { routingErrors } from "../errors.ts";
import type { Address } from "../model/address.ts";
import { addressOf } from "../model/address.ts";
import { createResource } from "../model/operations.ts";
import { bodyOf, type DestinationPart, ownResources, type RoutingModel } from "../model/routing.ts";
import { type CaseFacts, judgeCase } from "./judge-case.ts";
import type { RoutingCase } from "./read-cases.ts";
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
  /** Resolves when no message is waiting for an attempt any more. */
  settled(): Promise<void>;
  /** How long it takes here until a webhook that only fails is disabled, in milliseconds. */
  readonly disablesAfterMs: number;
  close(): Promise<void>;
}

/** Makes the platform of a case. */
export type PlatformMaker = (options: {
  /** The destination that the reads of customers name; absent: as in the sample. */
  readonly readDestination?: string | undefined;
  /** Names and event types of the service that no rule applies to. */
  readonly foreignNames: ReadonlySet<string>;
}) => CasePlatform;

const DISABLED_EVENT = "destination.webhook.disabled";
const POLL_MS = 5;
/** The longest a case may wait beyond the platform's own time, on a machine that is busy. */
const PATIENCE_MS = 10_000;

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
    await settle(one, platform, ids, signal);
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

/** Waits until all is delivered or given up, and for what the case expects to be disabled. */
async function settle(
  { expectations }: RoutingCase,
  platform: CasePlatform,
  ids: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.race([platform.settled(), aborted(signal)]);
  const awaited = expectations.filter(
    ({ kind, event }) => kind === "disabled" || event === DISABLED_EVENT,
  );
  if (awaited.length === 0) return;
  const isOver = ({ kind, destination, event = "" }: (typeof awaited)[number]) => {
    const id = ids.get(destination) ?? "";
    if (kind === "disabled") return platform.isDisabled(id);
    return (
      kind === "misses" ||
      platform.attempts.some(
        (one) => one.eventType === event && one.destinationId === id && one.outcome === "delivered",
      )
    );
  };
  // Only a webhook that fails can be disabled.
  const isFailing = () => platform.attempts.some(({ outcome }) => outcome !== "delivered");
  const end = performance.now() + platform.disablesAfterMs + PATIENCE_MS;
  while (isFailing() && !awaited.every(isOver) && performance.now() < end) {
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
  await Promise.race([platform.settled(), aborted(signal)]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
