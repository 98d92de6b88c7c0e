import { isJsonObject } from "../../values/json.ts";
import { type Block, note, type Page } from "../../view/view.ts";
import { addressOf } from "../model/address.ts";
import { deliversTo } from "../model/metadata.ts";
import { routingMistakes } from "../model/mistakes.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import { routesByTopic } from "../plan/beyond.ts";
import type { LiveRouting } from "../plan/live.ts";
import { isOpenCreate, type Plan } from "../plan/plan.ts";
import { planJson } from "../plan/plan-document.ts";
import { planPage } from "./plan.ts";

/**
 * The plan of one small routing, with the routing drawn above it: of a topic that exists its whole
 * chain, with what is new marked as in the plan, and what arrives without being asked for in words.
 * @param live the live routing; without it, the plan says what else the topic has
 * @param warnings those that may have scrolled away
 */
export function drawnPlanPage(
  plan: Plan,
  model: RoutingModel,
  {
    live,
    warnings = [],
  }: {
    readonly live?: LiveRouting | undefined;
    readonly warnings?: readonly string[];
  } = {},
): Page {
  const chains = [...model.topics].map(([name, topic]) => chainOf(plan, model, live, name, topic));
  const isAllNew = plan.items.every(({ action }) => action === "create");
  const topics = chains.map((chain) => drawn(chain, isAllNew));
  const said = [
    ...chains.flatMap((chain) => [...foldedEvents(chain, isAllNew), ...remarks(chain)]),
    ...headersBlock(model),
    ...warnings.flatMap((text) => note(text, "attention")),
  ];
  const document = planJson(
    plan,
    routingMistakes(model).map(({ message }) => message),
  );
  const page = planPage(
    // The drawing and its remarks have the routes that the setup does not name.
    { ...document, unmanaged: [], others: [], removedFromFile: [], sharedTopics: [] },
    true,
  );
  return { ...page, blocks: [{ kind: "routing", picture: { topics } }, ...said, ...page.blocks] };
}

/** A topic with everything that flows through it. */
interface Chain {
  readonly name: string;
  readonly sign: Sign;
  readonly events: readonly ChainEnd[];
  readonly destinations: readonly (ChainEnd & { readonly note: string })[];
}

/** Whether a resource is new (`+`), may be there by an unknown outcome (`?`), or exists. */
type Sign = "+" | "?" | "";

interface ChainEnd {
  readonly name: string;
  readonly sign: Sign;
  /** Whether the routing names it; if not, the service has it. */
  readonly isAsked: boolean;
}

function chainOf(
  plan: Plan,
  { destinations }: RoutingModel,
  live: LiveRouting | undefined,
  name: string,
  topic: TopicPart,
): Chain {
  const { signOf, idOf } = plannedSigns(plan);
  const topicId = idOf("topic", name, topic.id);
  const sign = topic.id === undefined ? signOf("topic", name) : "";
  const isRouted = (route: { readonly [field: string]: unknown }) =>
    topicId !== undefined && route.topicId === topicId;
  const events = [...new Set(topic.events)];
  const unnamed = routesByTopic([...plan.others, ...plan.removedFromFile, ...plan.unmanaged]).get(
    name,
  );
  const routed =
    live?.["event-route"].filter(isRouted).flatMap((one) => one.eventType || []) ?? unnamed?.events;
  const asked = [...new Set(topic.destinations)].map((named) => {
    const part = destinations.get(named);
    const given = part?.kind === "existing" ? part.id : undefined;
    const own = part?.kind === "new" ? part : undefined;
    const partSign = own === undefined ? "" : signOf("destination", named);
    // The sign is that of the name, so the route alone is said in words.
    const routeNote = sign === "" ? ROUTE_NOTES[signOf("destination-route", name, named)] : "";
    return {
      name: named,
      id: idOf("destination", named, given),
      sign: partSign,
      isAsked: true,
      note: own && partSign !== "" ? newNote(own) : `${existingNote(part)}${routeNote}`,
    };
  });
  const reachedIds = new Set(
    live?.["destination-route"].filter(isRouted).map((one) => one.destinationId),
  );
  const askedIds = new Set(asked.map(({ id }) => id));
  const reached =
    live?.destination
      .filter(({ id }) => reachedIds.has(id) && !askedIds.has(id))
      .map((record) => unasked(record.name || record.id, record)) ??
    unnamed?.destinations.map((one) => unasked(one)) ??
    [];
  return {
    name,
    sign,
    events: [
      ...events.map((one) => ({
        name: one,
        sign: signOf("event-route", name, one),
        isAsked: true,
      })),
      ...[...new Set(routed).difference(new Set(events))].map(
        (one) => ({ name: one, sign: "", isAsked: false }) as const,
      ),
    ],
    destinations: [...asked, ...reached],
  };
}

/** The signs and IDs that a plan gives its resources. */
function plannedSigns(plan: Plan) {
  const items = new Map(plan.items.map((item) => [item.address, item]));
  const itemAt = (...parts: Parameters<typeof addressOf>) => items.get(addressOf(...parts));
  const signOf = (...parts: Parameters<typeof addressOf>): Sign => {
    const item = itemAt(...parts);
    if (item?.action === "unknown") return isOpenCreate(item) ? "?" : "";
    return item && (item.action === "create" || ("reason" in item && item.reason === "gone"))
      ? "+"
      : "";
  };
  const idOf = (kind: "topic" | "destination", named: string, given: string | undefined) => {
    const item = itemAt(kind, named);
    return given ?? (item !== undefined && "id" in item ? item.id : undefined);
  };
  return { signOf, idOf };
}

/** The most event types that are drawn line by line: a review with its question fits 24 lines. */
const MAX_DRAWN_EVENTS = 10;

function drawn({ name, sign, events, destinations }: Chain, isAllNew: boolean) {
  const isFolded = events.length > MAX_DRAWN_EVENTS;
  return {
    name: marked({ name, sign }, isAllNew),
    note: sign === "" ? "existing topic" : "topic",
    events: isFolded
      ? [`${events.length} event types`]
      : events.map((event) => marked(event, isAllNew)),
    destinations: destinations.map((end) => ({ name: marked(end, isAllNew), note: end.note })),
  };
}

function foldedEvents({ events }: Chain, isAllNew: boolean): Block[] {
  if (events.length <= MAX_DRAWN_EVENTS) return [];
  return note(events.map((event) => marked(event, isAllNew)).join(", "));
}

function marked({ name, sign }: Pick<ChainEnd, "name" | "sign">, isAllNew: boolean): string {
  return sign === "" || isAllNew ? name : `${sign} ${name}`;
}

function remarks({ name, events, destinations }: Chain): Block[] {
  const [others, further] = [events, destinations].map((ends: readonly ChainEnd[]) =>
    ends.filter(({ isAsked }) => !isAsked).map((end) => end.name),
  ) as [string[], string[]];
  const isMore = events.some((event) => event.sign === "+") && further.length > 0;
  const lines = [
    others.length > 0 && `Already routed to ${name}, and still delivered: ${others.join(", ")}`,
    isMore && `Also receiving the new events: ${further.join(", ")}`,
  ].filter((line) => line !== false);
  return note(lines.join("\n"), "attention");
}

const ROUTE_NOTES: Readonly<Record<Sign, string>> = {
  "+": ", new route",
  "?": ", route unknown",
  "": "",
};

function headersBlock({ destinations }: RoutingModel): Block[] {
  return [...destinations].flatMap(([name, part]): Block[] => {
    const headers = part.kind === "new" ? part.metadata.headers : undefined;
    const names = isJsonObject(headers) ? Object.keys(headers) : [];
    const text = `Headers of ${name}: ${names.join(", ")} (values hidden)`;
    return names.length === 0 ? [] : note(text);
  });
}

function unasked(name: string, record?: { readonly type?: unknown }) {
  return { name, sign: "" as const, isAsked: false, note: existingNote(record) };
}

function existingNote(part: { readonly type?: unknown } | undefined): string {
  return `existing ${part?.type || "destination"}`;
}

function newNote(part: Extract<DestinationPart, { kind: "new" }>): string {
  const target = deliversTo(part);
  // The space beside a name is short, and every webhook URL begins with https://.
  return [part.type, target?.replace(/^https:\/\//u, "")].filter(Boolean).join(" ");
}
