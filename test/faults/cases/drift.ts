import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_API_KEY } from "../../platform.ts";
import type { Case } from "../case.ts";
import { ADDRESSES, CREATES, PROJECT, routingOf } from "../routing.ts";
import { APPLY, type Bench } from "../workbench.ts";

const [, , , ROUTE = "topic/"] = ADDRESSES;
const ROUTES = "notification-event-topic-routes";
/** Said by somebody who knows that a record was deleted. */
const AGAIN = ["--accept", "recreate"];
const HORIZON_MS = 3_000;
/** Before the horizon, and after the first look of a run on a busy machine. */
const CATCHING_UP_MS = 2_000;
const LISTS = [...new Set(CREATES.map(([path]) => path))];

/** Somebody deletes a route behind the back of the state that made it. */
async function deleteRoute(bench: Bench): Promise<void> {
  const [id] = routingOf(bench.sandbox.world).get(ROUTE) ?? [];
  const answer = await fetch(`${bench.url}/projects/${PROJECT}/${ROUTES}/${id}`, {
    method: "DELETE",
    headers: { "x-api-key": SANDBOX_API_KEY },
  });
  if (answer.status !== 204) throw new Error(`the route was not deleted: ${answer.status}`);
}

/** Lists that do not show what was just changed, or show it again, after a whole run. */
export const driftCases: readonly Case[] = [
  {
    group: "drift",
    name: "the next run's lists behind by all changes",
    lists: true,
    exits: [5],
    core: true,
    faulted: async (bench) => {
      await bench.run(APPLY);
      bench.sandbox.follow([{ on: "GET *", do: "stale", changes: 8 }]);
      await bench.run(APPLY);
    },
  },
  {
    group: "drift",
    name: "the next run's lists behind by a change",
    lists: true,
    exits: [5],
    core: true,
    faulted: async (bench) => {
      await bench.run([...APPLY, "AMP_PARALLEL=1"]);
      bench.sandbox.follow([{ on: "GET *", do: "stale" }]);
      await bench.run(APPLY);
    },
  },
  ...(["topics", "*"] as const).map(
    (list): Case => ({
      group: "drift",
      name: `the next run finds no ${list === "*" ? "lists" : `list of ${list}`}`,
      lists: true,
      exits: [7],
      cleanWords: AGAIN,
      faulted: async (bench) => {
        await bench.run([...APPLY, "AMP_PARALLEL=1"]);
        await deleteRoute(bench);
        bench.sandbox.follow(
          LISTS.filter((each) => list === "*" || each === list).map((each) => ({
            on: `GET ${each}`,
            do: "status",
            status: 404,
            commit: false,
          })),
        );
        await bench.run(APPLY);
      },
    }),
  ),
  {
    group: "drift",
    name: "a route deleted by somebody",
    lists: true,
    exits: [5],
    cleanWords: AGAIN,
    faulted: async (bench) => {
      await bench.run(APPLY);
      await deleteRoute(bench);
      await bench.run(APPLY);
    },
  },
  {
    group: "drift",
    name: "a route deleted by somebody, its create reset, and the list then back before that",
    lists: true,
    core: true,
    hooks: [
      {
        on: `POST ${ROUTES}`,
        // The first run has three of them.
        nth: 4,
        moment: "arrived",
        act: ({ sandbox }) => {
          setTimeout(() => sandbox.follow([]), CATCHING_UP_MS);
        },
      },
    ],
    faulted: async (bench) => {
      await bench.run(APPLY);
      // Else the list is waited for: it might only be behind. The service's dates are whole seconds.
      await delay(HORIZON_MS + 3_000);
      await deleteRoute(bench);
      bench.sandbox.follow([
        { on: `POST ${ROUTES}`, nth: 1, do: "reset", commit: false },
        // Once to plan by; then another replica answers.
        { on: `GET ${ROUTES}`, nth: 2, times: 1000, do: "stale" },
      ]);
      await bench.run([...APPLY, ...AGAIN, `AMP_COMMIT_HORIZON=${HORIZON_MS}ms`]);
    },
  },
];
