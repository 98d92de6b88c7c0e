import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SANDBOX_API_KEY } from "../../platform.ts";
import type { Case } from "../case.ts";
import { answering } from "../front.ts";
import { PROJECT } from "../routing.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";

type Told = Readonly<Record<string, unknown>>;

/** Somebody else creates or deletes something. */
async function elsewhere(bench: Bench, method: string, path: string, body?: Told): Promise<Told> {
  const answer = await fetch(`${bench.url}/projects/${PROJECT}/${path}`, {
    method,
    headers: { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} elsewhere: ${answer.status}`);
  return answer.status === 204 ? {} : ((await answer.json()) as Told);
}

const THEIRS = { type: "webhook", metadata: { url: "https://other.example/x" } };

/** While a create is on its way, somebody else creates a destination of its name. */
const overtakes: Hook = {
  on: "POST destinations",
  nth: 1,
  moment: "arrived",
  act: async (bench) => {
    await elsewhere(bench, "POST", "destinations", { name: "ops", ...THEIRS });
  },
};

/** The names of the topics of the routing, which to the service are other names. */
const CAPITALS: readonly string[] = ["LIFECYCLE", "TROUBLE"];

/** Deletes what somebody else created, and nothing that amp did. */
async function removeTheirs(bench: Bench): Promise<void> {
  const theirs = bench.sandbox.world.destinations.filter(({ metadata: { url } }) =>
    String(url).startsWith("https://other.example/"),
  );
  if (theirs.length !== 1) throw new Error(`${theirs.length} of the others' destinations exist`);
  await elsewhere(bench, "DELETE", `destinations/${theirs[0]?.id}`);
}

/** An outcome that is lost at the create that somebody else has overtaken. */
const LOST = {
  reset: { do: "reset", commit: false },
  "503": { do: "status", status: 503, commit: false },
} as const;

const TAKEOVER = ["--accept", "takeover"];
const PRUNE = [
  ...APPLY.map((word) => (word === "routing.yaml" ? "empty.yaml" : word)),
  "--prune",
  ...TAKEOVER,
];

/** A record that is not what amp sent: it is not taken for its own, and nothing is routed to it. */
export const strangerCases: readonly Case[] = [
  ...Object.entries(LOST).flatMap(([what, lost]) =>
    [true, false].map(
      (uniqueNames): Case => ({
        group: "strangers",
        name: `another destination of the name, the create ${what}${uniqueNames ? "" : ", names not unique"}`,
        lists: true,
        core: what === "reset",
        hooks: [overtakes],
        script: { uniqueNames, faults: [{ on: "POST destinations", nth: 1, ...lost }] },
        exits: [9],
        between: removeTheirs,
      }),
    ),
  ),
  {
    group: "strangers",
    name: "another destination of the name, and a run that prunes",
    lists: true,
    core: true,
    hooks: [overtakes],
    script: { faults: [{ on: "POST destinations", nth: 1, do: "reset", commit: false }] },
    exits: [9],
    between: async (bench) => {
      await writeFile(join(bench.folder, "empty.yaml"), "version: 1\nname: routing\n");
      const { code } = await bench.run(PRUNE);
      if (code !== 0) throw new Error(`the run that prunes exits ${code}`);
      await removeTheirs(bench);
    },
  },
  {
    group: "strangers",
    name: "topics of the names in capitals, and a create of one reset",
    lists: true,
    core: true,
    // Right before they are listed: what is older than the create is not a result of it anyway.
    hooks: [
      {
        on: "GET topics",
        nth: 1,
        moment: "arrived",
        act: async (bench) => {
          for (const name of CAPITALS) await elsewhere(bench, "POST", "topics", { name });
        },
      },
    ],
    // After those of the others.
    script: { faults: [{ on: "POST topics", nth: 3, do: "reset", commit: false }] },
    between: async (bench) => {
      const { topics } = bench.sandbox.world;
      const theirs = topics.filter(({ name }) => CAPITALS.includes(name));
      for (const { id } of theirs) await elsewhere(bench, "DELETE", `topics/${id}`);
    },
  },
  ...[true, false].map(
    (lists): Case => ({
      group: "strangers",
      name: "a create answered with the topic of another name",
      lists,
      core: true,
      front: () => answering("topics", 2, ({ seen }) => seen[0]),
      exits: [9],
      ends: lists ? ["survived"] : ["stopped"],
    }),
  ),
  {
    group: "strangers",
    name: "a create answered with the destination that was listed before",
    lists: true,
    core: true,
    prepare: async (bench) => {
      await elsewhere(bench, "POST", "destinations", { name: "theirs", ...THEIRS });
    },
    front: () => answering("destinations", 2, ({ seen }) => ({ ...seen[0], name: "ops" })),
    exits: [9],
    between: removeTheirs,
  },
  {
    group: "strangers",
    name: "a create answered with the route of another event",
    lists: true,
    core: true,
    front: () => answering("notification-event-topic-routes", 3, ({ seen }) => seen[0]),
    exits: [9],
  },
  {
    group: "strangers",
    name: "a create answered with a new ID, and another topic",
    lists: true,
    core: true,
    front: () =>
      answering("notification-event-topic-routes", 1, ({ sent }) => ({
        ...sent,
        id: "ntr_elsewhere",
        topicId: "top_elsewhere",
      })),
    exits: [9],
  },
];
