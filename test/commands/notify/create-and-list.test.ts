import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { type Outcome, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = [
  ...["notify", "setup", "--destination-name", "ops", "--destination-type", "webhook"],
  ...["--url", "https://hooks.acme.com/amp", "--topic", "lifecycle"],
  ...["--event", "connection.error", "--event", "connection.created", "--yes", "--json"],
];

/** A service without routing that answers each create so. */
const answering = (status: number, body: object) => async (request: Request) =>
  request.method === "POST" ? Response.json(body, { status }) : Response.json([]);

/** What the first create sent. */
const sentBy = ({ requests }: Outcome) => requests.find(({ method }) => method === "POST")?.body;

describe("create", () => {
  it("creates a destination from its options", async () => {
    const outcome = await run(
      [
        ...["notify", "destinations", "create", "--name", "stream", "--type", "kinesis", "--json"],
        ...["--metadata", "streamName=amp", "--metadata", "region=eu-central-1"],
        ...["--secret", "awsKeyId=env:KEY", "--secret", "awsSecretKey=-"],
      ],
      { sandbox: sandboxAt(), env: { KEY: "AKIA" }, stdin: "hush\n" },
    );
    expect(outcome.code).toBe(0);
    expect(sentBy(outcome)).toEqual({
      name: "stream",
      type: "kinesis",
      metadata: { streamName: "amp", region: "eu-central-1" },
      secrets: { awsKeyId: "AKIA", awsSecretKey: "hush" },
    });
    expect(outcome.json()).toMatchObject({ id: expect.any(String), name: "stream" });
  });

  it("sends no secrets where there are none", async () => {
    const outcome = await run(
      [
        "notify",
        "destinations",
        "create",
        "--name",
        "a",
        "--type",
        "webhook",
        "--url",
        "https://a",
      ],
      { sandbox: sandboxAt() },
    );
    expect(sentBy(outcome)).toEqual({
      name: "a",
      type: "webhook",
      metadata: { url: "https://a" },
    });
  });

  it("does not show a secret that the service repeats", async () => {
    const args = ["notify", "destinations", "create", "--name", "a", "--type", "clickhouse"];
    const { code, stdout, stderr } = await run(
      [...args, "--secret", "password=env:PW", "--secret", "pin=env:PIN", "--json"].concat(
        ...["--allow", "incomplete"],
      ),
      {
        env: { PW: "hunter2", PIN: "123" },
        fetch: answering(422, {
          detail: "hunter2 is weak",
          issues: [
            { in: "body", name: "secrets.password", value: "hunter2", detail: "weak" },
            { in: "body", name: "secrets.pin", value: "123", detail: "short" },
          ],
        }),
      },
    );
    expect(code).toBe(6);
    expect(stderr).toContain('"flag": "--secret"');
    expect(stdout + stderr).not.toMatch(/hunter2|"123"/u);
  });

  it("refuses a secret on the command line, and does not repeat it", async () => {
    const { code, stdout, stderr, requests } = await run([
      ...["notify", "destinations", "create", "--name", "a", "--type", "clickhouse"],
      ...["--secret", "password=hunter2"],
    ]);
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain("--secret: ");
    expect(stdout + stderr).not.toContain("hunter2");
  });

  it("maps what the service finds wrong to the options", async () => {
    const { code, error } = await run(
      [
        ...["notify", "destinations", "create", "--name", "a b", "--type", "webhook"],
        ...["--url", "http://a", "--json", "--allow", "http"],
      ],
      { sandbox: sandboxAt() },
    );
    expect(code).toBe(6);
    expect(error()).toMatchObject({
      done: "Nothing was created.",
      issues: expect.arrayContaining([
        expect.objectContaining({ name: "name", flag: "--name" }),
        expect.objectContaining({ name: "metadata.url", flag: "--url" }),
      ]),
    });
  });

  it("lists the types, with what each takes, in its help", async () => {
    const { stdout } = await run(["notify", "destinations", "create", "--help"]);
    expect(stdout).toMatch(/^ {2}redshift +region dbName tableName/mu);
    expect(stdout.slice(0, stdout.indexOf("Usage"))).toMatchSnapshot();
    const description = stdout.slice(0, stdout.indexOf("Examples")).split("\n");
    expect(description.filter((line) => line.length > 80)).toEqual([]);
  });

  it("shows a new topic with the command that one wants next", async () => {
    const { code, stdout } = await run(["notify", "topics", "create", "ops-alerts"], {
      sandbox: sandboxAt(),
      tty: true,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/amp notify routes create --topic ops-alerts --event/u);
  });

  it("shows a refused name as the screens do", async () => {
    const { code, stderr } = await run(["notify", "topics", "create", "ops alerts"], {
      fetch: answering(422, {
        requestId: "89eb1ffb-55d1",
        issues: [
          {
            in: "body",
            name: "name",
            value: "ops alerts",
            detail: "only letters, digits and dashes are allowed",
          },
        ],
      }),
    });
    expect(code).toBe(6);
    expect(stderr.slice(stderr.indexOf("✗"))).toMatchInlineSnapshot(`
      "✗ The service refused the topic (422)
        <name> "ops alerts": only letters, digits and dashes are allowed
        Nothing was created.
        Try: amp notify topics create ops-alerts
        Request ID: 89eb1ffb-55d1
      "
    `);
  });

  it("exits 5 for a name that is taken, by whomever", async () => {
    const sandbox = sandboxAt();
    for (const cwd of [temporaryFolder(), temporaryFolder()]) {
      const create = () => run(["notify", "topics", "create", "a", "--json"], { sandbox, cwd });
      if (sandbox.world.topics.every(({ name }) => name !== "a")) await create();
      const taken = await create();
      expect([taken.code, taken.stdout]).toEqual([5, ""]);
      expect(taken.error()).toMatchObject({ detail: 'A topic named "a" already exists.' });
      expect(taken.error()).not.toHaveProperty("suggestion");
    }
  });

  it("makes routes, and maps their inputs", async () => {
    const sandbox = sandboxAt();
    const topic = (
      await run(["notify", "topics", "create", "a", "-o", "id"], { sandbox })
    ).stdout.trim();
    const route = await run(
      ["notify", "routes", "create", "--topic", topic, "--event", "connection.error", "--json"],
      { sandbox },
    );
    expect(route.json()).toMatchObject({ topicId: topic, eventType: "connection.error" });
    const lost = await run(
      ["notify", "routes", "create", "--topic", topic, "--destination", "none", "--json"],
      { sandbox },
    );
    expect(lost.code).not.toBe(0);
    expect(lost.error().done).toBe("Nothing was created.");
    expect(JSON.stringify(lost.error())).toContain("none");
  });

  it.each([
    ["webook", "https://a.test", 'Unknown destination type "webook": did you mean webhook?'],
    ["other", "https://a.test", 'Unknown destination type "other".'],
    ["webhook", "http://a.test", "metadata.url of a webhook destination must begin with https://"],
  ])(
    "warns, where it is allowed, of a destination in the words of setup and files: %s %s",
    async (type, url, said) => {
      const create = [
        "notify",
        "destinations",
        "create",
        "--name",
        "a",
        "--type",
        type,
        "--url",
        url,
        "--allow=unknown,http",
      ];
      const { code, stderr } = await run(create, {
        fetch: answering(201, { id: "d" }),
      });
      expect(code).toBe(0);
      expect(stderr.replaceAll(/\s+/gu, " ")).toContain(said);
      const setup = ["notify", "setup", "--destination-name", "a", "--destination-type", type];
      const rest = [
        "--url",
        url,
        "--topic",
        "t",
        "--event",
        "connection.error",
        "--dry-run",
        "--allow=unknown,http",
      ];
      const planned = await run([...setup, ...rest], { sandbox: sandboxAt() });
      expect(planned.stderr.replaceAll(/\s+/gu, " ")).toContain(said);
    },
  );

  it.each([
    ["a.b,c.d", "--event a.b --event c.d"],
    ["a b", "--event a --event b"],
    ["all", "--event all"],
    ["connection.*", "--event 'connection.*'"],
    ["conection.*", "--event all"],
  ])("sends no event route for %j, and suggests a setup with %s", async (event, suggested) => {
    const words = ["notify", "routes", "create", "--topic", "t", "--event", event];
    const { code, requests, stderr } = await run(words);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`amp notify setup ${suggested}\n`);
  });

  it("warns of an event that it does not know", async () => {
    const { code, stderr } = await run(
      [
        "notify",
        "routes",
        "create",
        "--topic",
        "t",
        "--event",
        "conection.error",
        "--allow=unknown",
      ],
      { fetch: answering(201, { id: "r" }) },
    );
    expect(code).toBe(0);
    expect(stderr).toContain("did you mean connection.error?");
  });
});

describe("list", () => {
  it("shows each kind of record", async () => {
    const sandbox = sandboxAt();
    const { settled } = (await run(ROUTING, { sandbox })).json() as {
      settled: { address: string; id: string }[];
    };
    const idAt = (start: string) =>
      settled.find(({ address }) => address.startsWith(start))?.id ?? "";
    const [destination, topic] = [idAt("destination/"), idAt("topic/")];
    const list = async (...args: string[]) => (await run(["notify", ...args], { sandbox })).stdout;
    expect(await list("destinations", "list")).toMatch(
      /^ops\twebhook\thttps:\/\/hooks.acme.com\/amp\t/u,
    );
    expect(await list("topics", "list", "-o", "id")).toBe(`${topic}\n`);
    const events = await list("routes", "list", "--topic", topic);
    expect(events.trim().split("\n")).toHaveLength(3);
    const one = await list("routes", "list", "--event", "connection.error");
    expect(one).toMatch(new RegExp(`^connection.error\\t${topic}\\t[^\\t]+\\t[^\\t\\n]+\\n$`, "u"));
    const outs = await list("routes", "list", "--destination", destination);
    expect(outs).toContain(topic);
    expect(await list("routes", "list", "--destination", "other")).toBe("");
  });

  it.each([
    ["destinations", "destinations", "destinations"],
    ["topics", "topics", "topics"],
    ["routes", "notification-event-topic-routes", "event routes"],
    ["routes", "topic-destination-routes", "destination routes"],
  ])("of %s says where the service does not list %s", async (noun, path, said) => {
    const { code, stdout, stderr } = await run(["notify", noun, "list"], {
      fetch: async ({ url }) =>
        url.endsWith(path) ? Response.json({}, { status: 404 }) : Response.json([]),
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(`This service does not list ${said}`);
  });

  it("does not blame the service for a project that does not exist", async () => {
    const { code, stderr } = await run(["notify", "topics", "list"], {
      replies: [
        { path: "/projects/acme/topics", status: 404, body: { status: 404 } },
        { path: "/projects/acme/provider-apps", status: 404, body: { status: 404 } },
      ],
    });
    expect(code).toBe(3);
    expect(stderr).not.toContain("does not list");
  });
});

describe("events", () => {
  it("needs neither login nor network", async () => {
    const { code, json, requests } = await run(["notify", "events", "--json"], {
      env: { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: undefined },
    });
    expect(code).toBe(0);
    expect(requests).toEqual([]);
    expect((json() as { name: string }[]).map(({ name }) => name)).toEqual(EVENT_TYPES);
  });

  it("fits 80 columns", async () => {
    const { stdout } = await run(["notify", "events"], { tty: true, env: { NO_COLOR: "1" } });
    expect(stdout).toMatchSnapshot();
  });
});

describe("a create whose answer is lost", () => {
  it("was not done where no list shows it, and says nothing else", async () => {
    const sandbox = sandboxAt();
    const fetch = async (request: Request) => {
      if (request.method !== "POST") return sandbox.fetch(request);
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    };
    const words = ["notify", "topics", "create", "a", "--json"];
    const lost = await run([...words, "AMP_COMMIT_HORIZON=500ms"], { sandbox, fetch });
    expect([lost.code, lost.stdout]).toEqual([7, ""]);
    expect(lost.error()).toMatchObject({
      message: "topic/a was not created: the connection was reset (not listed after 0.5 s)",
      done: "Nothing was created.",
    });
    expect(lost.stderr).not.toContain("may exist");
  });
});

describe("a create whose response has no ID", () => {
  const CREATES = {
    topics: {
      words: ["notify", "topics", "create", "ops"],
      record: { name: "ops" },
    },
    destinations: {
      words: [
        ...["notify", "destinations", "create", "--name", "ops", "--type", "webhook"],
        ...["--url", "https://a.example"],
      ],
      record: { name: "ops", type: "webhook", metadata: { url: "https://a.example" } },
    },
    "notification-event-topic-routes": {
      words: ["notify", "routes", "create", "--topic", "5", "--event", "connection.error"],
      record: { topicId: 5, eventType: "connection.error" },
    },
    "topic-destination-routes": {
      words: [...["notify", "routes", "create", "--topic", "5"], ...["--destination", "d1"]],
      record: { topicId: 5, destinationId: "d1" },
    },
  };
  const other = { id: "x0", name: "other", topicId: "6", eventType: "a", destinationId: "d2" };

  /** A service whose creates answer so, and whose list of a kind answers one after another. */
  const service = (
    kind: string,
    created: Response | undefined,
    ...lists: (readonly object[] | number)[]
  ) => {
    const left = [...lists];
    let isCreated = false;
    return async ({ method, url }: Request) => {
      if (method === "POST") {
        isCreated = true;
        return created?.clone() ?? new Response(null, { status: 201 });
      }
      // Before the create nothing is listed, nor is anything of another kind.
      if (!isCreated || !url.endsWith(`/${kind}`)) return Response.json([]);
      const list = (left.length > 1 ? left.shift() : left[0]) ?? [];
      return typeof list === "number" ? Response.json({}, { status: list }) : Response.json(list);
    };
  };

  it.each(Object.entries(CREATES))("is found in the list: %s", async (kind, { words, record }) => {
    for (const created of [
      undefined,
      new Response(null, { status: 204 }),
      Response.json({ ok: true }, { status: 201 }),
      Response.json("created"),
      Response.json([]),
    ]) {
      const fetch = service(kind, created, [other, { ...record, id: 77 }]);
      const outcome = await run([...words, "-o", "csv", "--fields", "id"], { fetch });
      expect(outcome).toMatchObject({ code: 0, stdout: "id\n77\n" });
      expect(outcome.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    }
  });

  it("is found in a list that failed, and shows it late", async () => {
    const { words, record } = CREATES.topics;
    const fetch = service("topics", undefined, 500, [other], [other, { ...record, id: "t7" }]);
    const env = { AMP_RETRIES: "0" };
    const { code, stdout, stderr } = await run([...words, "-o", "id"], { fetch, env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "t7\n" });
    expect(stderr).toContain("looking again for up to 60 s");
  });

  it.each<[string, (readonly object[] | number)[], string]>([
    ["the service has no list", [404], "--id <id>"],
    ["no list shows it", [[other]], "--id <id>"],
    [
      "the list shows several like it",
      [
        [
          { ...CREATES.topics.record, id: "t7" },
          { ...CREATES.topics.record, id: "t8" },
        ],
      ],
      "--id t7\n       amp notify state resolve topic/ops --id t8",
    ],
  ])("is said to be created, and how to record its ID: %s", async (_, lists, ids) => {
    const { code, stdout, stderr, requests } = await run(
      [...CREATES.topics.words, "AMP_COMMIT_HORIZON=500ms"],
      { fetch: service("topics", undefined, ...lists) },
    );
    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(stderr).toContain("the topic was created, but the response has no ID (201)");
    expect(stderr).toContain("Created, ID unknown:\n    topic/ops\n");
    expect(stderr).toContain(
      ids.includes("t7")
        ? "Say with one of these commands which one it is.\n"
        : "Run the command again: it looks them up first.\n",
    );
    expect(stderr).toContain(`Try: amp notify state resolve topic/ops ${ids}\n`);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("is not sent again by the same command, which looks it up first", async () => {
    const { words, record } = CREATES.topics;
    const cwd = temporaryFolder();
    const fetch = service("topics", undefined, [other]);
    expect((await run([...words, "AMP_COMMIT_HORIZON=500ms"], { cwd, fetch })).code).toBe(9);
    const listed = async ({ url }: Request) =>
      Response.json(url.endsWith("/topics") ? [{ ...record, id: "t7" }] : []);
    const again = await run([...words, "-o", "id"], { cwd, fetch: listed });
    expect(again).toMatchObject({ code: 0, stdout: "t7\n" });
  });

  it("is unknown where the list shows it without an ID", async () => {
    const { words, record } = CREATES.topics;
    const fetch = service("topics", undefined, [other, { ...record, id: null }]);
    const outcome = await run([...words, "--deadline", "2s"], { fetch });
    expect(outcome).toMatchObject({ code: 124, stdout: "" });
    expect(outcome.stderr).toContain("Created, ID unknown:\n    topic/ops\n");
  });
});
