import type { Case } from "../case.ts";
import { type ServerFault, type StateServer, serveState } from "../state-server.ts";
import { APPLY, type Bench } from "../workbench.ts";

/** Requests to the state server in a run with one create after the other. */
const POINTS = {
  "the lock": { on: "LOCK state", nth: 1 },
  "reading the state": { on: "GET state", nth: 1 },
  "the first intent": { on: "POST state", nth: 1 },
  "a later intent": { on: "POST state", nth: 10 },
  "a later result": { on: "POST state", nth: 11 },
  "the last result": { on: "POST state", nth: 17 },
  "the unlock": { on: "UNLOCK state", nth: 1 },
} as const;

const FAILURES: Readonly<Record<string, Pick<ServerFault, "do" | "commit">>> = {
  "answers 500": { do: 500, commit: false },
  "answers 500, though it is done": { do: 500, commit: true },
  "resets the connection": { do: "reset", commit: false },
  "resets the connection, though it is done": { do: "reset", commit: true },
  "answers 403": { do: 403, commit: false },
};

/** From that point on for the rest of the run, or only then. */
const LASTING = { once: 1, "from then on": 1000 } as const;

/** A lock that the dead server did not take back is taken away by who was told its id. */
async function unlock(bench: Bench): Promise<void> {
  const told = bench.ended.map(({ stderr }) => stderr).join("\n");
  const [, id] = /amp notify state unlock ([0-9a-f-]{36})/u.exec(told) ?? [];
  if (id !== undefined) await bench.run(["notify", "state", "unlock", id, "--yes"]);
}

/** Five runs at once, each of which must end in one of these ways. */
const five = (codes: readonly (number | null)[]) => async (bench: Bench) => {
  const runs = await Promise.all(Array.from({ length: 5 }, () => bench.run(APPLY)));
  const odd = runs.find(({ code }) => !codes.includes(code));
  if (odd) throw new Error(`one of five ended with ${odd.code}:\n${odd.stderr}`);
};

/** The state server says that it locks, or saves, and does not: nothing may be sent with it. */
const pretendingCases: readonly Case[] = (["locks", "saves"] as const).flatMap((pretence) =>
  [true, false].flatMap((lists) =>
    [1, 5].map((runs): Case => {
      let server: StateServer | undefined;
      return {
        group: "servers",
        name: `${pretence === "locks" ? "grants every lock" : "drops every save"}, ${runs} at once`,
        lists,
        core: runs === 5,
        prepare: async (bench) => {
          server = await serveState([], pretence);
          bench.env.AMP_STATE = server.url;
          bench.atEnd(server.close);
        },
        // A server that drops saves may well lock.
        ...(runs === 5
          ? { faulted: five(pretence === "saves" ? [2, 5, 7] : [2, 7]) }
          : { exits: [2, 7] }),
        silent: true,
        between: async () => server?.heal(),
        state: async () => server?.text(),
        ends: ["survived"],
      };
    }),
  ),
);

/** The state server fails at each kind of its requests, or pretends. */
export const serverCases: readonly Case[] = [
  ...pretendingCases,
  ...Object.entries(POINTS).flatMap(([point, rule]) =>
    Object.entries(FAILURES).flatMap(([failure, fault]) =>
      Object.entries(LASTING).flatMap(([lasting, times]) =>
        [true, false].map((lists): Case => {
          let server: StateServer | undefined;
          return {
            group: "servers",
            name: `${failure} ${lasting}, at ${point}`,
            lists,
            core:
              lists && lasting === "from then on" && failure.startsWith("resets the connection,"),
            words: ["AMP_PARALLEL=1"],
            prepare: async (bench) => {
              server = await serveState([{ ...rule, ...fault, times }]);
              bench.env.AMP_STATE = server.url;
              bench.atEnd(server.close);
            },
            between: async (bench) => {
              server?.heal();
              // A first attempt meets the lock where there is one left.
              if ((await bench.run(APPLY)).code === 5) await unlock(bench);
            },
            state: async () => server?.text(),
          };
        }),
      ),
    ),
  ),
];
