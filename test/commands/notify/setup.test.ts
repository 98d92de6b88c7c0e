import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Reply, run, sandboxAt, temporaryFolder, type World } from "../../harness.ts";
import { CTRL_C, type Key, scriptedPrompter } from "../../notify/scripted-prompter.ts";

const NEW = [
  ...["--destination-name", "ops-webhook", "--destination-type", "webhook"],
  ...["--url", "https://hooks.acme.com/amp", "--topic", "customer-lifecycle"],
  ...["--event", "installation.created", "--event", "connection.error"],
];
const NO_LIST: Reply = { method: "GET", path: "/projects/acme/destinations", status: 404 };

const setup = (args: readonly string[], world: World = {}) =>
  run(["notify", "setup", ...args], world);

/** A world with somebody at the keyboard who follows a script. */
function person(script: readonly (readonly [string, Key])[], world: World = {}): World {
  return {
    tty: true,
    env: { NO_COLOR: "1" },
    prompter: scriptedPrompter(script),
    sandbox: sandboxAt(),
    ...world,
  };
}

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
    let created = 0;
    const { code, json } = await setup([...NEW, "--yes", "--json"], {
      fetch: async ({ method }) =>
        method === "POST"
          ? Response.json({ id: `id-${++created}` }, { status: 201 })
          : Response.json({ status: 404 }, { status: 404 }),
    });
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
      {
        fetch: async ({ method }) =>
          method === "POST" ? Response.json({ id: "x" }) : Response.json({}, { status: 405 }),
      },
    );
    expect(code).toBe(0);
    expect(stderr).toContain("did you mean installation.deleted?");
    expect(requests.map(({ body }) => body)).toContainEqual({
      topicId: "x",
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
        fetch: async ({ method }) =>
          method === "POST" ? Response.json({ id: "x" }) : Response.json({}, { status: 501 }),
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
    expect(requests.at(-1)).toMatchObject({ method: "POST" });
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

  it("does not take a name that is taken, before anything is created", async () => {
    const sandbox = sandboxAt();
    await run(["notify", "topics", "create", "--name", "customer-lifecycle"], { sandbox });
    const { code, stderr, requests } = await setup([...NEW, "--yes"], { sandbox });
    expect(code).toBe(5);
    expect(stderr).toContain('A topic named "customer-lifecycle" exists already');
    expect(stderr).toMatch(/give --topic-id \S+ in place/u);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
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
  const created = (id: string): Reply => ({ method: "POST", status: 201, body: { id } });

  it("stops, tells what exists, and names the option that was refused", async () => {
    const { code, stdout, stderr, requests } = await setup([...NEW, "--yes"], {
      replies: [
        NO_LIST,
        created("d_1"),
        {
          method: "POST",
          path: "/projects/acme/topics",
          status: 422,
          body: {
            status: 422,
            requestId: "req#9",
            issues: [{ in: "body", name: "name", value: "customer-lifecycle", detail: "too dull" }],
          },
        },
      ],
    });
    expect(code).toBe(9);
    expect(stdout).toBe("");
    expect(stderr).toMatchSnapshot();
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("keeps the refusal's own code where nothing was created", async () => {
    const { code, error } = await setup([...NEW, "--yes", "--json"], {
      replies: [
        NO_LIST,
        {
          method: "POST",
          status: 422,
          body: { issues: [{ in: "body", name: "metadata.url", detail: "no" }] },
        },
      ],
    });
    expect(code).toBe(6);
    expect(error()).toMatchObject({
      done: "Nothing was created.",
      issues: [{ name: "metadata.url", flag: "--url" }],
    });
  });

  it("says that an unknown outcome was not sent again", async () => {
    const { code, error, requests } = await setup([...NEW, "--yes", "--json"], {
      replies: [NO_LIST, created("d_1"), { method: "POST", status: 502, body: "<html>" }],
    });
    expect(code).toBe(9);
    expect(error()).toMatchObject({
      created: [{ address: "destination/ops-webhook", id: "d_1" }],
      failed: { address: "topic/customer-lifecycle", outcome: "unknown" },
    });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("tells on an interrupt what exists", async () => {
    const interrupt = new AbortController();
    let posts = 0;
    const { code, error } = await setup([...NEW, "--yes", "--json"], {
      signal: interrupt.signal,
      fetch: async ({ method }) => {
        if (method === "GET") return Response.json({}, { status: 404 });
        posts += 1;
        if (posts === 2) interrupt.abort("SIGINT");
        if (posts === 2) throw new DOMException("aborted", "AbortError");
        return Response.json({ id: "d_1" }, { status: 201 });
      },
    });
    expect(code).toBe(130);
    expect(posts).toBe(2);
    expect(error()).toMatchObject({ created: [{ address: "destination/ops-webhook", id: "d_1" }] });
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
    const { code, stderr, requests } = await setup(args, { replies: [NO_LIST] });
    expect(code).toBe(2);
    expect(stderr).toContain("Nothing was created.");
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("leaves a file that exists alone, unless yes was said", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "mine");
    const world = person([["Go on?", "Create it"]], { cwd });
    const { code, stderr } = await setup([...NEW, "--save", "routing.yaml"], world);
    expect(code).toBe(2);
    expect(stderr).toContain("exists already");
    expect(readFileSync(join(cwd, "routing.yaml"), "utf8")).toBe("mine");
  });
});

describe("--dry-run", () => {
  it("shows the picture and the requests, and sends and writes nothing", async () => {
    const cwd = temporaryFolder();
    const args = [...NEW, "--save", "routing.yaml", "--dry-run"];
    const { code, stdout, stderr, requests } = await setup(args, { cwd, replies: [NO_LIST] });
    expect(code).toBe(0);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stderr).toContain("This will be created:");
    expect(stdout).toContain("POST /projects/acme/topics");
    expect(stdout).toContain('{"topicId":"<id of the new topic>","eventType":"connection.error"}');
    expect(existsSync(join(cwd, "routing.yaml"))).toBe(false);
  });

  it("serves where the service is not reached", async () => {
    const { code, stdout, stderr } = await setup([...NEW, "--dry-run"], {
      fetch: async () => Response.json({ retryable: false }, { status: 503 }),
    });
    expect(code).toBe(0);
    expect(stderr).toContain("What exists already is not known");
    expect(stdout).toContain("POST /projects/acme/destinations");
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
    const world = person([...WEBHOOK, ...REST, ["Go on?", "Create it"]]);
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
    const world = person(
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
    const world = person([...whole.slice(0, at), [whole[at]?.[0] ?? "", CTRL_C]]);
    const { code, stdout, stderr } = await setup([], world);
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toContain("Nothing was created.");
  });

  it("cancels", async () => {
    const { code, stderr } = await setup(NEW, person([["Go on?", "Cancel"]]));
    expect(code).toBe(130);
    expect(stderr).toContain("Nothing was created.");
  });
});
