import { existsSync } from "node:fs";
import { join } from "node:path";
import { MAIN_PROJECT as project, SANDBOX_API_KEY, writeSandboxState } from "../platform.ts";
import { UNROUTED } from "../unrouted.ts";
import { createHome, type Home, type Running, startAmp } from "./program.ts";

/** The platform that amp embeds, in a process of its own. */
export interface RunningSandbox {
  readonly url: string;
  readonly process: Running;
}

/** The routing of a project, by names: ids differ from sandbox to sandbox. */
export interface Routing {
  readonly destinations: readonly { name: string; type: string; metadata: unknown }[];
  readonly topics: readonly string[];
  /** `event > topic` */
  readonly eventRoutes: readonly string[];
  /** `topic > destination` */
  readonly destinationRoutes: readonly string[];
}

/** What a project has before anybody set anything up. */
export const NO_ROUTING: Routing = {
  destinations: [],
  topics: [],
  eventRoutes: [],
  destinationRoutes: [],
};

/** Starts a sandbox without routing in its main project, on a free port; it goes with the test. */
export async function startSandbox(...args: readonly string[]): Promise<RunningSandbox> {
  const given = args.indexOf("--state");
  const state = (given >= 0 && args[given + 1]) || join(createHome().folder, "world.json");
  if (!existsSync(state)) await writeSandboxState(state, UNROUTED);
  const options = ["--port", "0", "--quiet", ...args, ...(given < 0 ? ["--state", state] : [])];
  const process = startAmp(["sandbox", "start", ...options]);
  return { url: await process.firstLine(), process };
}

/** A home whose environment names a service and its credential. */
export function homeAt(url: string): Home {
  const home = createHome();
  return {
    ...home,
    env: { ...home.env, AMP_BASE_URL: url, AMP_API_KEY: SANDBOX_API_KEY, AMP_PROJECT: project },
  };
}

/** Asks a service as anybody with the key could. */
export async function ask<Answer>(url: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${url}/projects/${project}/${path}`, {
    headers: { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** The routing of the project, as the service itself tells it. */
export async function routingAt(url: string): Promise<Routing> {
  const destinations = await ask<Destination[]>(url, "destinations");
  const topics = await ask<Named[]>(url, "topics");
  const into = await ask<Route[]>(url, "notification-event-topic-routes");
  const out = await ask<Route[]>(url, "topic-destination-routes");
  const names = new Map([...destinations, ...topics].map(({ id, name }) => [id, name]));
  return {
    destinations: destinations.map(({ name, type, metadata }) => ({ name, type, metadata })),
    topics: topics.map(({ name }) => name),
    eventRoutes: into
      .map(({ eventType, topicId }) => `${eventType} > ${names.get(topicId)}`)
      .sort(),
    destinationRoutes: out.map(
      ({ topicId, destinationId = "" }) => `${names.get(topicId)} > ${names.get(destinationId)}`,
    ),
  };
}

/** Every id of the project's routing. */
export async function idsAt(url: string): Promise<string[]> {
  const lists = [
    "destinations",
    "topics",
    "notification-event-topic-routes",
    "topic-destination-routes",
  ];
  const records = await Promise.all(lists.map((list) => ask<Named[]>(url, list)));
  return records.flat().map(({ id }) => id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Destination extends Named {
  readonly type: string;
  readonly metadata: unknown;
}

interface Route {
  readonly topicId: string;
  readonly eventType?: string;
  readonly destinationId?: string;
}
