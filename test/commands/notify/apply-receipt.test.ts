import { expect, it } from "vitest";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { startStateServer } from "../../notify/state/remote/state-server.ts";
import { UNROUTED } from "../../unrouted.ts";
import { placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const ROUTES = "POST notification-event-topic-routes";
const APPLY = "apply -f routing.yaml --yes AMP_PARALLEL=1";

type Script = NonNullable<NonNullable<Parameters<typeof createFaultySandbox>[0]>["script"]>;

/** A place whose service refuses or loses creates as the script says. */
function faulty(script: Script) {
  return placeWith(createFaultySandbox({ script, state: UNROUTED }));
}

it.each<[string, Script, number, string]>([
  [
    "an unknown outcome",
    { lists: false, faults: [{ on: ROUTES, nth: 2, do: "reset" }] },
    9,
    "unknown",
  ],
  [
    "a refusal",
    { faults: [{ on: ROUTES, nth: 2, do: "status", status: 422, commit: false }] },
    9,
    "failed",
  ],
  [
    "a refusal of the first",
    { faults: [{ on: "POST *", do: "status", status: 422, commit: false }] },
    6,
    "failed",
  ],
] as const)(
  "an apply that %s ends writes its receipt for a program",
  async (_, script, code, end) => {
    const place = faulty(script);
    const ended = await place.notify(`${APPLY} --json`);
    expect(ended.code).toBe(code);
    expect(ended.error()).toMatchObject({ exitCode: code });
    expect(ended.error()).not.toHaveProperty("receipt");
    const { counts, settled } = ended.json() as {
      counts: Record<string, number>;
      settled: { outcome: string }[];
    };
    expect(counts[end]).toBeGreaterThan(0);
    expect(settled.filter(({ outcome }) => outcome === end)).toHaveLength(counts[end] ?? 0);
    const page = await faulty(script).notify(APPLY, { tty: { out: true } });
    expect([page.code, page.stdout]).toEqual([code, ""]);
    const rows = await faulty(script).notify(APPLY);
    expect(rows.code).toBe(code);
    expect(rows.stdout).toMatch(new RegExp(`^\\S+\\t${end}\\t`, "mu"));
    const variables = await faulty(script).notify(`${APPLY} -o env`);
    expect(variables.code).toBe(code);
    expect(variables.stdout).toContain(`RESULT_COUNTS_${end.toUpperCase()}=${counts[end]}\n`);
    const summary = await faulty(script).notify(`${APPLY} -o markdown`);
    expect([summary.code, summary.stdout]).toEqual([code, expect.stringContaining(`1 ${end}`)]);
    expect(summary.stdout).toMatch(/^### Apply incomplete: /u);
    expect(summary.stdout).not.toContain("depends on a conflict");
  },
);

it.each([
  ["a reset", { on: ROUTES, nth: 2, do: "reset" }, "", 9, "3"],
  ["the time limit", { on: ROUTES, nth: 2, do: "slow", ms: 2_500 }, " --deadline 1500ms", 124, "4"],
] as const)(
  "--jq gets the receipt of an apply that %s ends, too",
  async (_, fault, more, code, count) => {
    const place = faulty({ lists: false, faults: [fault] });
    const ended = await place.notify(`${APPLY} --jq .counts.created${more}`);
    expect([ended.code, ended.stdout]).toEqual([code, `${count}\n`]);
  },
);

it.each([
  ["a create that is not the last", 1, "Run the same command again to continue. Allow more time"],
  ["the last create", 2, "Everything is in place. Run the same command again to verify it."],
])("a time limit that is reached during %s says what is left to do", async (_, nth, remedy) => {
  const on = nth === 1 ? ROUTES : "POST topic-destination-routes";
  const place = faulty({ faults: [{ on, nth: 1, do: "slow", ms: 2_500 }] });
  const ended = await place.notify(`${APPLY} --json --deadline 1500ms`);
  expect(ended.code).toBe(124);
  expect(ended.error()).toMatchObject({ remedy: expect.stringContaining(remedy) });
  expect(ended.error().remedy).not.toContain(nth === 2 ? "Allow more time" : "in place");
});

it("a write that was never sent, because its intent could not be saved, is not said to be sent", async () => {
  const server = await startStateServer();
  const place = placeWith();
  const at = { env: { AMP_PROFILE: "sandbox", AMP_STATE: `${server.origin}/state` } };
  await place.notify(APPLY, at);
  place.write("routing.yaml", ROUTING.replace("/amp }", "/other }"));
  // What the plan has decided is saved; then nothing more.
  let saves = 0;
  server.fault = ({ method }) => (method === "POST" && ++saves > 1 ? 500 : undefined);
  const ended = await place.notify(`${APPLY} --json`, at);
  await server.close();
  expect(writesOf(ended)).toEqual([]);
  expect([ended.code, ended.json()]).toEqual([
    7,
    expect.objectContaining({
      settled: expect.arrayContaining([
        expect.objectContaining({ address: "destination/ops", outcome: "failed", sent: false }),
      ]),
    }),
  ]);
  expect(ended.error()).toMatchObject({ remedy: "Run the command again later.", retryable: true });
});

it("an undo that an error ends writes its receipt for a program, too", async () => {
  const sandbox = createFaultySandbox({ script: {}, state: UNROUTED });
  const place = placeWith(sandbox);
  await place.notify("apply -f routing.yaml --yes");
  sandbox.follow([{ on: "DELETE topics/*", do: "status", status: 403, commit: false }]);
  const ended = await place.notify("undo r1 --yes --json");
  expect(ended.code).toBe(9);
  expect(ended.json()).toMatchObject({ counts: { deleted: 3, failed: 1 } });
});

const SETUP =
  "setup --destination-name ops --destination-type webhook --url https://hooks.acme.com/amp " +
  "--topic life --event installation.created,installation.deleted --yes";

it("a setup that an error ends writes its receipt for a program, too", async () => {
  const script: Script = {
    faults: [{ on: ROUTES, nth: 2, do: "status", status: 422, commit: false }],
  };
  const ended = await faulty(script).notify(`${SETUP} --json`);
  expect([ended.code, ended.error()]).toEqual([9, expect.objectContaining({ exitCode: 9 })]);
  expect(ended.json()).toMatchObject({ counts: { created: 3, failed: 1 }, warnings: [] });
  expect(ended.error()).not.toHaveProperty("result");
  const page = await faulty(script).notify(SETUP, { tty: { out: true } });
  expect([page.code, page.stdout]).toEqual([9, ""]);
});
