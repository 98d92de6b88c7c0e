import type { FaultScript } from "../../../src/sandbox/faults/script.ts";
import type { Case } from "../case.ts";
import { CREATES } from "../routing.ts";
import type { Hook } from "../workbench.ts";

type ScriptedFault = NonNullable<FaultScript["faults"]>[number];
/** A line of a script without its `on`. */
type Wrong = ScriptedFault extends infer One
  ? One extends unknown
    ? Omit<One, "on">
    : never
  : never;

/** For what goes wrong by the clock: patient enough for a busy machine, and found long before. */
const PATIENT = ["AMP_COMMIT_HORIZON=10s"];
const TOO_LONG = 1800;
const SHORT = { AMP_TIMEOUT: "1500ms" };

/** How long a list is behind, in milliseconds. */
const CATCHING_UP = 400;

/** What a service, or something on the way to it, does to a create. */
const FAULTS: Readonly<Record<string, Wrong>> = {
  "reset before commit": { do: "reset", commit: false },
  "reset after commit": { do: "reset" },
  "500 before commit": { do: "status", status: 500, commit: false },
  "500 after commit": { do: "status", status: 500 },
  "502 page before commit": { do: "html", status: 502, commit: false },
  "502 page after commit": { do: "html", status: 502 },
  "503 with Retry-After": { do: "status", status: 503, commit: false, retryAfter: 1 },
  "503 after commit": { do: "status", status: 503 },
  "504 before commit": { do: "status", status: 504, commit: false },
  "504 after commit": { do: "status", status: 504 },
  "408 after commit": { do: "status", status: 408 },
  "425": { do: "status", status: 425, commit: false },
  "429 with Retry-After": { do: "status", status: 429, commit: false, retryAfter: 1 },
  "redirect after commit": { do: "status", status: 302, headers: { location: "/v1/elsewhere" } },
  "half an answer, before commit": { do: "cut", commit: false },
  "half an answer, after commit": { do: "cut" },
  "201 without a body": { do: "empty" },
  "204": { do: "empty", status: 204 },
  "a portal's page, before commit": { do: "html", commit: false },
  "a portal's page, after commit": { do: "html" },
  "a record without id": { do: "no-id" },
  "too slow, committed at once": { do: "slow", ms: TOO_LONG },
  "too slow, committed late": { do: "slow", ms: TOO_LONG, late: true },
};

/** Those worth a place in every run of the tests. */
const CORE = new Set([
  "reset before commit",
  "reset after commit",
  "503 with Retry-After",
  "500 after commit",
  "201 without a body",
  "too slow, committed late",
]);

type Twist = Pick<Case, "name" | "script" | "hooks" | "core" | "words" | "env">;

/** Every fault at one of the creates. */
function faultsAt(path: string, nth: number): Twist[] {
  return Object.entries(FAULTS).map(([name, fault]) => ({
    name,
    core: CORE.has(name),
    script: { faults: [{ ...fault, on: `POST ${path}`, nth } as ScriptedFault] },
    ...(fault.do === "slow" ? { words: PATIENT, env: SHORT } : {}),
  }));
}

/** What can go wrong only where there are lists. */
function listFaultsAt(path: string, nth: number): Twist[] {
  const on = `POST ${path}`;
  const soon: Hook = {
    on,
    nth,
    moment: "passed",
    act: ({ sandbox }) => {
      setTimeout(() => sandbox.follow([]), CATCHING_UP);
    },
  };
  const lied = (status: number): ScriptedFault => ({ on, nth, do: "status", status });
  return [
    {
      name: "reset after commit, the lists behind by a change",
      core: true,
      script: {
        faults: [
          { on, nth, do: "reset" },
          { on: `GET ${path}`, do: "stale" },
        ],
      },
      hooks: [soon],
      words: PATIENT,
    },
    {
      name: "reset after commit, names not unique",
      script: { uniqueNames: false, faults: [{ on, nth, do: "reset" }] },
    },
    { name: "409 though committed", core: true, script: { faults: [lied(409)] } },
    { name: "422 though committed", script: { faults: [lied(422)] } },
  ];
}

/** Each fault at each of the eight creates. */
export const serviceCases: readonly Case[] = CREATES.flatMap(([path, nth], at) => {
  const cases = (lists: boolean, twists: readonly Twist[]) =>
    twists.map(
      ({ name, core = false, ...twist }): Case => ({
        group: "service",
        lists,
        ...twist,
        name: `${name}, at create ${at + 1}`,
        core: core && (at === 1 || (at === 5 && lists)),
      }),
    );
  return [
    ...cases(true, [...faultsAt(path, nth), ...listFaultsAt(path, nth)]),
    ...cases(false, faultsAt(path, nth)),
  ];
});
