import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import type { Prompter } from "../../../src/context/command-context.ts";
import { InterruptedError } from "../../../src/errors.ts";
import { type Outcome, run, sandboxAt } from "../../harness.ts";
import { BACK, CTRL_C, ENTER, operator } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { listingNoRoutes } from "./notify-fixture.ts";
import { atSandbox, CONSENT, made, NEW, noLists, setup, unfinished } from "./setups.ts";

const DESTINATION = "destination/ops-webhook";
const TOPIC = "topic/customer-lifecycle";
const ROUTE = "event-route/customer-lifecycle";
const OUT = "destination-route/customer-lifecycle/ops-webhook";

/** The lists are not behind. */
const HORIZON = ["AMP_COMMIT_HORIZON=10ms"];

type Outcomes = Readonly<Record<string, { readonly id?: string; readonly outcome: string }>>;

/** The ID and outcome of each address of a receipt. */
function outcomesOf({ json }: Outcome): Outcomes {
  const { settled } = json() as { settled: { address: string; id?: string; outcome: string }[] };
  return Object.fromEntries(
    settled.map(({ address, id, outcome }) => [address, { ...(id ? { id } : {}), outcome }]),
  );
}

function idAt(outcomes: Outcomes, address: string): string {
  return outcomes[address]?.id ?? "";
}

describe("a setup without questions", () => {
  it("ends with 8 where a route exists twice, as apply does", async () => {
    const sandbox = sandboxAt();
    const cwd = temporaryFolder();
    expect((await setup([...NEW, "--yes"], { sandbox, cwd })).code).toBe(0);
    const [route] = sandbox.world.eventRoutes.slice(-1);
    const make = `notify routes create --topic ${route?.topicId} --event ${route?.eventType} --state third.json`;
    const behind = { sandbox, cwd, ...listingNoRoutes(sandbox) };
    await run([...make.split(" "), "--project", "acme"], behind);
    const again = await setup([...NEW, "--yes"], { sandbox, cwd });
    expect(again.code).toBe(8);
    expect(again.stderr).toContain("exists 2 times");
  });

  it("creates every resource in order, and its receipt has every ID", async () => {
    const outcome = await setup([...NEW, "--yes", "--json"], { sandbox: sandboxAt() });
    expect(outcome.code).toBe(0);
    const posts = outcome.requests.filter(({ method }) => method === "POST");
    expect(posts.map(({ path }) => path.split("/").at(-1))).toEqual([
      "destinations",
      "topics",
      "notification-event-topic-routes",
      "notification-event-topic-routes",
      "topic-destination-routes",
    ]);
    const id = expect.any(String);
    expect(outcome.json()).toMatchObject({
      settled: [
        { address: "destination/ops-webhook", id, outcome: "created", sent: true },
        { address: "topic/customer-lifecycle", id, outcome: "created" },
        { address: "event-route/customer-lifecycle/connection.error", id, outcome: "created" },
        { address: "event-route/customer-lifecycle/installation.created", id, outcome: "created" },
        { address: "destination-route/customer-lifecycle/ops-webhook", id, outcome: "created" },
      ],
      counts: expect.objectContaining({ created: 5, in_place: 0, deleted: 0 }),
      duplicates: [],
      verified: true,
      lists: true,
      state: {
        location: expect.any(String),
        lineage: expect.any(String),
        serial: expect.any(Number),
      },
      listenCommand: "amp listen --event installation.created",
      triggerCommand: "amp trigger installation.created",
      secretCommand: "amp notify destinations secret ops-webhook",
    });
    expect(outcome.json()).not.toHaveProperty("savedTo");
    // The command that was typed.
    expect(outcome.json()).not.toHaveProperty("command");
  });

  it.each([
    ["write.async.done,connection.error", ["connection.error", "write.async.done"]],
    ["installation.created, connection.error", ["installation.created", "connection.error"]],
    ["read.triggered.*", ["read.triggered.done", "read.triggered.error"]],
    ["all,connection.error", [...EVENT_TYPES]],
  ])("takes %j as its event types", async (event, expected) => {
    const words = [...NEW.slice(0, -4), "--event", event, "--event", expected[0] ?? "", "--yes"];
    const { code, requests } = await setup(words, { sandbox: sandboxAt() });
    expect(code).toBe(0);
    const routes = requests.filter(({ method, path }) => method === "POST" && /event/u.test(path));
    const sent = routes.map(({ body }) => (body as { eventType: string }).eventType);
    expect(sent.toSorted()).toEqual(expected.toSorted());
  });

  it.each(["a b", "a,", ",", "conection.*"])("refuses %j as event types", async (event) => {
    const { code, requests, stderr } = await setup([...NEW, "--event", event, "--yes"]);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain("--event: ");
  });

  it("shows a receipt at 80 columns", async () => {
    const { stdout, stderr } = await setup([...NEW, "--yes"], {
      sandbox: sandboxAt(),
      tty: true,
      env: { NO_COLOR: "1" },
    });
    const ids = (text: string) =>
      text
        .replaceAll(/\b(dst|top|evr|dsr)_[0-9a-f]{8}/gu, "$1_00000000")
        .replaceAll(/State:[^(]+\(serial \d+\)/gu, "State: <state>");
    expect(ids(stdout)).toMatchSnapshot();
    expect(ids(stderr)).toMatchSnapshot();
  });

  it.each([
    ["stdout is not a terminal", { tty: { err: true } }, []],
    ["progress is not shown", { tty: true }, ["--quiet"]],
  ])("has every resource in the receipt where %s", async (_why, world, options) => {
    const { stdout } = await setup([...NEW, "--yes", ...options], {
      sandbox: sandboxAt(),
      ...world,
    });
    for (const kind of ["dst", "top", "evr", "dsr"]) expect(stdout).toContain(`${kind}_`);
  });

  it("works with a service that has no lists and answers only IDs", async () => {
    const { code, json } = await setup([...NEW, "--yes", "--json"], { fetch: noLists(made) });
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      settled: ["id-1", "id-2", "id-3", "id-4", "id-5"].map((id) => ({ id, outcome: "created" })),
      lists: false,
    });
  });

  it.each([
    [
      [],
      [
        "--destination-name (or --destination-id)",
        "--destination-type",
        "--url",
        "--topic (or --topic-id)",
        "--event",
        "--yes",
      ],
    ],
    [
      ["--destination-id", "d_1"],
      ["--topic (or --topic-id)", "--event", "--yes"],
    ],
    [
      ["--destination-type", "slack", "--yes"],
      ["--destination-name (or --destination-id)", "--topic (or --topic-id)", "--event"],
    ],
    [
      [...NEW.slice(0, 4), ...NEW.slice(6)],
      ["--url", "--yes"],
    ],
  ])("lists all missing options at once: %j", async (args, missing) => {
    const { code, requests, error } = await setup([...args, "--json"]);
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(error().message).toMatch(/^Missing options? /u);
    expect(
      String(error().message)
        .replace(/^Missing options? /u, "")
        .split(", "),
    ).toEqual(missing);
  });

  it("says that CI is set, where that keeps a terminal from being asked", async () => {
    const { code, stderr } = await setup([], { tty: true, env: { CI: "1" } });
    expect(code).toBe(2);
    expect(stderr).toContain("Not interactive, because CI is set: pass all of these options.");
  });

  it("needs --yes", async () => {
    const { code, requests, stderr } = await setup(NEW);
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain("Add --yes.");
  });

  it.each([
    [["--destination-id", "d_1", "--destination-name", "ops"], "--destination-id"],
    [["--destination-id", "d_1", "--secret", "a=env:PATH"], "--secret"],
    [["--topic-id", "t_1", "--topic", "t"], "--topic-id"],
  ])("refuses options that exclude each other: %j", async (args, named) => {
    const { code, requests, stderr } = await setup([...args, "--yes"], { tty: true });
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain(named);
  });

  it("warns of an unknown event type, and sends it", async () => {
    const { code, stderr, requests } = await setup([...NEW, "--event", "invoice.paid", "--yes"], {
      fetch: noLists(made),
    });
    expect(code).toBe(0);
    expect(stderr).toContain('Unknown event type "invoice.paid". The service may refuse it.');
    expect(requests.map(({ body }) => body)).toContainEqual({
      topicId: "id-2",
      eventType: "invoice.paid",
    });
  });

  it("refuses an empty header, whose variable was not set", async () => {
    const argv = [...NEW, "--metadata", "headers.Authorization=", "--yes"];
    const { code, stderr, requests } = await setup(argv, { sandbox: sandboxAt() });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("--metadata headers.Authorization is empty");
  });

  it("sends a destination of an unknown type, with its secrets read from their sources", async () => {
    const { code, requests, stdout, stderr } = await setup(
      [
        ...["--destination-name", "loft", "--destination-type", "carrier-pigeon"],
        ...["--metadata", "loft=3", "--metadata", "bird.name=Gustav"],
        ...["--secret", "ring=env:RING", "--secret", "code=-"],
        ...["--topic", "t", "--event", "connection.error", "--yes"],
      ],
      {
        env: { RING: "hush-1" },
        stdin: "hush-2\n",
        fetch: noLists(made),
      },
    );
    expect(code).toBe(0);
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
      name: "loft",
      type: "carrier-pigeon",
      metadata: { loft: "3", bird: { name: "Gustav" } },
      secrets: { ring: "hush-1", code: "hush-2" },
    });
    expect(stderr.replaceAll(/ \\\n +/gu, " ")).toContain(
      "--secret ring=env:RING --secret code=env:LOFT_CODE",
    );
    expect(stderr).toContain("  export LOFT_CODE=…\n");
    expect(stdout + stderr).not.toContain("hush");
  });

  it("warns of missing fields that are allowed, and lets the service decide", async () => {
    const { stderr, requests } = await setup(
      [
        ...["--destination-name", "s", "--destination-type", "redshift", "--metadata", "region=x"],
        ...["--topic", "t", "--event", "connection.error", "--yes", "--allow", "incomplete"],
      ],
      { sandbox: sandboxAt() },
    );
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain(
      "A redshift destination needs metadata.workgroupName (workgroup, for Redshift Serverless) or metadata.clusterIdentifier",
    );
    expect(requests.filter(({ method }) => method === "POST")).not.toEqual([]);
  });
});

describe("a setup with existing resources", () => {
  it("adds event types and creates no route twice", async () => {
    const sandbox = sandboxAt();
    const first = outcomesOf(await setup([...NEW, "--yes", "--json"], { sandbox }));
    const again = [
      ...["--destination-id", idAt(first, DESTINATION), "--topic-id", idAt(first, TOPIC)],
      ...["--event", "connection.error", "--event", "connection.created", "--yes", "--json"],
    ];
    const second = await setup(again, { sandbox });
    const { requests } = second;
    expect(outcomesOf(second)).toEqual({
      [DESTINATION]: { id: idAt(first, DESTINATION), outcome: "in_place" },
      [TOPIC]: { id: idAt(first, TOPIC), outcome: "in_place" },
      [`${ROUTE}/connection.created`]: { id: expect.any(String), outcome: "created" },
      [`${ROUTE}/connection.error`]: {
        id: idAt(first, `${ROUTE}/connection.error`),
        outcome: "adopted",
      },
      [OUT]: { id: idAt(first, OUT), outcome: "adopted" },
    });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const third = await setup(again, { sandbox });
    expect(third.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("creates no route twice without lists, whatever its topic and destination are called", async () => {
    const cwd = temporaryFolder();
    let posts = 0;
    const world = { cwd, fetch: noLists(() => made(++posts)) };
    const first = outcomesOf(await setup([...NEW, "--yes", "--json"], world));
    expect(posts).toBe(5);
    const byId = [
      ...["--destination-id", idAt(first, DESTINATION), "--topic-id", idAt(first, TOPIC)],
      ...["--event", "connection.error", "--event", "connection.created", "--yes", "--json"],
    ];
    // By its IDs it is another routing, which has no right to the routes of the first one.
    const refused = await setup(byId, world);
    expect([refused.code, posts]).toEqual([5, 5]);
    expect(refused.error()).toMatchObject({
      conflicts: [{ reason: "shared" }, { reason: "shared" }],
    });
    const second = outcomesOf(await setup([...byId, "--accept", "shared"], world));
    expect(posts).toBe(6);
    const [destination, topic] = [idAt(first, DESTINATION), idAt(first, TOPIC)];
    expect(second).toMatchObject({
      [`event-route/${topic}/connection.error`]: {
        id: idAt(first, `${ROUTE}/connection.error`),
        outcome: "in_place",
      },
      [`event-route/${topic}/connection.created`]: { id: "id-6", outcome: "created" },
      [`destination-route/${topic}/${destination}`]: { id: idAt(first, OUT), outcome: "in_place" },
    });
    const own = [...NEW, "--event", "connection.created", "--yes"];
    expect((await setup(own, world)).code).toBe(5);
    expect((await setup([...own, "--accept", "shared"], world)).code).toBe(0);
    expect(posts).toBe(6);
  });

  it("creates nothing when it is run again", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await setup([...NEW, "--yes"], { cwd, sandbox });
    const again = await setup([...NEW, "--yes", "--json"], { cwd, sandbox });
    expect(again.code).toBe(0);
    expect(again.requests.every(({ method }) => method === "GET")).toBe(true);
    const outcomes = Object.values(outcomesOf(again)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => "in_place"));
  });

  it("adopts resources that its state does not have", async () => {
    const sandbox = sandboxAt();
    await setup([...NEW, "--yes"], { sandbox });
    // Another folder, and so another state.
    const { code, requests, stderr } = await setup([...NEW, "--yes"], { sandbox });
    expect(code).toBe(0);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stderr).toMatch(/= topic +customer-lifecycle +\S+ +adopted/u);
  });

  it("refuses a resource with the same name and other settings, and creates nothing", async () => {
    const sandbox = sandboxAt();
    await setup([...NEW, "--yes"], { sandbox });
    const other = NEW.map((word) => word.replace("hooks.acme.com/amp", "hooks.acme.com/other"));
    for (const args of [
      [...other.map((word) => word.replace("customer-lifecycle", "further")), "--yes"],
      [...other, "--dry-run"],
    ]) {
      const { code, stderr, requests } = await setup(args, { sandbox });
      expect(code).toBe(5);
      expect(stderr).toContain("Conflict: destination/ops-webhook");
      expect(stderr).toContain("Nothing was created.");
      expect(requests.every(({ method }) => method === "GET")).toBe(true);
    }
    const changed = await setup([...other, "--accept", "adopt", "--yes", "--json"], { sandbox });
    expect(changed.code).toBe(0);
    expect(outcomesOf(changed)).toMatchObject({
      "destination/ops-webhook": { outcome: "updated" },
    });
  });

  it("recreates with --accept recreate what was deleted elsewhere", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    const first = outcomesOf(await setup([...NEW, "--yes", "--json"], { cwd, sandbox }));
    const route = `/projects/{project}/topic-destination-routes/${idAt(first, OUT)}`;
    const deleted = await run(["api", "DELETE", route], { cwd, sandbox });
    expect(deleted).toMatchObject({ code: 0 });
    const refused = await setup([...NEW, ...HORIZON, "--yes"], { cwd, sandbox });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/Try: amp notify setup .*--topic .*--accept recreate --yes/u);
    expect(refused.stderr).not.toContain("amp notify apply");
    const again = await setup([...NEW, "--accept", "recreate", ...HORIZON, "--yes", "--json"], {
      cwd,
      sandbox,
    });
    expect(again.code).toBe(0);
    expect(outcomesOf(again)[OUT]).toMatchObject({ outcome: "created" });
    expect(outcomesOf(again)[TOPIC]).toMatchObject({ outcome: "in_place" });
  });

  it("refuses an ID that the service does not list", async () => {
    const { code, stderr } = await setup(
      ["--destination-id", "d_404", "--topic", "t", "--event", "connection.error", "--yes"],
      { sandbox: sandboxAt() },
    );
    expect(code).toBe(3);
    expect(stderr).toContain("Nothing was created.");
  });
});

describe("a setup with a failing create", () => {
  const refusal = (name: string) =>
    Response.json(
      {
        status: 422,
        requestId: "req#9",
        issues: [{ in: "body", name, value: "customer-lifecycle", detail: "too dull" }],
      },
      { status: 422 },
    );
  const inPlace = [{ address: "destination/ops-webhook", outcome: "created", id: "id-1" }];

  it("stops, lists what exists, and names the refused option", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr, requests } = await setup([...NEW, "--yes"], {
      cwd,
      fetch: noLists((nth) => (nth === 2 ? refusal("name") : made(nth))),
    });
    expect(code).toBe(9);
    expect(stdout).toContain("topic/customer-lifecycle\tfailed\t");
    expect(stderr).toMatchSnapshot();
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
    // The same answers would be refused again.
    expect(unfinished(cwd)).toEqual([]);
    const renamed = NEW.map((word) => word.replace("customer-lifecycle", "bright"));
    const next = await setup([...renamed, "--yes", "--json"], {
      cwd,
      fetch: noLists((nth) => made(nth + 1)),
    });
    expect(next.code).toBe(0);
    expect(outcomesOf(next)[DESTINATION]).toEqual({ id: "id-1", outcome: "in_place" });
  });

  it("exits with the code of the refusal if nothing was created", async () => {
    const { code, error } = await setup([...NEW, "--yes", "--json"], {
      fetch: noLists(() => refusal("metadata.url")),
    });
    expect(code).toBe(6);
    expect(error()).toMatchObject({
      done: "Nothing was created.",
      issues: [{ name: "metadata.url", flag: "--url" }],
    });
    expect(error()).not.toHaveProperty("suggestion");
  });

  it("says that an unknown outcome was not sent again", async () => {
    const { code, error, requests } = await setup([...NEW, "--yes", "--json"], {
      fetch: noLists((nth) => (nth === 2 ? new Response("<html>", { status: 502 }) : made(nth))),
    });
    expect(code).toBe(9);
    const { suggestion, ...facts } = error();
    expect({ ...facts, suggestion: String(suggestion).split("\n") }).toMatchObject({
      settled: inPlace,
      unknown: [{ address: "topic/customer-lifecycle" }],
      suggestion: [
        // The answer was a web page.
        "amp auth status",
        "amp notify state resolve topic/customer-lifecycle --id <id>",
        "amp notify state resolve topic/customer-lifecycle --not-created",
        expect.stringMatching(/^amp notify apply -f \S+\.setup\.yaml --allow literal-secrets$/u),
      ],
    });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("lists on an interrupt what exists, and how to continue", async () => {
    const interrupt = new AbortController();
    const { code, error, requests } = await setup([...NEW, "--yes", "--json"], {
      signal: interrupt.signal,
      fetch: noLists((nth) => {
        if (nth === 1) interrupt.abort("SIGINT");
        return made(nth);
      }),
    });
    expect(code).toBe(130);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(error()).toMatchObject({
      settled: inPlace,
      remedy: "To continue, apply the saved routing.",
      suggestion: expect.stringMatching(/^amp notify apply -f \S+\.setup\.yaml --allow/u),
    });
  });
});

describe("setup --save", () => {
  it("writes the routing file", async () => {
    const cwd = temporaryFolder();
    const args = [...NEW, "--save", "routing.yaml", "--yes", "--json"];
    const { json } = await setup(args, { cwd, sandbox: sandboxAt() });
    expect(json()).toMatchObject({ savedTo: "routing.yaml" });
    expect(parse(readFileSync(join(cwd, "routing.yaml"), "utf8"))).toMatchObject({
      version: 1,
      topics: { "customer-lifecycle": { destinations: ["ops-webhook"] } },
    });
  });

  it("creates nothing where the file cannot be written", async () => {
    const args = [...NEW, "--save", "no/such/folder/routing.yaml", "--yes"];
    const { code, stderr, requests } = await setup(args, { sandbox: sandboxAt() });
    expect(code).toBe(2);
    expect(stderr).toContain("Nothing was created.");
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("refuses --overwrite without a file to replace", async () => {
    const refused = await setup([...NEW, "--yes", "--overwrite"]);
    expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(refused.stderr).toContain("--overwrite has no effect without --save");
  });

  it("replaces an existing file only with --overwrite", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "mine");
    const world = atSandbox([[CONSENT, "Create"]], { cwd });
    const { code, stderr } = await setup([...NEW, "--save", "routing.yaml"], world);
    expect(code).toBe(2);
    expect(stderr).toContain("already exists");
    const agreed = await setup([...NEW, "--save", "routing.yaml", "--yes"], atSandbox([], { cwd }));
    expect(agreed).toMatchObject({ code: 2 });
    expect(agreed.stderr).toContain("add --overwrite to replace it");
    expect(readFileSync(join(cwd, "routing.yaml"), "utf8")).toBe("mine");
    const args = [...NEW, "--save", "routing.yaml", "--yes", "--overwrite"];
    expect((await setup(args, atSandbox([], { cwd }))).code).toBe(0);
    expect(readFileSync(join(cwd, "routing.yaml"), "utf8")).toContain("version: 1");
  });

  it("refuses a file that exists, and a folder that does not, before the first question", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "mine");
    const refused = await setup(["--save", "routing.yaml"], atSandbox([], { cwd }));
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("to extend one, edit it");
    const missing = await setup(["--save", "none/routing.yaml"], atSandbox([], { cwd }));
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("folder none not found");
  });

  it("changes nothing where the file has the same content already", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    const args = [...NEW, "--save", "routing.yaml", "--yes"];
    expect((await setup(args, { cwd, sandbox })).code).toBe(0);
    expect(await setup(args, { cwd, sandbox })).toMatchObject({ code: 0 });
    const other = [...args, "--event", "read.disabled"];
    expect((await setup(other, { cwd, sandbox })).code).toBe(2);
  });

  it("says with --overwrite what the file no longer contains", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await setup([...NEW, "--save", "routing.yaml", "--yes"], { cwd, sandbox });
    const other = NEW.map((word) => (word === "ops-webhook" ? "other" : word));
    const args = [...other, "--save", "routing.yaml", "--yes", "--overwrite"];
    const replaced = await setup(args, { cwd, sandbox });
    expect(replaced.code).toBe(0);
    expect(replaced.stderr).toContain(
      "routing.yaml is replaced, and no longer contains destination/ops-webhook",
    );
  });

  it("writes no file where another run holds the lock", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    const names = ["a", "b", "c"];
    const runs = await Promise.all(
      names.map((name) => {
        const own = NEW.map((word) => (word === "ops-webhook" ? name : word));
        return setup([...own, "--save", `${name}.yaml`, "--yes"], { cwd, sandbox });
      }),
    );
    expect(runs.map(({ code }) => code)).toContain(5);
    for (const [at, { code, stderr }] of runs.entries()) {
      expect(existsSync(join(cwd, `${names[at]}.yaml`))).toBe(code === 0);
      expect(stderr.includes(`To apply ${names[at]}.yaml again`)).toBe(code === 0);
    }
  });

  it("says where a create fails that the file was written", async () => {
    const cwd = temporaryFolder();
    const args = [...NEW, "--save", "routing.yaml", "--yes"];
    const refused = await setup(
      args.map((word) => (word === "connection.error" ? "invoice.paid" : word)),
      { cwd, sandbox: sandboxAt() },
    );
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain("Saved the routing as routing.yaml.");
    expect(existsSync(join(cwd, "routing.yaml"))).toBe(true);
  });

  it("writes the path of a secret relative to the routing file", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    const whole = join(cwd, "whole.key");
    mkdirSync(join(cwd, "routings"));
    for (const name of ["id.key", "whole.key"]) writeFileSync(join(cwd, name), "s3cret");
    const args = [
      ...["--destination-name", "stream", "--destination-type", "kinesis"],
      ...["--metadata", "streamName=amp", "--metadata", "region=eu-central-1"],
      ...["--secret", "awsKeyId=@id.key", "--secret", `awsSecretKey=@${whole}`],
      ...["--topic", "t", "--event", "connection.error", "--save", "routings/a.yaml", "--yes"],
    ];
    const saved = await setup(args, { cwd, sandbox });
    expect(saved.code).toBe(0);
    const allowed = ["--allow", "file:id.key", "--allow", `file:${whole}`];
    // Both files are outside the folder of the routing file.
    expect(saved.stderr).toContain(`-f routings/a.yaml ${allowed.join(" ")}`);
    expect(parse(readFileSync(join(cwd, "routings/a.yaml"), "utf8"))).toMatchObject({
      destinations: {
        stream: {
          secrets: { awsKeyId: `file:${join("..", "id.key")}`, awsSecretKey: `file:${whole}` },
        },
      },
    });
    const plan = ["notify", "plan", "-f", "routings/a.yaml", "--exit-code", ...allowed];
    expect((await run(plan, { cwd, sandbox })).code).toBe(0);
  });
});

describe("setup --dry-run", () => {
  it("shows the plan, and creates and writes nothing", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await run(["notify", "topics", "create", "customer-lifecycle"], { sandbox });
    const args = [...NEW, "--save", "routing.yaml", "--dry-run"];
    const { code, stdout, requests } = await setup(args, {
      cwd,
      sandbox,
      tty: { out: true },
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(0);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stdout).toContain("Nothing was sent.");
    expect(stdout).toMatch(/= +topic +customer-lifecycle +exists: adopt,/u);
    expect(stdout).toMatch(/\+ +route +connection\.error → /u);
    expect(readdirSync(cwd).filter((name) => name !== ".cache")).toEqual([]);
  });

  it("prints the plan as JSON", async () => {
    const { json } = await setup([...NEW, "--dry-run", "--json"], { sandbox: sandboxAt() });
    expect(json()).toMatchObject({
      pending: true,
      counts: { create: 5, adopt: 0 },
      items: [
        { address: DESTINATION, action: "create" },
        { address: TOPIC, action: "create" },
        { address: `${ROUTE}/connection.error`, action: "create" },
        { address: `${ROUTE}/installation.created`, action: "create" },
        { address: OUT, action: "create" },
      ],
    });
  });
});

describe("a setup on a terminal", () => {
  const WEBHOOK = [
    ["Destination", "New webhook"],
    ["Destination name", "ops-webhook"],
    ["URL", "https://hooks.acme.com/amp"],
    ["Add headers, such as Authorization?", false],
  ] as const;
  const REST = [
    ["Topic name", "customer-lifecycle"],
    ["Event types", ["connection.error"]],
  ] as const;

  it("asks, shows the plan, and creates the routing", async () => {
    const world = atSandbox([...WEBHOOK, ...REST, [CONSENT, "Create"]]);
    const { code, stdout, stderr, requests } = await setup([], world);
    expect(code).toBe(0);
    expect(stderr).toContain("─ customer-lifecycle ─");
    // The picture has them all: no rows beside it.
    expect(stderr).not.toMatch(/\+ +destination/u);
    expect(stderr).toContain("4 to create");
    expect(stderr).toMatch(/✓ route +customer-lifecycle → ops-webhook/u);
    expect(stdout).toContain("amp notify setup --destination-name ops-webhook");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(4);
  });

  it("only saves the file, and asks again for a path that exists", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "taken.yaml"), "mine");
    const player = operator([
      ...WEBHOOK,
      ...REST,
      [CONSENT, "Save to a file only"],
      ["File name", "taken.yaml"],
      ["File name", "none/mine.yaml"],
      ["File name", BACK],
      [CONSENT, "Save to a file only"],
      ["File name", "mine.yaml"],
    ]);
    const world = { ...player, sandbox: sandboxAt(), cwd };
    const { code, stdout, requests } = await setup(["--output", "json"], world);
    expect(code).toBe(0);
    expect(player.prompter.complaints).toEqual([
      "taken.yaml already exists",
      "Cannot write none/mine.yaml: folder none not found",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ address: DESTINATION, action: "create" }, {}, {}, {}],
      savedTo: "mine.yaml",
    });
    expect(existsSync(join(cwd, "mine.yaml"))).toBe(true);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("shows what the service refuses, and asks for that part again with what was typed", async () => {
    const world = atSandbox([
      ...WEBHOOK.slice(0, 2),
      ["URL", "http://hooks.acme.com/amp"],
      ...WEBHOOK.slice(3),
      ...REST,
      [CONSENT, "Create"],
      ["URL", ENTER],
      [CONSENT, "Change something"],
      ["What do you want to change?", "Destination"],
      ["Destination", ENTER],
      ["Destination name", ENTER],
      ["URL", "https://hooks.acme.com/amp"],
      ["Add headers, such as Authorization?", ENTER],
      [CONSENT, "Create"],
    ]);
    const { code, stderr, requests } = await setup(["--allow", "http"], world);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain(
      "The service refused the destination (422): URL must begin with https://. Correct the answer, or press Ctrl-C.",
    );
    const sent = requests.filter(({ method }) => method === "POST");
    expect(sent.map(({ path }) => path.split("/").at(-1))).toEqual([
      ...["destinations", "destinations", "topics"],
      ...["notification-event-topic-routes", "topic-destination-routes"],
    ]);
  });

  const refusing = (status: number) =>
    noLists((nth) =>
      nth === 2 ? Response.json({ detail: "The name is taken." }, { status }) : made(nth),
    );

  it.each([409, 422])(
    "goes on with what was created after a topic was refused (%i)",
    async (status) => {
      const { code, stderr, requests } = await setup([], {
        ...operator([
          ...WEBHOOK,
          ["Topic", "New topic"],
          ...REST,
          [CONSENT, "Create"],
          ["Topic", "New topic"],
          ["Topic name", "second"],
          [CONSENT, "Create"],
        ]),
        fetch: refusing(status),
      });
      expect(stderr.replaceAll(/\s+/gu, " ")).toContain("The name is taken. Correct the answer");
      expect(code).toBe(0);
      const names = requests.flatMap(({ method, body }) =>
        method === "POST" ? ((body as { name?: string }).name ?? []) : [],
      );
      expect(names).toEqual(["ops-webhook", "customer-lifecycle", "second"]);
    },
  );

  it("says what was created when it is left after a refusal", async () => {
    const { code, stderr } = await setup([], {
      ...operator([
        ...WEBHOOK,
        ["Topic", "New topic"],
        ...REST,
        [CONSENT, "Create"],
        ["Topic", CTRL_C],
      ]),
      fetch: refusing(422),
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/Created:\s+destination\/ops-webhook/u);
    expect(stderr).not.toContain("Nothing was created.");
  });

  it("says how to recreate what is no longer listed, with the answers", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await setup([...NEW, "--yes"], { cwd, sandbox });
    const [topic] = (
      await run(["notify", "topics", "list", "--json"], { cwd, sandbox })
    ).json() as {
      id: string;
    }[];
    await run(["api", "DELETE", `/projects/acme/topics/${topic?.id}`, "--yes"], { cwd, sandbox });
    const world = atSandbox([], { cwd, sandbox });
    const { code, stderr } = await setup([...NEW, "AMP_COMMIT_HORIZON=1ms"], world);
    expect(code).toBe(5);
    expect(stderr).toMatch(/Try: amp notify setup .*--topic .*--accept recreate --yes/su);
    expect(stderr.match(/amp notify setup/gu)).toHaveLength(1);
  });

  it.each([0, 1, 2, 3, 4, 5])("says on Ctrl-C at question %i what was answered", async (at) => {
    const whole = [...WEBHOOK, ...REST];
    const cwd = temporaryFolder();
    const script = [...whole.slice(0, at), [whole[at]?.[0] ?? "", CTRL_C]] as const;
    const world = { ...atSandbox(script), cwd };
    const { code, stdout, stderr } = await setup([], world);
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toContain("Nothing was created.");
    expect(stderr.includes("Try: amp notify setup --destination-type webhook")).toBe(at === 1);
    expect(stderr.includes("--url https://hooks.acme.com/amp")).toBe(at >= 3);
    expect(unfinished(world.cwd)).toEqual([]);
  });

  it("has the ticked events in the command of Ctrl-C at their list", async () => {
    const world = atSandbox([...WEBHOOK, ["Topic name", "customer-lifecycle"]]);
    const prompter = {
      ...world.prompter,
      checkbox: async ({ changed }: { changed?: (chosen: readonly unknown[]) => void }) => {
        changed?.(["connection.error"]);
        throw new InterruptedError("Interrupted");
      },
    } as Prompter;
    const { code, stderr } = await setup([], { ...world, prompter });
    expect(code).toBe(130);
    expect(stderr).toContain("--event connection.error");
  });

  it.each([
    ["--url", "ftp://x", "https"],
    ["--topic", "two words!", "topic"],
  ])("refuses %s %s before the first question", async (flag, value, says) => {
    const { code, stderr, requests } = await setup([flag, value], atSandbox([]));
    expect({ code, writes: requests.filter(({ method }) => method === "POST") }).toEqual({
      code: 2,
      writes: [],
    });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("Esc returns");
  });

  it("tells of the way back at the second question", async () => {
    const first = await setup([], atSandbox([["Destination", CTRL_C]]));
    expect(first.stderr).not.toContain("Esc returns");
    const script = [WEBHOOK[0], ["Destination name", CTRL_C]] as const;
    expect((await setup([], atSandbox(script))).stderr).toContain("Esc returns");
  });

  it("continues with the command of Ctrl-C at the review, which has all answers", async () => {
    const world = atSandbox([...WEBHOOK, ...REST, [CONSENT, CTRL_C]]);
    const { code, stderr } = await setup([], world);
    expect(code).toBe(130);
    // Nobody agreed to it: the command asks.
    expect(stderr.replaceAll(/\s*\\\n\s*/gu, " ").trimEnd()).toMatch(
      /amp notify setup --destination-name ops-webhook --destination-type webhook --url https:\/\/hooks\.acme\.com\/amp --topic customer-lifecycle --event connection\.error$/u,
    );
  });

  it("creates nothing when it is cancelled", async () => {
    const { code, stderr } = await setup(NEW, atSandbox([[CONSENT, "Cancel"]]));
    expect(code).toBe(130);
    expect(stderr).toContain("Nothing was created.");
  });

  it("adds to the state what exists already", async () => {
    const sandbox = sandboxAt();
    await setup([...NEW, "--yes"], { sandbox });
    // Nothing changes at the service, so there is no question.
    const { code, stdout, requests } = await setup(NEW, atSandbox([], { sandbox }));
    expect(code).toBe(0);
    expect(stdout).toMatch(/Apply complete: \d+ adopted/u);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("names at Cancel the variables of its command, which fails without them", async () => {
    const without = NEW.filter((word) => !/url|https/u.test(word));
    const script = [
      ["URL", "https://hooks.acme.com/amp"],
      ["Add headers, such as Authorization?", true],
      ["Header name", "Authorization"],
      ["Value of Authorization", "hush"],
      ["Add another header?", false],
      [CONSENT, "Cancel"],
    ] as const;
    const { stderr } = await setup(without, atSandbox(script));
    expect(stderr).toContain("Set these variables first: OPS_WEBHOOK_HEADERS_AUTHORIZATION");
    const header = "headers.Authorization=env:OPS_WEBHOOK_HEADERS_AUTHORIZATION";
    expect(stderr).toContain(header);
    const again = await setup([...NEW, "--metadata", header, "--yes"], { sandbox: sandboxAt() });
    expect(again).toMatchObject({ code: 2, requests: [] });
  });
});
