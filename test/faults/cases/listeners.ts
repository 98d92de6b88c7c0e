import type { Case } from "../case.ts";
import { readLoosely } from "../verdict.ts";
import { type Bench, stateText } from "../workbench.ts";
import { kill } from "./requests.ts";

const LISTEN = [
  ...["listen", "--port", "0", "--event", "connection.error", "--output", "ndjson"],
  ...["AMP_COMMIT_HORIZON=1s"],
];

/** What the platform reaches the listener by: this machine, or a tunnel to it. */
const WAYS = {
  "": [],
  " behind a tunnel": ["--public-url", "https://tunnel.example.com/amp"],
} as const satisfies Record<string, readonly string[]>;

type Way = keyof typeof WAYS;

/** Cleans up, and sees that nothing of the listener is left: neither at the service nor in the state. */
async function cleanUp(bench: Bench): Promise<void> {
  const { code, stderr } = await bench.run([
    ...["listen", "--clean", "--yes", "AMP_COMMIT_HORIZON=1s"],
  ]);
  if (code !== 0) throw new Error(`listen --clean ended with ${code}: ${stderr}`);
  const { destinations, topics, eventRoutes, destinationRoutes } = bench.sandbox.world;
  const own = [...destinations, ...topics].filter(({ name }) => name.startsWith("amp-listen-"));
  const ids = new Set(own.map(({ id }) => id));
  const routes = [...eventRoutes, ...destinationRoutes].filter(({ topicId }) => ids.has(topicId));
  const { records, pending } = readLoosely(await stateText(bench));
  const known = [...records.keys(), ...pending].filter((one) => one.includes("amp-listen-"));
  if (own.length + routes.length + known.length > 0) {
    throw new Error(`left behind: ${JSON.stringify([own, routes, known])}`);
  }
}

/** Ends the listener in order once it has read its secret, the last request before it is ready. */
const interrupt = {
  on: "GET destinations/*",
  nth: 1,
  moment: "answered",
  act: ({ running }: Bench) => running.at(-1)?.signal("SIGINT"),
} as const;

const CREATES = [
  "POST destinations",
  "POST topics",
  "POST notification-event-topic-routes",
  "POST topic-destination-routes",
] as const;

const DELETES = [
  "DELETE topic-destination-routes/*",
  "DELETE notification-event-topic-routes/*",
  "DELETE topics/*",
  "DELETE destinations/*",
] as const;

const MOMENTS = ["arrived", "passed", "answered"] as const;

function killedAt(name: string, hooks: Case["hooks"], core: boolean, way: Way = ""): Case {
  return {
    group: "listeners",
    name: `${name}${way}`,
    lists: true,
    core,
    hooks: hooks ?? [],
    faulted: async (bench) => void (await bench.run([...LISTEN, ...WAYS[way]])),
    between: cleanUp,
    exits: [null],
    isFooled: true,
  };
}

/** A listener that is killed around each write of its temporary routing, and cleaned up after. */
export const listenerCases: readonly Case[] = [
  ...(["", " behind a tunnel"] as const).map((way) =>
    killedAt(
      "killed while it listens",
      [{ on: "GET destinations/*", nth: 1, moment: "answered", act: kill }],
      true,
      way,
    ),
  ),
  ...[...CREATES, ...DELETES].map((on) =>
    killedAt(
      `killed with ${on} passed`,
      [
        ...(on.startsWith("DELETE") ? [interrupt] : []),
        { on, nth: 1, moment: "passed", act: kill },
      ],
      false,
      " behind a tunnel",
    ),
  ),
  ...CREATES.flatMap((on, at) =>
    MOMENTS.map((moment) =>
      killedAt(
        `killed with ${on} ${moment}`,
        [{ on, nth: 1, moment, act: kill }],
        (at === 0 && moment === "passed") || (at === 2 && moment === "arrived"),
      ),
    ),
  ),
  ...DELETES.flatMap((on, at) =>
    MOMENTS.map((moment) =>
      killedAt(
        `killed at its end with ${on} ${moment}`,
        [interrupt, { on, nth: 1, moment, act: kill }],
        at === 1 && moment === "passed",
      ),
    ),
  ),
];
