import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { EventRow } from "../../page/model.ts";
import { type AppParts, buildApp } from "../app.ts";
import { createFaultySandbox, type Exchange, overHttp } from "../faults/faulty-sandbox.ts";
import type { FaultScript } from "../faults/script.ts";
import {
  type Operation,
  type OperationCall,
  platform,
  queryFilters,
  throwNotFound,
  wholeNumber,
} from "../operation.ts";
import { Refusal } from "../problem.ts";
import type { Sandbox, SandboxOptions } from "../sandbox.ts";
import type { Served } from "../serve.ts";
import type { World } from "../world.ts";
import { type Acts, createActs, type FaultRules, projectOrMain } from "./acts.ts";
import { eventDetail, eventRow } from "./rows.ts";
import { pageState } from "./state.ts";
import { eventStream } from "./stream.ts";

/** The control of a running sandbox, beside the platform that it serves. */
export interface Control {
  /** Answers a request if its path is one of the control. */
  fetch(request: Request): Promise<Response> | undefined;
  readonly acts: Acts;
  /** What acts by HTTP need. */
  readonly token: string;
  /** Ends the streams that are open. */
  close(): void;
}

/** The path of the page; all of the control but `/health` is below it. */
export const CONTROL_PATH = "/_sandbox/";

const MAX_LISTED = 1000;
const subsystem = "control";

/**
 * Creates the control of a sandbox.
 * @param follow replaces the faults of requests to the API
 */
export function createControl(
  parts: AppParts,
  follow: (rules: FaultRules) => void,
  token = randomBytes(24).toString("base64url"),
): Control {
  const acts = createActs(parts, follow);
  const end = new AbortController();
  const app = buildApp({
    ...parts,
    specOnly: false,
    prefix: "",
    operations: [...reads(end.signal), ...Object.entries(acts).map((act) => operationOf(...act))],
    authorize: (headers) => assertToken(headers, token),
    nextRequestId: randomUUID,
    // Those of the page come without end.
    onRequest: (line) => {
      if (line.method !== "GET") parts.onRequest?.(line);
    },
  });
  return {
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      const isOwn = pathname === "/health" || pathname.startsWith(CONTROL_PATH);
      return isOwn ? Promise.resolve(app.fetch(request)) : undefined;
    },
    acts,
    token,
    close: () => end.abort(),
  };
}

/** A sandbox with its faults and its control. */
export interface Composed {
  readonly sandbox: Sandbox;
  readonly control: Control;
  readonly http: Served;
}

/**
 * Puts a sandbox together as it is served.
 * @throws {UsageError} where the script or the catalogue is not valid
 */
export function composeSandbox({
  script,
  token,
  onFault,
  ...options
}: SandboxOptions & {
  /** Default: a random one. */
  readonly token?: string | undefined;
  readonly script?: FaultScript | undefined;
  /** Called for each request with a fault. */
  readonly onFault?: ((exchange: Exchange) => void) | undefined;
}): Composed {
  const faulty = createFaultySandbox({
    ...options,
    ...(script && { script }),
    observe: (moment, exchange) => {
      if (moment === "answered" && exchange.fault) onFault?.(exchange);
    },
  });
  const { sandbox } = faulty;
  const control = createControl(sandbox.parts, faulty.follow, token);
  const withFaults = overHttp(faulty);
  const http: Served = {
    fetch: (request, outgoing) =>
      control.fetch(request) ?? (faulty.isFaulty ? withFaults : sandbox).fetch(request, outgoing),
  };
  return { sandbox, control, http };
}

/** @throws {Refusal} unless the request has the token, compared in constant time */
function assertToken(headers: Headers, token: string): void {
  const given = /^Bearer +(\S+)$/iu.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const [one, other] = [given, token].map((text) => createHash("sha256").update(text).digest());
  if (one && other && timingSafeEqual(one, other)) return;
  throw new Refusal("unauthenticated", "The request does not have the token of this sandbox.", {
    remedy: "Send it as Authorization: Bearer TOKEN; amp sandbox start prints it after #.",
    headers: { "www-authenticate": 'Bearer realm="amp sandbox"' },
  });
}

function operationOf(name: string, act: Acts[keyof Acts]): Operation {
  return platform(subsystem, `POST ${CONTROL_PATH}${name}` as const, async (call) =>
    Response.json(await act(await call.body(), call.origin)),
  );
}

const open = (route: Operation["route"], handle: Operation["handle"]): Operation => ({
  isPublic: true,
  ...platform(subsystem, route, handle),
});

const read = (path: string, handle: Operation["handle"]) =>
  platform(subsystem, `GET ${CONTROL_PATH}${path}` as const, handle);

function reads(end: AbortSignal): Operation[] {
  return [
    open("GET /health", () => ({ status: "ok" })),
    open(`GET ${CONTROL_PATH}`, page),
    open(`GET ${CONTROL_PATH}latest/{event}`, (call) => {
      const { id: projectId } = projectOf(call);
      const type = call.param("event");
      const all = call.events.history.events();
      const found = all.find((one) => one.type === type && one.projectId === projectId);
      return found === undefined ? throwNotFound("event of type", type) : eventDetail(call, found);
    }),
    read("state", (call) => pageState(call, projectOf(call))),
    read("events", listEvents),
    read("events/{id}", (call) => {
      const event = call.events.history.event(call.param("id"));
      return event ? eventDetail(call, event) : throwNotFound("event", call.param("id"));
    }),
    read("stream", (call) => eventStream(call, projectOf(call).id, end)),
    read("world", ({ store }) => seedOf(store.world)),
  ];
}

function projectOf(call: OperationCall) {
  return projectOrMain(call, queryFilters(call, ["project"]).project);
}

/** A world as a seed file: a sandbox that starts from it is another one, with the same IDs. */
export function seedOf({ id, ...world }: World): Omit<World, "id"> {
  return world;
}

async function page(): Promise<Response> {
  const { loadPage } = await import("../../page/html.ts");
  const { html, headers } = await loadPage();
  return new Response(html, { headers });
}

/** The events of a project, the newest first; `before` is the ID of the last one that is known. */
function listEvents(call: OperationCall): { events: readonly EventRow[]; more: boolean } {
  const names = ["project", "limit", "before", "event", "destination", "result", "search"] as const;
  const { limit, before, event, destination, result, search } = queryFilters(call, names);
  const { id: projectId } = projectOf(call);
  const most = wholeNumber("limit", limit, { least: 1, most: MAX_LISTED }) ?? 100;
  const wanted = search?.toLowerCase();
  const known = call.events.history.events();
  const from = before === undefined ? 0 : known.findIndex(({ id }) => id === before) + 1;
  // One that is no longer kept was older than all that are.
  const rest = before !== undefined && from === 0 ? [] : known.slice(from);
  const found: EventRow[] = [];
  for (const each of rest) {
    if (each.projectId !== projectId || (event !== undefined && each.type !== event)) continue;
    const row = eventRow(call, each);
    const isShown =
      (destination === undefined || isTo(row, destination)) &&
      (result === undefined || hasResult(row, result)) &&
      (wanted === undefined ||
        `${textOf(row)} ${JSON.stringify(each.data)}`.toLowerCase().includes(wanted));
    if (!isShown) continue;
    if (found.length === most) return { events: found, more: true };
    found.push(row);
  }
  return { events: found, more: false };
}

function isTo({ messages }: EventRow, wanted: string): boolean {
  return messages.some((one) => one.destination === wanted || one.destinationName === wanted);
}

function hasResult({ messages }: EventRow, wanted: string): boolean {
  if (wanted === "nobody") return messages.length === 0;
  return messages.some(({ result }) => result === wanted);
}

function textOf({ id, type, about, messages }: EventRow): string {
  const texts = messages.flatMap((one) => [one.id, one.destinationName]);
  return [id, type, about, ...texts].join(" ");
}
