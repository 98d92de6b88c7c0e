import { writeFile } from "node:fs/promises";
import type { Address } from "../../../src/notify/model/address.ts";
import type { World } from "../../../src/sandbox/world.ts";
import type { Case } from "../case.ts";
import { ADDRESSES, ROUTING } from "../routing.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { kill } from "./requests.ts";

/** The routing with a field that the changed file does not name any more. */
export const BEFORE = ROUTING.replace(
  "acme.example/amp }",
  "acme.example/amp, headers: { X-Team: ops } }",
);
const MOVED = ROUTING.replace("acme.example/amp", "acme.example/moved");

/** A change of the file after a whole run, and what must have come of it in the end. */
export interface Change {
  readonly name: string;
  readonly text: string;
  readonly words: readonly string[];
  /** The writes of the second run: a request, and which of those to it. */
  readonly writes: readonly (readonly [on: string, nth: number])[];
  readonly wanted?: readonly Address[];
  /** What is not as the file says, or changed though the file does not name it. */
  readonly holds: (world: World) => string | undefined;
}

const destinations = ({ destinations, projects }: World) => {
  const projectId = projects.find(({ name }) => name === "acme")?.id;
  return destinations.filter((one) => one.projectId === projectId);
};

/** The one destination has this name, type, URL, and the headers that nobody has taken away. */
function oneDestination(name: string, type: string, url: string, keepsHeaders = true) {
  const headers = keepsHeaders ? { "X-Team": "ops" } : undefined;
  const wanted = JSON.stringify([{ name, type, url, headers }]);
  return (world: World) => {
    const found = destinations(world).map(({ name, type, metadata: { url, headers } }) => {
      return { name, type, url, headers };
    });
    return JSON.stringify(found) === wanted ? undefined : `it has ${JSON.stringify(found)}`;
  };
}

const AMP = "https://hooks.acme.example/amp";
const SLACK = "https://hooks.slack.com/services/T/B/x";

/** Updates, renames, prunes, and one of another type under another name. */
export const CHANGES: readonly Change[] = [
  {
    name: "a URL moved",
    text: MOVED,
    words: [],
    writes: [["PATCH destinations/*", 1]],
    holds: oneDestination("ops", "webhook", "https://hooks.acme.example/moved"),
  },
  {
    name: "a destination and a topic renamed",
    text: ROUTING.replace("  ops:\n", "  alerts:\n    renamed-from: ops\n")
      .replaceAll("[ops]", "[alerts]")
      .replace("  trouble:\n", "  alarm:\n    renamed-from: trouble\n"),
    words: ["--prune"],
    writes: [
      ["PATCH destinations/*", 1],
      ["PATCH topics/*", 1],
    ],
    wanted: [
      "destination/alerts",
      "topic/lifecycle",
      "topic/alarm",
      "event-route/lifecycle/installation.created",
      "event-route/lifecycle/installation.deleted",
      "event-route/alarm/connection.error",
      "destination-route/lifecycle/alerts",
      "destination-route/alarm/alerts",
    ],
    holds: oneDestination("alerts", "webhook", AMP),
  },
  {
    name: "a destination of another type under another name",
    text: ROUTING.replace("  ops:\n", "  chat:\n")
      .replaceAll("[ops]", "[chat]")
      .replace("type: webhook", "type: slack")
      .replace(AMP, SLACK),
    words: ["--prune"],
    writes: [
      ["POST destinations", 2],
      ["POST topic-destination-routes", 3],
      ["POST topic-destination-routes", 4],
      ["DELETE topic-destination-routes/*", 1],
      ["DELETE topic-destination-routes/*", 2],
      ["DELETE destinations/*", 1],
    ],
    wanted: ADDRESSES.map((address) => address.replace(/\bops$/u, "chat") as Address),
    holds: oneDestination("chat", "slack", SLACK, false),
  },
  {
    name: "a topic pruned",
    text: ROUTING.slice(0, ROUTING.indexOf("  trouble:")),
    words: ["--prune"],
    writes: [
      ["DELETE topic-destination-routes/*", 1],
      ["DELETE notification-event-topic-routes/*", 1],
      ["DELETE topics/*", 1],
    ],
    wanted: ADDRESSES.filter((address) => !address.includes("trouble")),
    holds: oneDestination("ops", "webhook", AMP),
  },
];

/** What becomes of a write, or of the process that sends it. */
const FAULTS = {
  "killed with it asked for, and in vain": {
    moment: "arrived",
    fault: { do: "reset", commit: false },
  },
  "killed with it asked for": { moment: "arrived" },
  "killed with it committed": { moment: "passed" },
  "killed with it answered": { moment: "answered" },
  "reset before commit": { fault: { do: "reset", commit: false } },
  "reset after commit": { fault: { do: "reset" } },
  "500 after commit": { fault: { do: "status", status: 500 } },
  "504 before commit": { fault: { do: "status", status: 504, commit: false } },
  "half an answer": { fault: { do: "cut" } },
  "a portal's page, before commit": { fault: { do: "html", commit: false } },
  "409 though committed": { fault: { do: "status", status: 409 } },
  "202, and in vain": { fault: { do: "empty", status: 202, commit: false } },
} as const satisfies Record<string, { moment?: Hook["moment"]; fault?: object }>;

/** Steps of the file of the state at which the second run is killed. */
const STATE = "/routing\\.json$";
const STEPS = [
  ["before its intent is saved", "rename", STATE, "before"],
  ["after its intent is saved", "rename", STATE, "after"],
] as const;

/** Makes the routing, changes the file, and starts the run that goes wrong. */
function changed({ text, words }: Change, trip?: Parameters<Bench["run"]>[1]) {
  return async (bench: Bench) => {
    await writeFile(bench.routingFile, BEFORE);
    const first = await bench.run(APPLY);
    if (first.code !== 0) throw new Error(`the first run exits ${first.code}`);
    await writeFile(bench.routingFile, text);
    await bench.run([...APPLY, "AMP_PARALLEL=1", ...words], trip);
  };
}

/** Those that every run of the tests takes. */
const CORE = new Set([
  "a URL moved: PATCH destinations/* 1 killed with it asked for, true",
  "a URL moved: PATCH destinations/* 1 reset after commit, false",
  "a URL moved: PATCH destinations/* 1 202, and in vain, true",
  "a destination and a topic renamed: PATCH topics/* 1 killed with it committed, true",
  "a destination of another type under another name: POST destinations 2 killed with it committed, true",
  "a topic pruned: DELETE topics/* 1 reset after commit, true",
  "a topic pruned: DELETE topics/* 1 202, and in vain, true",
]);

function faultsOf(change: Change, lists: boolean): Case[] {
  const { name, words, wanted, holds } = change;
  const common = {
    group: "updates",
    lists,
    cleanWords: words,
    ...(wanted === undefined ? {} : { wanted }),
    holds,
    faulted: changed(change),
  } as const;
  // A service that refuses a second route with 409 does so again. This one takes it, and without
  // lists nothing shows that the first was made: no real service answers in both ways.
  // A create that is accepted without an ID counts as created.
  const isShown = (on: string, what: string) =>
    (lists || !/^POST .*-routes$/u.test(on) || what !== "409 though committed") &&
    (!on.startsWith("POST ") || !what.startsWith("202"));
  const atWrites = change.writes.flatMap(([on, nth]) =>
    Object.entries(FAULTS)
      .filter(([what]) => isShown(on, what))
      .map(([what, wrong]): Case => {
        const title = `${name}: ${on} ${nth} ${what}`;
        const { moment, fault } = { moment: undefined, fault: undefined, ...wrong };
        return {
          ...common,
          name: title,
          core: CORE.has(`${title}, ${lists}`),
          ...(moment === undefined ? {} : { hooks: [{ on, nth, moment, act: kill }] }),
          ...(fault === undefined ? {} : { script: { faults: [{ on, nth, ...fault }] } }),
        };
      }),
  );
  const atSteps = STEPS.map(([what, call, path, when]): Case => {
    const trip = { call, path, nth: 1, when, act: { signal: "SIGKILL" } } as const;
    return { ...common, name: `${name}: killed ${what}`, faulted: changed(change, { trip }) };
  });
  return [...atWrites, ...atSteps];
}

/** Each fault at each write of each change, and `kill -9` around its intent. */
export const updateCases: readonly Case[] = [true, false].flatMap((lists) => [
  ...CHANGES.flatMap((change) => faultsOf(change, lists)),
]);
