import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Case } from "../case.ts";
import { ADDRESSES, ROUTING } from "../routing.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { kill } from "./requests.ts";

const put = (text: string) => (bench: Bench) => writeFile(bench.routingFile, text);

const REORDERED = `topics:
  trouble:
    destinations: [ops]
    events: [connection.error]
  lifecycle:
    destinations: [ops]
    events: [installation.deleted, installation.created]
destinations:
  ops: { metadata: { url: https://hooks.acme.example/amp }, type: webhook }
version: 1
name: routing
`;
const REPEATED = ROUTING.replace(
  "[installation.created, installation.deleted]",
  "[installation.created, installation.deleted, installation.created]",
).replace("destinations: [ops]", "destinations: [ops, ops]");
const LONGER = ROUTING.replace("[connection.error]", "[connection.error, connection.deleted]");
const MOVED = ROUTING.replace("hooks.acme.example/amp", "hooks.acme.example/other");

/** Killed with the fifth create committed, which is that of a route. */
const killed: Hook = {
  on: "POST notification-event-topic-routes",
  nth: 2,
  moment: "passed",
  act: kill,
};

/** Files that are refused as they stand, with nothing sent. */
const HOSTILE: Readonly<Record<string, string>> = {
  "a key twice": `${ROUTING}topics: {}\n`,
  "a name twice": ROUTING.replace("  trouble:", "  lifecycle:"),
  "a reference to nothing": ROUTING.replace("destinations: [ops]", "destinations: [nowhere]"),
  "the name __proto__": ROUTING.replace("  trouble:", "  __proto__:"),
  "a literal secret": ROUTING.replace(
    "    metadata:",
    "    secrets: { token: s3cr3t-of-acme }\n    metadata:",
  ),
  "aliases without end": `a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]
`,
  "no YAML": "version: [1\n",
  "of another version": ROUTING.replace("version: 1", "version: 2"),
};

/** A second file of the project: the destination and one topic in common, a route of its own. */
const SECOND = `version: 1
name: second
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.example/amp } }
topics:
  trouble:
    events: [connection.error, connection.deleted]
    destinations: [ops]
`;
const OF_BOTH: NonNullable<Case["wanted"]> = [
  ...ADDRESSES,
  "event-route/trouble/connection.deleted",
];

/**
 * Two files applied in turns with `--prune` to one state, a run of each killed on its way: at the end
 * each has all that it names. Then each gives up a part, which the other keeps if it names it.
 */
function inTurns(lists: boolean, on: string, nth: number): Case {
  const args = [...APPLY, "--prune"];
  const second = args.map((word) => (word === "routing.yaml" ? "second.yaml" : word));
  return {
    group: "routings",
    name: `two files in turns with --prune, killed at ${on} ${nth}`,
    lists,
    core: nth === 2,
    hooks: [{ on, nth, moment: "passed", act: kill }],
    faulted: async (bench) => {
      await writeFile(join(bench.folder, "second.yaml"), SECOND);
      const runs = [];
      for (const turn of [args, second, args, second, args]) runs.push(await bench.run(turn));
      const killed = runs.filter(({ code }) => code === null).length;
      if (killed !== 1) throw new Error(`${killed} runs were killed`);
      const deletes = bench.sandbox.log.filter(({ method }) => method === "DELETE");
      if (deletes.length > 0)
        throw new Error(`${deletes.length} resources of the other were deleted`);
      if (!lists) return;
      // The second gives up all but its own route; the first still wants the rest.
      const own = SECOND.replace("[connection.error, connection.deleted]", "[connection.deleted]");
      await writeFile(join(bench.folder, "second.yaml"), own.replace("[ops]", "[]"));
      await bench.run(second);
    },
    wanted: OF_BOTH,
    ...(lists ? { ends: ["survived"] } : {}),
  };
}

/** The file changes between the runs, or should never have been one. */
export const routingCases: readonly Case[] = [true, false].flatMap((lists): Case[] => [
  {
    group: "routings",
    name: "reordered after a kill",
    lists,
    core: lists,
    hooks: [killed],
    between: put(REORDERED),
  },
  {
    group: "routings",
    name: "with repetitions after a kill",
    lists,
    hooks: [killed],
    between: put(REPEATED),
  },
  {
    group: "routings",
    name: "longer after a kill",
    lists,
    hooks: [killed],
    between: put(LONGER),
    wanted: [...ADDRESSES, "event-route/trouble/connection.deleted"],
  },
  {
    group: "routings",
    name: "longer after a whole run",
    lists,
    core: !lists,
    between: put(LONGER),
    wanted: [...ADDRESSES, "event-route/trouble/connection.deleted"],
    ends: ["survived"],
  },
  {
    group: "routings",
    name: "another URL after a whole run",
    lists,
    core: lists,
    // The destination is updated in place.
    between: put(MOVED),
    ends: ["survived"],
  },
  {
    group: "routings",
    name: "a name that leads elsewhere, which the service refuses",
    lists,
    prepare: put(ROUTING.replace("  trouble:", "  ../../topics:")),
    between: put(ROUTING),
    exits: [9],
    ends: ["survived"],
  },
  ...[
    ["POST topics", 2],
    ["POST notification-event-topic-routes", 2],
    // That of the second file alone.
    ["POST notification-event-topic-routes", 4],
  ].map(([on, nth]) => inTurns(lists, `${on}`, Number(nth))),
  ...Object.entries(HOSTILE).map(
    ([what, text]): Case => ({
      group: "routings",
      name: `hostile: ${what}`,
      lists,
      core: lists && what === "a key twice",
      prepare: put(text),
      between: put(ROUTING),
      exits: [2],
      silent: true,
      ends: ["survived"],
    }),
  ),
]);
