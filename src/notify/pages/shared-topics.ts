import { firstNames } from "../../values/counted.ts";
import type { Block } from "../../view/view.ts";
import { addressParts } from "../model/address.ts";
import type { PlanDocument } from "../plan/plan-document.ts";

/** Says who receives more than a plan names, because other files and setups route the same topic. */
export function sharedTopicsBlock({
  items,
  others,
}: Pick<PlanDocument, "items" | "others">): Block[] {
  const created = items.filter(({ action }) => action === "create" || action === "unknown");
  const topics = new Set(
    items.flatMap(({ address, kind }) => (kind === "topic" ? addressParts(address).names : [])),
  );
  const lines = [...topics].flatMap((topic) => {
    const events = [endsOf(created, "event-route", topic), endsOf(others, "event-route", topic)];
    const destinations = [
      endsOf(created, "destination-route", topic),
      endsOf(others, "destination-route", topic),
    ];
    const gains = [
      ...gain(destinations[0], events[1]),
      // The other destinations get what is new.
      ...gain(destinations[1], events[0]),
    ];
    if (gains.length === 0) return [];
    const owners = others.flatMap((one) => (isRouteOf(one, topic) ? one.owners : []));
    const by = owners.length === 0 ? "" : ` also declared by ${firstNames([...new Set(owners)])}`;
    return `Topic ${topic} is${by || " shared"}: ${gains.join("; ")}`;
  });
  return lines.length === 0 ? [] : [{ kind: "text", tone: "attention", text: lines.join("\n") }];
}

type Ends = readonly string[] | undefined;

function gain(destinations: Ends = [], events: Ends = []): string[] {
  if (destinations.length === 0 || events.length === 0) return [];
  const verb = destinations.length === 1 ? "receives" : "receive";
  return [`${firstNames(destinations)} also ${verb} ${firstNames(events)}`];
}

type Addressed = Pick<PlanDocument["others"][number], "address">;

/** Whether an address is that of a route at a topic. */
export function isRouteOf({ address }: Addressed, topic: string): boolean {
  const { names } = addressParts(address);
  return names.length > 1 && names[0] === topic;
}

/** The other ends of the routes at a topic. */
export function endsOf(
  routes: readonly Addressed[],
  kind: "event-route" | "destination-route",
  topic: string,
): string[] {
  return routes.flatMap((route) => {
    const { kind: found, names } = addressParts(route.address);
    return found === kind && isRouteOf(route, topic) ? (names[1] ?? []) : [];
  });
}
