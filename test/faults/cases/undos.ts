import { writeFile } from "node:fs/promises";
import type { Case } from "../case.ts";
import { ROUTING, routingOf } from "../routing.ts";
import { APPLY, type Bench } from "../workbench.ts";
import { kill } from "./requests.ts";

const MOVED = "https://hooks.acme.example/moved";
const [LIFECYCLE = ""] = ROUTING.split("  trouble:");
/** The whole routing, whose destination has moved: an update, and three creates more. */
const SECOND = ROUTING.replace("https://hooks.acme.example/amp", MOVED);

/** Two runs: the second one is to be taken back. */
async function twoRuns(bench: Bench): Promise<void> {
  for (const text of [LIFECYCLE, SECOND]) {
    await writeFile(bench.routingFile, text);
    const { code, stderr } = await bench.run(APPLY);
    if (code !== 0) throw new Error(`the runs before ended with ${code}: ${stderr}`);
  }
}

async function undo(bench: Bench): Promise<void> {
  const { stdout } = await bench.run(["notify", "state", "history", "--json"]);
  const runs = JSON.parse(stdout) as { run: string; undoes?: string }[];
  const run = runs.find(({ undoes }) => undoes === undefined)?.run ?? "";
  await bench.run(["notify", "undo", run, "--yes", "AMP_COMMIT_HORIZON=1s"]);
}

/** Undoes again, and sees that exactly what the first run created is left. */
async function undoAgain(bench: Bench): Promise<void> {
  await undo(bench);
  const { code, stderr } = bench.ended.at(-1) ?? {};
  // What the run updated stays.
  if (code !== 9) throw new Error(`the second undo ended with ${code}: ${stderr}`);
  const { world } = bench.sandbox;
  const left = [...routingOf(world).keys()].sort();
  const wanted = [
    "destination-route/lifecycle/ops",
    "destination/ops",
    "event-route/lifecycle/installation.created",
    "event-route/lifecycle/installation.deleted",
    "topic/lifecycle",
  ];
  const urls = world.destinations.filter(({ name }) => name === "ops");
  const isKept = urls.every(({ metadata }) => metadata.url === MOVED);
  if (JSON.stringify(left) !== JSON.stringify(wanted) || !isKept) {
    throw new Error(`undone: ${left.join(" ")}, ${JSON.stringify(urls)}`);
  }
}

/** The writes of an undo: the request, which of those to it in both runs and the undo, and in the undo. */
const POINTS = [
  ["DELETE topic-destination-routes/*", 1],
  ["DELETE notification-event-topic-routes/*", 1],
  ["DELETE topics/*", 1],
] as const;

/** What becomes of one of its writes. */
const LOST = {
  "reset before commit": { do: "reset", commit: false },
  "reset after commit": { do: "reset" },
  "500 after commit": { do: "status", status: 500 },
  "504 before commit": { do: "status", status: 504, commit: false },
  "half an answer": { do: "cut" },
} as const;

const UNDONE = { group: "undos", prepare: twoRuns, isFooled: true } as const;

/** An undo that is killed at each of its writes, or whose answers are lost, and run again. */
export const undoCases: readonly Case[] = [true, false].flatMap((lists) =>
  POINTS.flatMap(([on, nth], at) => [
    ...(["arrived", "passed", "answered"] as const).map(
      (moment): Case => ({
        ...UNDONE,
        name: `undo killed with ${on} ${moment}`,
        lists,
        between: undoAgain,
        core: moment === (lists && at === 0 ? "arrived" : "passed") && at < 2,
        hooks: [{ on, nth, moment, act: kill }],
        faulted: undo,
        exits: [null],
      }),
    ),
    ...Object.entries(LOST).map(
      ([what, fault]): Case => ({
        ...UNDONE,
        name: `undo, ${on} ${what}`,
        lists,
        between: undoAgain,
        core: lists && at === 1 && what === "reset after commit",
        faulted: async (bench) => {
          bench.sandbox.follow([{ on, nth: 1, ...fault }]);
          await undo(bench);
        },
      }),
    ),
  ]),
);
