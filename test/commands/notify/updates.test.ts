import { describe, expect, it } from "vitest";
import type { FaultScript } from "../../../src/sandbox/faults/script.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import type { Outcome } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes --json";
const MOVED = ROUTING.replace("hooks.acme.com/amp", "hooks.acme.com/moved");
const OPS = "destination/ops";

/** A place whose routing is applied; afterwards the service has these faults. */
async function applied(
  faults: NonNullable<FaultScript["faults"]> = [],
  { lists = true, text = ROUTING }: { lists?: boolean; text?: string } = {},
) {
  const sandbox = createFaultySandbox({ script: { lists }, state: UNROUTED });
  const place = placeWith(sandbox);
  place.write("routing.yaml", text);
  expect((await place.notify(APPLY)).code).toBe(0);
  sandbox.follow(faults);
  return { ...place, faulty: sandbox };
}

const named = ({ sandbox }: Pick<Place, "sandbox">, name: string) =>
  sandbox.world.destinations.find((one) => one.name === name);
const urlOf = (place: Pick<Place, "sandbox">, name = "ops") => named(place, name)?.metadata.url;
const idOf = (place: Pick<Place, "sandbox">) => named(place, "ops")?.id;
const planned = (run: Outcome) => run.json() as { items: unknown[]; counts: object };
const receipt = (run: Outcome) => run.json() as { settled: unknown[]; counts: object };
const rows = (run: Outcome) => run.json() as { address: string; id: string; status: string }[];
const stateOf = (place: Pick<Place, "read">) =>
  JSON.parse(place.read("s.json")) as {
    entries: Record<string, { id: string; made: string; owner: string }>;
  };
const at = { env: { AMP_STATE: "s.json" } };

describe("a URL that moved", () => {
  it("is shown with its old and new value, sent alone, and in place afterwards", async () => {
    const place = await applied();
    place.write("routing.yaml", MOVED);
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(planned(plan).items[0]).toEqual({
      address: OPS,
      kind: "destination",
      action: "update",
      id: expect.any(String),
      fields: ["metadata.url"],
      differences: [
        {
          field: "metadata.url",
          wanted: "https://hooks.acme.com/moved",
          found: "https://hooks.acme.com/amp",
        },
      ],
    });
    const run = await place.notify(APPLY);
    expect(receipt(run).settled[0]).toMatchObject({ address: OPS, outcome: "updated" });
    expect(run.requests.filter(({ method }) => method === "PATCH").map(({ body }) => body)).toEqual(
      [
        {
          updateMask: ["metadata.url"],
          destination: { metadata: { url: "https://hooks.acme.com/moved" } },
        },
      ],
    );
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it("says without consent that nothing was changed", async () => {
    const place = await applied();
    place.write("routing.yaml", MOVED);
    const refused = await place.notify("apply -f routing.yaml --json");
    expect([refused.code, writesOf(refused)]).toEqual([2, []]);
    expect(refused.error().done).toBe("Nothing was changed.");
  });

  it("keeps fields that the file does not set", async () => {
    const place = await applied([], {
      text: ROUTING.replace("/amp }", "/amp, headers: { X-Team: ops } }"),
    });
    place.write("routing.yaml", MOVED);
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(planned(plan).items[0]).toMatchObject({
      fields: ["metadata.url"],
      keptFields: ["metadata.headers"],
    });
    await place.notify(APPLY);
    expect(named(place, "ops")?.metadata).toEqual({
      url: "https://hooks.acme.com/moved",
      headers: { "X-Team": "ops" },
    });
  });

  it.each([
    ["a reset", { do: "reset" }],
    ["500", { do: "status", status: 500 }],
    ["an empty answer", { do: "empty" }],
    ["half an answer", { do: "cut" }],
  ] as const)("is there once after %s after commit", async (_, fault) => {
    const place = await applied([{ on: "PATCH *", nth: 1, ...fault }]);
    place.write("routing.yaml", MOVED);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect(run.code).toBe(0);
    expect(receipt(run).settled[0]).toMatchObject({ address: OPS, outcome: "updated" });
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
    expect(writesOf(run)).toHaveLength(1);
  });

  it.each([
    ["a reset", { do: "reset" }],
    ["504", { do: "status", status: 504 }],
    ["a portal's page", { do: "html" }],
  ] as const)(
    "is sent once a run, and done by the next one, after %s before commit",
    async (_, fault) => {
      const place = await applied([{ on: "PATCH *", nth: 1, ...fault, commit: false }]);
      place.write("routing.yaml", MOVED);
      const lost = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
      expect(lost.code).toBe(7);
      expect(lost.error()).toMatchObject({
        message: expect.stringContaining(`${OPS} was not updated`),
        done: "Nothing was changed.",
      });
      expect(writesOf(lost)).toHaveLength(1);
      expect(urlOf(place)).toBe("https://hooks.acme.com/amp");
      const again = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
      expect([again.code, writesOf(again).length]).toEqual([0, 1]);
      expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
    },
  );

  it("was not done where it is only accepted, and the list keeps the earlier settings", async () => {
    const fault = { do: "empty", status: 202, commit: false } as const;
    const place = await applied([{ on: "PATCH *", ...fault }]);
    place.write("routing.yaml", MOVED);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect(run.code).toBe(7);
    expect(receipt(run).settled.at(-1)).toMatchObject({ address: OPS, outcome: "failed" });
    expect(run.error().message).toContain(`${OPS} was not updated`);
    expect(run.error().message).toContain("other settings shown");
    place.faulty.follow([]);
    expect((await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`)).code).toBe(0);
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
  });

  it("is sent twice, and then named by plan and apply as not kept, where it is confirmed and the list keeps the earlier settings", async () => {
    const fault = { on: "PATCH *", do: "empty", status: 204, commit: false } as const;
    const place = await applied([fault, fault]);
    place.write("routing.yaml", MOVED);
    for (const _ of [1, 2]) {
      const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
      expect([run.code, writesOf(run).length]).toEqual([0, 1]);
    }
    const plan = await place.notify("plan -f routing.yaml AMP_COMMIT_HORIZON=50ms");
    expect(plan.stderr).toContain(`${OPS}: the service did not keep what it was sent`);
    expect(plan.stderr).toContain("hooks.acme.com/moved");
    const again = await place.notify("apply -f routing.yaml --yes AMP_COMMIT_HORIZON=50ms");
    expect(writesOf(again)).toEqual([]);
    expect(again.stderr).toMatch(/The service has destination\/ops \(\S+\) with other values/u);
  });

  it.each([204, 202])("is done where it is answered %d, and listed", async (status) => {
    const place = await applied([{ on: "PATCH *", do: "empty", status }]);
    place.write("routing.yaml", MOVED);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect(run.code).toBe(0);
    expect(receipt(run).settled[0]).toMatchObject({ address: OPS, outcome: "updated" });
    expect(writesOf(run)).toHaveLength(1);
  });

  it("is unknown where it is only accepted, and nothing is listed", async () => {
    const fault = { on: "PATCH *", do: "empty", status: 202, commit: false } as const;
    const place = await applied([fault], { lists: false });
    place.write("routing.yaml", MOVED);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect(run.code).toBe(9);
    expect(run.error()).toMatchObject({ unknown: [{ address: OPS, status: 202 }] });
  });

  it("says what a refusal means, and what to do where the service has no updates", async () => {
    for (const status of [404, 405, 501]) {
      const place = await applied([{ on: "PATCH *", do: "status", status, commit: false }]);
      place.write("routing.yaml", MOVED);
      const refused = await place.notify(APPLY);
      expect(refused.code, `${status}`).toBe(6);
      expect(refused.error()).toMatchObject({
        message: "This service does not update destinations",
        remedy: "Give it another name, and prune or delete the old one.",
        done: "Nothing was changed.",
      });
    }
    const place = await applied([{ on: "PATCH *", do: "status", status: 422, commit: false }]);
    place.write("routing.yaml", MOVED);
    expect((await place.notify(APPLY)).code).toBe(6);
    place.faulty.follow([]);
    expect((await place.notify(APPLY)).code).toBe(0);
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
  });

  it("may be of a destination that is gone where no list can tell", async () => {
    const place = await applied([{ on: "PATCH *", do: "status", status: 404, commit: false }], {
      lists: false,
    });
    place.write("routing.yaml", MOVED);
    const refused = await place.notify(APPLY);
    expect(refused.code).toBe(6);
    expect(refused.error()).toMatchObject({
      message: `This service does not update destinations, or has no ${OPS} any more`,
      remedy: "If it does not exist, remove it from the state.",
      suggestion: `amp notify state forget ${OPS}`,
      done: "Nothing was changed.",
    });
  });

  it("is changed without lists, too, and sent again once no update can be on its way", async () => {
    const place = await applied([{ on: "PATCH *", nth: 1, do: "reset" }], { lists: false });
    place.write("routing.yaml", MOVED);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect(run.code).toBe(9);
    expect(run.error()).toMatchObject({
      unknown: [{ address: OPS, commands: [] }],
      remedy: "Run the command again: it sends the same values again.",
    });
    const listed = rows(await place.notify("state list --json"));
    expect(listed.filter(({ id }) => id === idOf(place))).toMatchObject([{ address: OPS }]);
    const again = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
    expect([again.code, writesOf(again).length]).toEqual([0, 1]);
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });
});

describe("secrets and types", () => {
  const STREAM = `version: 1
destinations:
  stream:
    type: kinesis
    metadata: { streamName: amp, region: eu-central-1 }
    secrets: { awsKeyId: "env:KEY", awsSecretKey: "env:HUSH" }
`;
  const env = (HUSH: string) => ({ env: { KEY: "key-1", HUSH } });

  it("a changed secret is reported as changed, without values, and sent alone", async () => {
    const place = placeWith();
    place.write("routing.yaml", STREAM);
    await place.notify(APPLY, env("one-secret"));
    expect(writesOf(await place.notify(APPLY, env("one-secret")))).toEqual([]);
    const plan = await place.notify("plan -f routing.yaml --json", env("two-secret"));
    expect(planned(plan).items).toMatchObject([
      {
        action: "update",
        fields: ["secrets.awsSecretKey"],
        differences: [{ field: "secrets.awsSecretKey", wanted: "[redacted]", found: "[redacted]" }],
      },
    ]);
    const text = await place.notify("plan -f routing.yaml", env("two-secret"));
    expect(text.stderr).toMatch(/secrets\.awsSecretKey\s+changed \(hidden\)/u);
    const run = await place.notify(APPLY, env("two-secret"));
    expect(writesOf(run)).toHaveLength(1);
    expect(named(place, "stream")?.secrets).toEqual({
      awsKeyId: "key-1",
      awsSecretKey: "two-secret",
    });
    expect(JSON.stringify([plan.stdout, text.stdout, run.stdout, run.stderr])).not.toContain(
      "-secret\\",
    );
  });

  it("a changed secret whose answer is lost is unknown, and sent by the next run", async () => {
    const place = await applied([{ on: "PATCH *", nth: 1, do: "reset" }]);
    place.write("routing.yaml", STREAM);
    expect((await place.notify(APPLY, env("one-secret"))).code).toBe(0);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, env("two-secret"));
    expect(run.code).toBe(9);
    expect(run.error()).toMatchObject({
      unknown: [{ address: "destination/stream", commands: [] }],
      remedy: "Run the command again: it sends the same values again.",
    });
    const again = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, env("two-secret"));
    expect([again.code, writesOf(again).length]).toEqual([0, 1]);
    expect(named(place, "stream")?.secrets).toMatchObject({ awsSecretKey: "two-secret" });
  });

  it("a secret of a create whose answer is lost is unknown, and sent by the next run", async () => {
    const place = await applied([{ on: "POST destinations", nth: 1, do: "reset" }]);
    place.write("routing.yaml", STREAM);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, env("one-secret"));
    expect(run.code).toBe(9);
    expect(run.error()).toMatchObject({
      unknown: [{ address: "destination/stream", commands: [] }],
      remedy: "Run the command again: it sends the same values again.",
    });
    const again = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, env("one-secret"));
    expect([again.code, writesOf(again).length]).toEqual([0, 1]);
    const settled = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, env("one-secret"));
    expect([settled.code, writesOf(settled).length]).toEqual([0, 0]);
  });

  it("an update is unknown where the answer is cut off, also with status 200", async () => {
    const place = await applied();
    const before = urlOf(place);
    place.write("routing.yaml", MOVED);
    const headers = { "content-type": "application/json" };
    const fetch = (request: Request) =>
      request.method === "PATCH"
        ? Promise.resolve(new Response('{"id": "dst_', { headers }))
        : place.sandbox.fetch(request);
    const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`, { fetch });
    expect([run.code, urlOf(place)]).toEqual([7, before]);
    expect(run.error()).toMatchObject({
      message: expect.stringContaining("destination/ops was not updated: the response"),
    });
  });

  it("another type is a conflict that says what to do", async () => {
    const place = await applied();
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    const refused = await place.notify(APPLY);
    expect(refused.code).toBe(5);
    expect(refused.error()).toMatchObject({
      conflicts: [{ address: OPS, reason: "cannot_change" }],
      remedy: expect.stringContaining("Give it another name, and prune"),
    });
  });
});

describe("a resource that is not in the state", () => {
  it("is changed only with --accept adopt, and then belongs to it", async () => {
    const place = await applied();
    place.write("routing.yaml", MOVED);
    const refused = await place.notify(APPLY, at);
    expect(refused.code).toBe(5);
    expect(refused.error()).toMatchObject({
      conflicts: [{ address: OPS, reason: "not_managed" }],
      remedy: expect.stringContaining("--accept adopt"),
    });
    expect(writesOf(refused)).toEqual([]);
    const run = await place.notify(`${APPLY} --accept adopt`, at);
    expect(receipt(run).settled[0]).toMatchObject({ address: OPS, outcome: "updated" });
    expect(stateOf(place).entries[OPS]).toMatchObject({ made: "found", owner: "file:routing" });
    expect(urlOf(place)).toBe("https://hooks.acme.com/moved");
    expect(writesOf(await place.notify(APPLY, at))).toEqual([]);
  });
});

describe("renamed-from", () => {
  const RENAMED = ROUTING.replace("  ops: {", "  alerts: { renamed-from: ops,")
    .replace("[ops]", "[alerts]")
    .replace("  lifecycle:\n", "  life:\n    renamed-from: lifecycle\n");

  it("renames in place of deleting and creating; afterwards the line can be removed", async () => {
    const place = await applied();
    const before = await place.notify("state list --json");
    place.write("routing.yaml", RENAMED);
    const plan = await place.notify("plan -f routing.yaml --json --prune");
    expect(planned(plan).counts).toMatchObject({ update: 2, create: 0, delete: 0, in_place: 3 });
    const run = await place.notify(`${APPLY} --prune`);
    expect(writesOf(run).map((line) => line.split(" ")[0])).toEqual(["PATCH", "PATCH"]);
    const after = await place.notify("state list --json");
    const ids = (run: Outcome) =>
      rows(run)
        .map(({ id }) => id)
        .sort();
    expect(ids(after)).toEqual(ids(before));
    expect(rows(after).map(({ address }) => address)).toEqual([
      "destination/alerts",
      "topic/life",
      "event-route/life/connection.error",
      "event-route/life/installation.created",
      "destination-route/life/alerts",
    ]);
    const again = await place.notify(`${APPLY} --prune`);
    expect(writesOf(again)).toEqual([]);
    const hint = await place.notify("plan -f routing.yaml");
    expect(hint.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "remove renamed-from from the file: destination/alerts, topic/life",
    );
  });

  it("is not complete where the resource is created, with neither name there before", async () => {
    const place = placeWith();
    place.write("routing.yaml", RENAMED);
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(planned(plan)).toMatchObject({ counts: { create: 5 }, renamed: [] });
  });

  it("renames where only the case of letters differs", async () => {
    const place = await applied();
    place.write(
      "routing.yaml",
      ROUTING.replace("  ops: {", "  Ops: { renamed-from: ops,").replace("[ops]", "[Ops]"),
    );
    const run = await place.notify(`${APPLY} --prune`);
    expect(writesOf(run).map((line) => line.split(" ")[0])).toEqual(["PATCH"]);
    expect(place.sandbox.world.destinations.map(({ name }) => name)).toContain("Ops");
    expect(writesOf(await place.notify(`${APPLY} --prune`))).toEqual([]);
  });

  it("renames and changes at once, also where the answer is lost", async () => {
    for (const commit of [true, false]) {
      const place = await applied([{ on: "PATCH *", nth: 1, do: "reset", commit }]);
      place.write("routing.yaml", RENAMED.replace("hooks.acme.com/amp", "hooks.acme.com/moved"));
      const run = await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`);
      // What was not done is sent again by the next run.
      expect(run.code).toBe(commit ? 0 : 9);
      expect((await place.notify(`${APPLY} AMP_COMMIT_HORIZON=50ms`)).code).toBe(0);
      expect(urlOf(place, "alerts")).toBe("https://hooks.acme.com/moved");
      expect(place.sandbox.world.topics.map(({ name }) => name)).toContain("life");
      expect(writesOf(await place.notify(`${APPLY} --prune`))).toEqual([]);
    }
  });

  it("is a conflict where both names exist, and then prunes neither", async () => {
    const place = await applied();
    await place.notify("destinations create --name alerts --type webhook --url https://x.example");
    place.write("routing.yaml", RENAMED);
    const refused = await place.notify(`${APPLY} --prune`);
    expect(refused.code).toBe(5);
    expect(refused.error()).toMatchObject({
      done: "Nothing was changed.",
      conflicts: [{ address: "destination/alerts", reason: "both_exist" }],
    });
    expect(writesOf(refused)).toEqual([]);
  });

  it("of what the state did not make wants --accept adopt", async () => {
    const place = await applied();
    place.write("routing.yaml", RENAMED);
    const refused = await place.notify(APPLY, at);
    expect(refused.error().conflicts).toMatchObject([
      { address: "destination/alerts", reason: "not_managed" },
      { address: "topic/life", reason: "not_managed" },
    ]);
    const run = await place.notify(`${APPLY} --accept adopt`, at);
    expect(run.code).toBe(0);
    expect(receipt(run).counts).toMatchObject({ updated: 2, created: 0, adopted: 3 });
  });

  it.each([
    ["its own name", "{ renamed-from: a, type: webhook }", "is the current name"],
    ["another of the file", "{ renamed-from: b, type: webhook }", '"b" is another destination'],
    ["an ID", "{ renamed-from: x, id: d_1 }", "cannot be combined with id"],
  ])("of %s is refused with its place", async (_, part, message) => {
    const place = placeWith();
    place.write(
      "routing.yaml",
      `version: 1\ndestinations:\n  a: ${part}\n  b: { type: webhook }\n`,
    );
    const refused = await place.notify("plan -f routing.yaml");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(message);
  });
});

it("says that nothing was updated or deleted, where that was refused", async () => {
  const on = "PATCH destinations/*";
  const place = await applied([{ on, do: "status", status: 504, commit: false }]);
  place.write("routing.yaml", MOVED);
  const updated = await place.notify("apply -f routing.yaml --yes AMP_COMMIT_HORIZON=50ms");
  expect(updated.stderr).not.toContain("not created");
  expect(updated.stderr).toContain("Nothing was changed.");
  place.faulty.follow([{ on: "DELETE *", do: "status", status: 403, commit: false }]);
  place.write("routing.yaml", ROUTING.slice(0, ROUTING.indexOf("topics:")));
  const pruned = await place.notify(`${APPLY} --prune AMP_PARALLEL=1 AMP_COMMIT_HORIZON=50ms`);
  expect(pruned.error().done).toMatch(/^Nothing was deleted\./u);
});

it("sends nothing of a file with a conflict, which a summary shows without its error", async () => {
  const place = await applied();
  const two = `${ROUTING}  other:\n    events: [connection.error]\n    destinations: []\n`;
  place.write("routing.yaml", two.replace("type: webhook", "type: pigeon"));
  const refused = await place.notify("apply -f routing.yaml --yes -o markdown");
  expect([refused.code, writesOf(refused)]).toEqual([5, []]);
  expect(refused.stdout).toContain("### 2 conflicts, 2 to create");
  expect(refused.stdout).toContain("destination ops cannot be changed in place");
  expect(refused.stderr).toContain("Conflict: destination/ops");
});

describe("a topic that somebody renamed", () => {
  const WAIT = "AMP_COMMIT_HORIZON=50ms";

  async function renamed(): Promise<Awaited<ReturnType<typeof applied>>> {
    const place = await applied();
    // With a state of its own it is somebody else.
    const { id } = place.sandbox.world.topics.findLast(({ name }) => name === "lifecycle") ?? {};
    for (const words of [
      `state import topic/lifecycle ${id}`,
      "topics update lifecycle --name earlier --yes",
      "topics create lifecycle",
    ]) {
      expect((await place.notify(words, at)).code).toBe(0);
    }
    return place;
  }

  it("is not forgotten for another that has its name: its routes would double", async () => {
    const place = await renamed();
    const run = await place.notify(`${APPLY} ${WAIT}`);
    expect(run.code).toBe(5);
    expect(writesOf(run)).toEqual([]);
    expect(run.error()).toMatchObject({
      conflicts: [
        {
          address: "topic/lifecycle",
          differences: [{ field: "name", wanted: "lifecycle", found: "earlier" }],
        },
      ],
      suggestion: expect.stringMatching(/^amp notify topics update top_\w+ --name lifecycle$/u),
    });
  });

  it("keeps its routes listed, which lead elsewhere once it is forgotten", async () => {
    const place = await renamed();
    await place.notify("state forget topic/lifecycle");
    const plan = await place.notify(`plan -f routing.yaml --json`);
    expect(planned(plan).counts).toMatchObject({ adopt: 1, in_place: 1 });
    // The list shows them: there is nothing to wait for.
    const run = await place.notify(`${APPLY} --progress json`);
    expect(run.stderr).not.toContain("not listed yet");
    expect(run.code).toBe(0);
  });
});
