import type { RoutingModel } from "../model/routing.ts";
import { diagramOf } from "../pages/diagram.ts";
import type { SetupItemOrigin, SetupResult } from "./result.ts";

/** What was done, laid out: every id, the routing drawn, the command that does the same. */
export function receiptPage(result: SetupResult) {
  const { savedTo, variables } = result;
  const text = (line: string) => ({ kind: "text" as const, text: line });
  return {
    title: isPlanned(result) ? "Nothing was created." : "Notification routing is set up.",
    blocks: [
      // Who saves a file only has seen the counts already.
      ...(isPlanned(result) && savedTo !== undefined ? [] : [receiptGrid(result)]),
      { kind: "routing" as const, picture: diagramOf(modelFrom(result)) },
      ...(savedTo === undefined ? [] : [text(`Saved as ${savedTo}.`)]),
      {
        kind: "command" as const,
        heading: "The same without questions",
        lines: [result.command],
        folds: true,
      },
      ...(variables.length === 0
        ? []
        : [text(`Set first, for each stands for a secret: ${variables.join(", ")}`)]),
    ],
  };
}

/** Every id, for `-o id`. */
export function receiptIds(result: SetupResult): string {
  return allParts(result)
    .flatMap(({ id }) => (id === undefined ? [] : [id]))
    .join("\n");
}

const SAID: Readonly<Record<SetupItemOrigin, string>> = {
  created: "created",
  existing: "existed",
  planned: "planned",
};

function receiptGrid(result: SetupResult) {
  return {
    kind: "grid" as const,
    framed: true,
    columns: ["What", "Name", "ID", ""],
    rows: allParts(result).map(({ what, name, id, origin }) => [
      what,
      name,
      { text: id ?? "", kind: "id" as const },
      SAID[origin],
    ]),
  };
}

function isPlanned(result: SetupResult): boolean {
  return allParts(result).every(({ origin }) => origin !== "created") && hasPlanned(result);
}

function hasPlanned(result: SetupResult): boolean {
  return allParts(result).some(({ origin }) => origin === "planned");
}

function allParts({ destination, topic, eventRoutes, destinationRoutes }: SetupResult) {
  return [
    { ...destination, what: "destination" },
    { ...topic, what: "topic" },
    ...eventRoutes.map((route) => ({ ...route, what: "route", name: route.eventType })),
    ...destinationRoutes.map((route) => ({
      ...route,
      what: "route",
      name: `${route.topic} → ${route.destination}`,
    })),
  ];
}

/** The routing as the result tells it: a result is all that a view gets. */
function modelFrom({ destination, topic, eventRoutes }: SetupResult): RoutingModel {
  const { name, type, metadata, id, origin } = destination;
  const kept = type === undefined ? {} : { type };
  return {
    destinations: new Map([
      [
        name,
        origin === "existing" && id !== undefined
          ? { kind: "existing", id, ...kept }
          : { kind: "new", type: type ?? "destination", metadata: metadata ?? {}, secrets: {} },
      ],
    ]),
    topics: new Map([
      [
        topic.name,
        {
          ...(topic.origin === "existing" && topic.id !== undefined ? { id: topic.id } : {}),
          events: eventRoutes.map(({ eventType }) => eventType),
          destinations: [name],
        },
      ],
    ]),
  };
}
