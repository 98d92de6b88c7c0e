import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type AppParts, buildApp } from "../app.ts";
import type { Notice } from "../events/platform-events.ts";
import { createFaultySandbox, type Exchange, overHttp } from "../faults/faulty-sandbox.ts";
import type { FaultScript } from "../faults/script.ts";
import {
  type Operation,
  type OperationCall,
  platform,
  queryFilters,
  throwNotFound,
} from "../operation.ts";
import { Refusal } from "../problem.ts";
import type { Sandbox, SandboxOptions } from "../sandbox.ts";
import type { Served } from "../serve.ts";
import { type Acts, createActs, type FaultRules, projectOrMain } from "./acts.ts";
import { eventDetail, eventRow, listEvents, messageRow } from "./rows.ts";
import { pageState } from "./state.ts";

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
      if (found !== undefined) return eventDetail(call, found);
      throw new Refusal("not-found", `No event of type ${JSON.stringify(type)} has occurred yet.`, {
        remedy: "Trigger one: amp trigger EVENT, or POST /_sandbox/trigger.",
      });
    }),
    read("state", (call) => pageState(call, projectOf(call))),
    read("events", (call) => listEvents(call, projectOf(call).id)),
    read("events/{id}", (call) => {
      const event = call.events.history.event(call.param("id"));
      return event ? eventDetail(call, event) : throwNotFound("event", call.param("id"));
    }),
    read("stream", (call) => eventStream(call, projectOf(call).id, end)),
    // As a seed file: a sandbox that starts from it is another world, with the same IDs.
    read("world", ({ store }) => ({ ...store.world, id: undefined })),
  ];
}

function projectOf(call: OperationCall) {
  return projectOrMain(call, queryFilters(call, ["project"]).project);
}

async function page(): Promise<Response> {
  const { loadPage } = await import("../../page/html.ts");
  const { html, headers } = await loadPage();
  return new Response(html, { headers });
}

const BEAT_MS = 15_000;
/** Notices are sent together, since thousands may come at once. */
const TOGETHER_MS = 50;
/** More than these are not worth showing one by one: the reader asks for the list again. */
const MAX_WAITING = 500;

/** What happens in a project, as server-sent events, until the reader or the sandbox ends. */
function eventStream(call: OperationCall, projectId: string, end: AbortSignal): Response {
  let wake = () => {};
  // Of several notices of one message, only the last is sent.
  let waiting = new Map<string | undefined, Notice>();
  const frames = async function* () {
    const look = () => wake();
    const forget = call.events.watch((notice) => {
      if (waiting.size > MAX_WAITING) waiting = new Map([[undefined, {}]]);
      waiting.set(notice.messageId ?? notice.eventId, notice);
      wake();
    });
    const beat = setInterval(look, BEAT_MS).unref();
    end.addEventListener("abort", look);
    try {
      yield Buffer.from(": open\n\n");
      while (!end.aborted) {
        if (waiting.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (!end.aborted) await pause(TOGETHER_MS);
        }
        const notices = [...waiting.values()];
        waiting = new Map();
        yield Buffer.from(notices.map((one) => shown(call, projectId, one)).join("") || ": \n\n");
      }
    } finally {
      forget();
      clearInterval(beat);
      end.removeEventListener("abort", look);
    }
  };
  return new Response(ReadableStream.from(frames()), {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

function shown(call: OperationCall, projectId: string, { eventId, messageId }: Notice): string {
  if (eventId === undefined) return frame("state", {});
  const { history } = call.events;
  const event = history.event(eventId);
  if (event?.projectId !== projectId) return "";
  if (messageId === undefined) return frame("event", eventRow(call, event));
  const tracked = history.message(messageId);
  return tracked ? frame("attempt", { eventId, message: messageRow(call, tracked) }) : "";
}

function frame(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
