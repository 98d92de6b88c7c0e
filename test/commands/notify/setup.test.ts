import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run, sandboxAt, temporaryFolder } from "../../harness.ts";
import { CTRL_C } from "../../scripted-prompter.ts";
import { made, NEW, noLists, operator, setup, unfinished } from "./setups.ts";

describe("without questions", () => {
  it("creates all of it, in order, and tells every id", async () => {
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
    const { destination, topic } = outcome.json() as Record<string, { id: string }>;
    expect(outcome.json()).toMatchObject({
      destination: {
        id,
        name: "ops-webhook",
        type: "webhook",
        metadata: { url: "https://hooks.acme.com/amp" },
        origin: "created",
      },
      topic: { id, name: "customer-lifecycle", origin: "created" },
      eventRoutes: [
        { id, eventType: "installation.created", topicId: topic?.id, origin: "created" },
        { id, eventType: "connection.error", topicId: topic?.id, origin: "created" },
      ],
      destinationRoutes: [
        { id, topicId: topic?.id, destinationId: destination?.id, origin: "created" },
      ],
      command:
        "amp notify setup --destination-name ops-webhook --destination-type webhook " +
        "--url https://hooks.acme.com/amp --topic customer-lifecycle " +
        "--event installation.created --event connection.error --yes",
      variables: [],
    });
    expect(outcome.json()).not.toHaveProperty("savedTo");
  });

  it("shows a receipt at 80 columns", async () => {
    const { stdout, stderr } = await setup([...NEW, "--yes"], {
      sandbox: sandboxAt(),
      tty: true,
      env: { NO_COLOR: "1" },
    });
    const ids = (text: string) =>
      text.replaceAll(/\b(dst|top|evr|dsr)_[0-9a-f]{8}/gu, "$1_00000000");
    expect(ids(stdout)).toMatchSnapshot();
    expect(ids(stderr)).toMatchSnapshot();
  });

  it("works against a service that has no lists and answers no more than ids", async () => {
    const { code, json } = await setup([...NEW, "--yes", "--json"], { fetch: noLists(made) });
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      destination: { id: "id-1", name: "ops-webhook", type: "webhook" },
      topic: { id: "id-2", name: "customer-lifecycle" },
      destinationRoutes: [{ id: "id-5" }],
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
  ])("names every option that is missing at once: %j", async (args, missing) => {
    const { code, requests, error } = await setup([...args, "--json"]);
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(error().message).toMatch(/^missing options? /u);
    expect(
      String(error().message)
        .replace(/^missing options? /u, "")
        .split(", "),
    ).toEqual(missing);
  });

  it("wants --yes, and says so", async () => {
    const { code, requests, stderr } = await setup(NEW);
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain("Add --yes to answer yes.");
  });

  it.each([
    [["--destination-id", "d_1", "--destination-name", "ops"], "--destination-id"],
    [["--destination-id", "d_1", "--secret", "a=env:PATH"], "--secret"],
    [["--topic-id", "t_1", "--topic", "t"], "--topic-id"],
  ])("refuses what contradicts itself: %j", async (args, named) => {
    const { code, requests, stderr } = await setup([...args, "--yes"], { tty: true });
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain(named);
  });

  it("warns of an event that it does not know, and sends it", async () => {
    const { code, stderr, requests } = await setup(
      [...NEW, "--event", "instalation.deleted", "--yes"],
      { fetch: noLists(made) },
    );
    expect(code).toBe(0);
    expect(stderr).toContain("did you mean installation.deleted?");
    expect(requests.map(({ body }) => body)).toContainEqual({
      topicId: "id-2",
      eventType: "instalation.deleted",
    });
  });

  it("passes on a type that it does not know, its secrets from where they are kept", async () => {
    const { code, requests, stdout, stderr } = await setup(
      [
        ...["--destination-name", "loft", "--destination-type", "carrier-pigeon"],
        ...["--metadata-json", '{"loft":3}', "--metadata", "bird.name=Gustav"],
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
      metadata: { loft: 3, bird: { name: "Gustav" } },
      secrets: { ring: "hush-1", code: "hush-2" },
    });
    expect(stdout).toContain("--secret ring=env:RING --secret code=env:LOFT_CODE");
    expect(stdout).toContain("stands for a secret: LOFT_CODE");
    expect(stdout + stderr).not.toContain("hush");
  });

  it("warns where a known type usually needs more, and lets the service judge", async () => {
    const { stderr, requests } = await setup(
      [
        ...["--destination-name", "s", "--destination-type", "redshift", "--metadata", "region=x"],
        ...["--topic", "t", "--event", "connection.error", "--yes"],
      ],
      { sandbox: sandboxAt() },
    );
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain(
      "A redshift destination usually needs --metadata dbName=…, --metadata tableName=…, " +
        "--metadata workgroupName=… or --metadata clusterIdentifier=…, --secret accessKeyId=…",
    );
    expect(requests.filter(({ method }) => method === "POST")).not.toEqual([]);
  });
});

describe("with what exists", () => {
  it("adds events to it and makes no route twice", async () => {
    const sandbox = sandboxAt();
    const first = (await setup([...NEW, "--yes", "--json"], { sandbox })).json() as {
      destination: { id: string };
      topic: { id: string };
      eventRoutes: { id: string }[];
    };
    const again = [
      ...["--destination-id", first.destination.id, "--topic-id", first.topic.id],
      ...["--event", "connection.error", "--event", "connection.created", "--yes", "--json"],
    ];
    const { json, requests } = await setup(again, { sandbox });
    expect(json()).toMatchObject({
      destination: { id: first.destination.id, name: "ops-webhook", origin: "existing" },
      topic: { name: "customer-lifecycle", origin: "existing" },
      eventRoutes: [
        { id: first.eventRoutes[1]?.id, eventType: "connection.error", origin: "existing" },
        { eventType: "connection.created", origin: "created" },
      ],
      destinationRoutes: [{ origin: "existing" }],
    });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const third = await setup(again, { sandbox });
    expect(third.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("makes no route twice where nothing is listed, whatever its ends are called", async () => {
    const cwd = temporaryFolder();
    let posts = 0;
    const world = { cwd, fetch: noLists(() => made(++posts)) };
    const first = (await setup([...NEW, "--yes", "--json"], world)).json() as {
      destination: { id: string };
      topic: { id: string };
      eventRoutes: { id: string }[];
    };
    expect(posts).toBe(5);
    const byId = [
      ...["--destination-id", first.destination.id, "--topic-id", first.topic.id],
      ...["--event", "connection.error", "--event", "connection.created", "--yes", "--json"],
    ];
    const { json } = await setup(byId, world);
    expect(posts).toBe(6);
    expect(json()).toMatchObject({
      eventRoutes: [
        { id: first.eventRoutes[1]?.id, origin: "existing" },
        { id: "id-6", origin: "created" },
      ],
      destinationRoutes: [{ origin: "existing" }],
    });
    await setup([...NEW, "--event", "connection.created", "--yes"], world);
    expect(posts).toBe(6);
  });

  it("run again, finds everything in place and creates nothing", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await setup([...NEW, "--yes"], { cwd, sandbox });
    const again = await setup([...NEW, "--yes", "--json"], { cwd, sandbox });
    expect(again.code).toBe(0);
    expect(again.requests.every(({ method }) => method === "GET")).toBe(true);
    const result = again.json() as Record<string, unknown>;
    expect(
      [result.destination, result.topic, result.eventRoutes, result.destinationRoutes].flat(),
    ).toEqual(Array.from({ length: 5 }, () => expect.objectContaining({ origin: "existing" })));
  });

  it("adopts what is there without a state of its own", async () => {
    const sandbox = sandboxAt();
    await setup([...NEW, "--yes"], { sandbox });
    // Another folder, and so another state.
    const { code, requests, stderr } = await setup([...NEW, "--yes"], { sandbox });
    expect(code).toBe(0);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stderr).toMatch(/= topic +customer-lifecycle +\S+ +adopted/u);
  });

  it("does not take something else of the same name, and creates nothing", async () => {
    const sandbox = sandboxAt();
    await setup([...NEW, "--yes"], { sandbox });
    const other = NEW.map((word) => word.replace("hooks.acme.com/amp", "hooks.acme.com/other"));
    for (const args of [
      [...other, "--topic", "further", "--yes"],
      [...other, "--dry-run"],
    ]) {
      const { code, stderr, requests } = await setup(args, { sandbox });
      expect(code).toBe(5);
      expect(stderr).toContain("destination/ops-webhook is in the way");
      expect(stderr).toContain("Nothing was created.");
      expect(requests.every(({ method }) => method === "GET")).toBe(true);
    }
  });

  it("does not take an id that is none", async () => {
    const { code, stderr } = await setup(
      ["--destination-id", "d_404", "--topic", "t", "--event", "connection.error", "--yes"],
      { sandbox: sandboxAt() },
    );
    expect(code).toBe(3);
    expect(stderr).toContain("Nothing was created.");
  });
});

describe("when a step fails", () => {
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

  it("stops, tells what exists, and names the option that was refused", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr, requests } = await setup([...NEW, "--yes"], {
      cwd,
      fetch: noLists((nth) => (nth === 2 ? refusal("name") : made(nth))),
    });
    expect(code).toBe(9);
    expect(stdout).toBe("");
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
    expect(next.json()).toMatchObject({ destination: { id: "id-1", origin: "existing" } });
  });

  it("suggests the nearest event in place of one that was refused", async () => {
    const args = [...NEW.slice(0, -1), "conection.error", "--yes", "--json"];
    const { code, error } = await setup(args, {
      // Routes are created by name: this is the first.
      fetch: noLists((nth) => (nth === 3 ? refusal("eventType") : made(nth))),
    });
    expect(code).toBe(9);
    expect(error()).toMatchObject({ issues: [{ name: "eventType", flag: "--event" }] });
    expect(error().suggestion).toContain("--event connection.error");
  });

  it("keeps the refusal's own code where nothing was created", async () => {
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
    expect(error()).toMatchObject({
      settled: inPlace,
      unknown: [{ address: "topic/customer-lifecycle" }],
      suggestion: "amp notify setup --resume --yes",
    });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("tells on an interrupt what exists, and how to go on", async () => {
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
      suggestion: "amp notify setup --resume --yes",
    });
  });
});

describe("--save", () => {
  it("writes the routing file before anything is created", async () => {
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

  it("leaves a file that exists alone, unless yes was said", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "mine");
    const world = operator([["Go on?", "Create it"]], { cwd });
    const { code, stderr } = await setup([...NEW, "--save", "routing.yaml"], world);
    expect(code).toBe(2);
    expect(stderr).toContain("exists already");
    expect(readFileSync(join(cwd, "routing.yaml"), "utf8")).toBe("mine");
  });

  it("names the file of a secret as the folder of the routing sees it", async () => {
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
    expect((await setup(args, { cwd, sandbox })).code).toBe(0);
    expect(parse(readFileSync(join(cwd, "routings/a.yaml"), "utf8"))).toMatchObject({
      destinations: {
        stream: {
          secrets: { awsKeyId: `file:${join("..", "id.key")}`, awsSecretKey: `file:${whole}` },
        },
      },
    });
    const plan = ["notify", "plan", "-f", "routings/a.yaml", "--exit-code"];
    expect((await run(plan, { cwd, sandbox })).code).toBe(0);
  });
});

describe("--dry-run", () => {
  it("shows the picture and the plan, and creates and writes nothing", async () => {
    const [cwd, sandbox] = [temporaryFolder(), sandboxAt()];
    await run(["notify", "topics", "create", "--name", "customer-lifecycle"], { sandbox });
    const args = [...NEW, "--save", "routing.yaml", "--dry-run"];
    const { code, stdout, requests } = await setup(args, {
      cwd,
      sandbox,
      tty: { out: true },
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(0);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stdout).toContain("Nothing was created.");
    expect(stdout).toMatch(/topic +│ customer-lifecycle +│ \S+ +│ existed/u);
    expect(stdout).toMatch(/route +│ connection.error +│ +│ planned/u);
    expect(stdout).toContain("─ customer-lifecycle ─");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("tells programs what is planned", async () => {
    const { json } = await setup([...NEW, "--dry-run", "--json"], { sandbox: sandboxAt() });
    expect(json()).toMatchObject({
      destination: { name: "ops-webhook", origin: "planned" },
      eventRoutes: [{ origin: "planned" }, { origin: "planned" }],
    });
  });

  it("serves where the service is not reached", async () => {
    const { code, stdout, stderr } = await setup([...NEW, "--dry-run"], {
      fetch: async () => Response.json({ retryable: false }, { status: 503 }),
    });
    expect(code).toBe(0);
    expect(stderr).toContain("What exists already is not known");
    expect(stdout).toContain("customer-lifecycle\t\tplanned");
  });
});

describe("on a terminal", () => {
  const WEBHOOK = [
    ["Destination", "A new webhook"],
    ["Name", "ops-webhook"],
    ["URL", "https://hooks.acme.com/amp"],
  ] as const;
  const REST = [
    ["Topic name", "customer-lifecycle"],
    ["Events", ["connection.error"]],
  ] as const;

  it("asks, reviews, creates", async () => {
    const world = operator([...WEBHOOK, ...REST, ["Go on?", "Create it"]]);
    const { code, stdout, stderr, requests } = await setup([], world);
    expect(code).toBe(0);
    expect(stderr).toContain("This will be created:");
    expect(stderr).toContain("1 destination · 1 topic · 1 event route · 1 destination route");
    expect(stderr).toMatch(/✓ route +customer-lifecycle → ops-webhook/u);
    expect(stdout).toContain("amp notify setup --destination-name ops-webhook");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(4);
  });

  it("saves the file only, under a name that will do", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "taken.yaml"), "mine");
    const world = operator(
      [
        ...WEBHOOK,
        ...REST,
        ["Go on?", "Save as a file only"],
        ["File", "taken.yaml"],
        ["File", "mine.yaml"],
      ],
      { cwd },
    );
    const { code, stdout, stderr, requests } = await setup(["--output", "json"], world);
    expect(code).toBe(0);
    expect(stderr).toContain("taken.yaml exists already");
    expect(JSON.parse(stdout)).toMatchObject({
      destination: { name: "ops-webhook", origin: "planned" },
      savedTo: "mine.yaml",
    });
    expect(existsSync(join(cwd, "mine.yaml"))).toBe(true);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it.each([0, 1, 2, 3, 4])("says on Ctrl-C at question %i that nothing was created", async (at) => {
    const whole = [...WEBHOOK, ...REST];
    const world = operator([...whole.slice(0, at), [whole[at]?.[0] ?? "", CTRL_C]]);
    const { code, stdout, stderr } = await setup([], world);
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toContain("Nothing was created.");
  });

  it("cancels", async () => {
    const { code, stderr } = await setup(NEW, operator([["Go on?", "Cancel"]]));
    expect(code).toBe(130);
    expect(stderr).toContain("Nothing was created.");
  });
});
