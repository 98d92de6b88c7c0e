import { setTimeout as pause } from "node:timers/promises";
import type { Address } from "../../../src/notify/model/address.ts";
import type { World } from "../../../src/sandbox/world.ts";
import { chooser, createSandbox, SANDBOX_API_KEY } from "../../platform.ts";
import type { Behind, Front } from "../front.ts";
import { PROJECT, routingOf } from "../routing.ts";
import type { Bench } from "../workbench.ts";

/** What amp is told by AMP_COMMIT_HORIZON; the longest lag and a late commit together are shorter. */
export const HORIZON_MS = 4_000;
/** How far lists are behind. */
export const LAG_MS = 1_800;
/** How far they are behind when a run begins at once after another one, which may take a while. */
const FIRST_LAG_MS = 2_700;
const FIRST_MS = 700;
/** How long after its client gave up a late request is done. */
const LATE_MS = 600;

const LISTS = {
  destinations: "destinations",
  topics: "topics",
  "notification-event-topic-routes": "eventRoutes",
  "topic-destination-routes": "destinationRoutes",
} as const;

type Listed = Readonly<Record<string, unknown>> & { readonly id: string };

/** How a service behaves; what is not given, it does as it should, at once. */
export interface Service {
  readonly name: string;
  /** How far its lists are behind, in ms: what was made is missing, what was deleted still shown. */
  readonly lag?: { readonly made?: number; readonly deleted?: number; readonly values?: number };
  /** Of two equal lists after another one is fresh, the other one behind. */
  readonly replicas?: "behind first" | "fresh first";
  readonly lists?: false;
  readonly patch?: false;
  readonly remove?: false;
  readonly uniqueNames?: boolean;
  /** How it shows a record, in lists and answers. */
  readonly shows?: (record: Listed) => Listed;
}

/** What a person does at the service. */
export type Act =
  | { readonly makes: Address }
  | { readonly renames: Address; readonly name: string }
  | { readonly removes: Address };

/** What goes wrong with a request of amp; see `chooser` for `on` and `nth`. */
export interface Fault {
  readonly on: string;
  readonly nth?: number;
  /** What a person does just before. */
  readonly person?: Act;
  /** Whether the request is done; `late`: only after the client gave up. */
  readonly done?: "now" | "never" | "late";
  /** The client is killed, loses its connection, or gets another answer. */
  readonly gets?: "kill" | "reset" | "page" | 404 | 429 | 500;
}

/** A request, and what became of it. */
export interface Exchange {
  /** The run of amp that sent it, from 1. */
  readonly run: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  answer: string;
  /** The record that it made, and those that it took away. */
  made?: string;
  gone?: readonly string[];
}

/** A service that misbehaves; `at` a bench. */
export function misbehaving(service: Service, at: () => Bench, slow: number) {
  const log: Exchange[] = [];
  /** What must never be seen, as soon as it is. */
  const broken: string[] = [];
  const byPerson = new Set<string>();
  /** By a command for a single resource. */
  const byCommand = new Set<string>();
  const renamed = new Set<string>();
  const late: Promise<unknown>[] = [];
  const asked = new Map<string, number>();
  const from = performance.now();
  const moment = () => ({
    run: at().running.length,
    atMs: Math.round(performance.now() - from),
  });
  let choose = chooser<Fault>([]);
  let begun = 0;
  let isAtOnce = false;
  let isPlanned = false;

  async function list(request: Request, path: string, behind: Behind): Promise<Response> {
    const count = asked.get(path) ?? 0;
    asked.set(path, count + 1);
    const isFresh = service.replicas && (count % 2 === 0) === (service.replicas === "fresh first");
    const { made = 0, deleted = 0, values = 0 } = isFresh ? {} : (service.lag ?? {});
    const isFirst = isAtOnce && performance.now() - begun < FIRST_MS * slow;
    const longer = (ms: number) => (ms > 0 && isFirst ? FIRST_LAG_MS : ms) * slow;
    const world = seen(behind, longer(made), longer(deleted), longer(values));
    return createSandbox({ state: world }).fetch(request);
  }

  async function handle(request: Request, path: string, behind: Behind): Promise<Response> {
    const { method } = request;
    const isAbsent = { PATCH: service.patch, DELETE: service.remove }[method] === false;
    if (isAbsent) return Response.json({ title: "Method Not Allowed" }, { status: 405 });
    const lists = method === "GET" && path in LISTS && service.lists !== false;
    const response = lists ? await list(request, path, behind) : await behind.pass(request);
    if (!response.ok || service.shows === undefined || response.status === 204) return response;
    const body = (await response.json()) as Listed | readonly Listed[];
    const { shows } = service;
    const isRouting = (path.split("/", 1)[0] ?? "") in LISTS;
    const shown = Array.isArray(body) ? body.map(shows) : shows(body as Listed);
    return Response.json(isRouting ? shown : body, { status: response.status });
  }

  const front: Front = async (request, behind) => {
    const { method, url, headers } = request;
    const { pathname } = new URL(url);
    const path = pathname.split(`/projects/${PROJECT}/`)[1] ?? pathname;
    const body = await request.text();
    const exchange: Exchange = { ...moment(), method, path, body, answer: "" };
    if (log.at(-1)?.run !== exchange.run) begun = performance.now();
    log.push(exchange);
    const wrong = choose(method, pathname);
    const isCommand = !isPlanned;
    const act = async () => {
      const sent = new Request(url, { method, headers, ...(body === "" ? {} : { body }) });
      const before = behind.past(0);
      const response = await handle(sent, path, behind);
      const text = await response.clone().text();
      if (method === "POST" && response.ok) exchange.made = (JSON.parse(text) as Listed).id;
      if (exchange.made && isCommand) byCommand.add(exchange.made);
      broken.push(...madeTwice(behind.past(0), byPerson, byCommand));
      const there = idsOf(behind.past(0));
      exchange.gone = [...idsOf(before)].filter((id) => !there.has(id));
      exchange.answer += `${response.status}${method === "GET" && path in LISTS ? namesIn(text) : ""}`;
      return response;
    };
    if (wrong === undefined) return act();
    if (wrong.person) await person(at(), wrong.person);
    const { done = "now", gets } = wrong;
    if (done === "late") late.push(pause(LATE_MS).then(act));
    const response = done === "now" ? await act() : undefined;
    exchange.answer += ` [${done}, ${gets ?? "answered"}]`;
    if (gets === "kill") at().running.at(-1)?.signal("SIGKILL");
    if (gets === "page") return new Response("<html>Portal</html>", { headers: HTML });
    if (typeof gets === "number") return Response.json({ title: "Odd" }, { status: gets });
    return gets === undefined && response ? response : behind.reset();
  };

  /** Does what a person does, whose request no fault befalls. */
  async function person({ sandbox, url }: Bench, act: Act): Promise<void> {
    const [method, path, body] = requestOf(sandbox.world, act);
    const answer = await sandbox.fetch(
      new Request(`${url}/projects/${PROJECT}/${path}`, {
        method,
        headers: { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(`a person's ${method} ${path}: ${answer.status} ${text}`);
    if ("makes" in act) byPerson.add((JSON.parse(text) as Listed).id);
    if ("renames" in act) renamed.add((JSON.parse(text) as Listed).id);
    log.push({
      ...moment(),
      method,
      path,
      body: JSON.stringify(body ?? ""),
      answer: "by a person",
    });
  }

  return {
    front,
    log,
    broken,
    byPerson,
    renamed,
    lists: service.lists !== false,
    deletes: service.remove !== false,
    person: (act: Act) => person(at(), act),
    /** Has a fault befall the requests from now on, of a run that follows at once on another one. */
    arm: (
      fault: Fault | undefined,
      run: { readonly atOnce: boolean; readonly planned: boolean },
    ) => {
      choose = chooser(fault === undefined ? [] : [fault]);
      isAtOnce = run.atOnce;
      isPlanned = run.planned;
    },
    /** Waits for what is done late. */
    idle: () => Promise.all(late),
  };
}

const HTML = { "content-type": "text/html" };

/** What lists show that lag in each way by a time of its own. */
function seen({ past, worlds }: Behind, made: number, deleted: number, values: number): World {
  const now = past(0);
  const lists = Object.values(LISTS).map((list) => {
    const of = (world: World): readonly Listed[] => world[list];
    const has = (world: World, id: string) => of(world).find((record) => record.id === id);
    const asItWas = ({ id }: Listed) =>
      has(past(values), id) ?? worlds.map(({ world }) => has(world, id)).find(Boolean);
    const shown = of(now).filter(({ id }) => has(past(made), id));
    const gone = of(past(deleted)).filter(({ id }) => !has(now, id));
    return [list, [...shown.map((record) => (values > 0 ? asItWas(record) : record)), ...gone]];
  });
  return { ...now, ...(Object.fromEntries(lists) as Partial<World>) };
}

/** Two records of one key, where no person made one of them, or the second one by a command. */
function madeTwice(
  world: World,
  byPerson: ReadonlySet<string>,
  byCommand: ReadonlySet<string>,
): string[] {
  const project = world.projects.find(({ name }) => name === PROJECT)?.id;
  const first = new Map<string, string>();
  return Object.values(LISTS).flatMap((list) =>
    (world[list] as readonly Listed[]).flatMap((record) => {
      const { id, name, topicId, eventType, destinationId } = record;
      const key = [list, name, topicId, eventType, destinationId].join(" ");
      const other = first.get(key);
      if (record.projectId === project) first.set(key, id);
      const isTwice = other !== undefined && record.projectId === project;
      if (!isTwice || [id, other].some((each) => byPerson.has(each)) || byCommand.has(id))
        return [];
      return [`made twice: ${other} and ${id}, of ${key}`];
    }),
  );
}

function requestOf(world: World, act: Act): [string, string, object | undefined] {
  const ids = routingOf(world);
  const idOf = (address: string) => ids.get(address as Address)?.[0] ?? address;
  const address = "makes" in act ? act.makes : "renames" in act ? act.renames : act.removes;
  const [kind = "", first = "", second = ""] = address.split("/");
  const path = PATHS[kind as keyof typeof PATHS];
  if ("removes" in act) return ["DELETE", `${path}/${idOf(address)}`, undefined];
  if ("renames" in act) {
    const name = { name: act.name };
    const body = kind === "topic" ? name : { updateMask: ["name"], destination: name };
    return ["PATCH", `${path}/${idOf(address)}`, body];
  }
  const topicId = idOf(`topic/${first}`);
  const bodies: Readonly<Record<string, object>> = {
    destination: { name: first, type: "webhook", metadata: { url: "https://other.example/x" } },
    topic: { name: first },
    "event-route": { topicId, eventType: second },
    "destination-route": { topicId, destinationId: idOf(`destination/${second}`) },
  };
  return ["POST", path, bodies[kind]];
}

const PATHS = {
  destination: "destinations",
  topic: "topics",
  "event-route": "notification-event-topic-routes",
  "destination-route": "topic-destination-routes",
};

function namesIn(text: string): string {
  const records = JSON.parse(text) as readonly Listed[] | Listed;
  return Array.isArray(records) ? ` ${records.map(({ id, name }) => name ?? id).join(" ")}` : "";
}

/** The IDs of all routing. */
export function idsOf(world: World): ReadonlySet<string> {
  return new Set([...routingOf(world).values()].flat());
}
