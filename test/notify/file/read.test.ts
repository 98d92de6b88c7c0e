import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import type { AmpError } from "../../../src/errors.ts";
import { errorsIn, reading } from "./reading.ts";

const FILE = `version: 1
project: my-project
destinations:
  ops-webhook:
    type: webhook
    metadata: { url: https://hooks.example.com/amp }
    secrets: { }
  archive: { id: 1f0c }
topics:
  lifecycle:
    events: [installation.created, installation.deleted]
    destinations: [ops-webhook, archive]
`;

describe("a routing file", () => {
  it("is read as provisioning.md shows it", async () => {
    const { model, project, warnings } = await reading(FILE);
    expect(project).toBe("my-project");
    expect(warnings).toEqual([]);
    expect(model).toEqual({
      destinations: new Map<string, unknown>([
        ["archive", { kind: "existing", id: "1f0c" }],
        [
          "ops-webhook",
          {
            kind: "new",
            type: "webhook",
            metadata: { url: "https://hooks.example.com/amp" },
            secrets: {},
          },
        ],
      ]),
      topics: new Map([
        [
          "lifecycle",
          {
            events: ["installation.created", "installation.deleted"],
            destinations: ["archive", "ops-webhook"],
          },
        ],
      ]),
    });
  });

  it("has only the name that it gives itself", async () => {
    for (const path of ["ci/routing.prod.yml", "standard input"]) {
      const { model } = await reading("version: 1\nname: lifecycle\n", {}, path);
      expect(model.name).toBe("lifecycle");
      expect((await reading("version: 1\n", {}, path)).model.name).toBeUndefined();
    }
    expect(await errorsIn("version: 1\nname: ''\n")).toContain("name must not be empty");
  });

  it("has the same model whatever its order and its repetitions", async () => {
    const other = `
topics:
  lifecycle:
    destinations: [archive, ops-webhook, archive]
    events: [installation.deleted, installation.created, installation.deleted]
destinations:
  archive: { id: 1f0c }
  ops-webhook: { metadata: { url: https://hooks.example.com/amp }, type: webhook }
project: my-project
version: 1`;
    const [one, two] = [await reading(FILE), await reading(other)];
    expect([...two.model.destinations]).toEqual([...one.model.destinations]);
    expect([...two.model.topics]).toEqual([...one.model.topics]);
  });

  it("may be JSON, with tabs, a byte order mark and a $schema", async () => {
    const text = `\uFEFF{\n\t"$schema": "./amp.json",\n\t"version": 1,\n\t"topics": {"a": {"events": ["x\\u002ey"]}}\n}`;
    const { model } = await reading(text);
    expect([...model.topics]).toEqual([["a", { events: ["x.y"], destinations: [] }]]);
  });

  it("has text where YAML would read a number or a boolean", async () => {
    const { model, project } = await reading(`
version: 1
project: 0123
destinations:
  123: { type: yes, metadata: { retries: 3, on: true, note: "3", when: 2026-01-01, none: null } }
  1.0: { id: 42 }
topics:
  yes: { id: 0x1F, events: [true, 1e3], destinations: [123, 1.0] }
  null: {}`);
    expect(project).toBe("0123");
    expect([...model.destinations]).toEqual([
      ["1.0", { kind: "existing", id: "42" }],
      [
        "123",
        {
          kind: "new",
          type: "yes",
          metadata: { retries: 3, on: true, note: "3", when: "2026-01-01", none: null },
          secrets: {},
        },
      ],
    ]);
    expect([...model.topics]).toEqual([
      ["null", { events: [], destinations: [] }],
      ["yes", { id: "0x1F", events: ["1e3", "true"], destinations: ["1.0", "123"] }],
    ]);
  });

  it("may leave out empty parts", async () => {
    for (const text of ["version: 1", "version: 1\ndestinations:\ntopics:", '{"version":1}']) {
      const { model, project } = await reading(text);
      expect(model).toMatchObject({ destinations: new Map(), topics: new Map() });
      expect(project).toBeUndefined();
    }
    const { model } = await reading("version: 1\ntopics:\n  t:\n    events:\n");
    expect([...model.topics]).toEqual([["t", { events: [], destinations: [] }]]);
  });

  it("may use YAML aliases", async () => {
    const { model } = await reading(`
version: 1
destinations: { o: { type: webhook, metadata: &m { url: "https://a.b" } }, p: { type: x, metadata: *m } }
topics:
  a: { events: &all [x, y], destinations: [o] }
  b: { events: *all, destinations: [p] }`);
    expect(model.topics.get("b")?.events).toEqual(["x", "y"]);
    expect(model.destinations.get("p")).toMatchObject({ metadata: { url: "https://a.b" } });
  });

  it("keeps names that every object has as a property", async () => {
    const { model } = await reading(`
version: 1
destinations: { constructor: { type: toString, metadata: { hasOwnProperty: a } } }
topics: { toString: { events: [__proto__, constructor], destinations: [constructor] } }`);
    expect(model.destinations.get("constructor")).toMatchObject({ type: "toString" });
    expect(model.topics.get("toString")?.events).toEqual(["__proto__", "constructor"]);
  });
});

describe("event types", () => {
  const eventsOf = async (list: string) => {
    const { model, warnings } = await reading(`version: 1\ntopics: { t: { events: ${list} } }`);
    return { events: model.topics.get("t")?.events, warnings };
  };

  it("may be all, or a pattern of the known ones", async () => {
    expect((await eventsOf("[all]")).events).toEqual(EVENT_TYPES.toSorted());
    expect(await eventsOf("[read.triggered.*, installation.created, x.y]")).toEqual({
      events: ["installation.created", "read.triggered.done", "read.triggered.error", "x.y"],
      warnings: [expect.stringMatching(/^routing.yaml:2:65: warning: Unknown event type "x.y"/u)],
    });
    expect((await eventsOf('["*.error"]')).events).toEqual([
      "connection.error",
      "read.triggered.error",
      "subscribe.create.error",
    ]);
  });

  it("are refused if they are not valid names", async () => {
    const list = '["installation.created,installation.deleted", "a b", "conection.*"]';
    const error = await eventsOf(list).catch((thrown: AmpError) => thrown);
    expect((error as AmpError).facts.data?.problems).toEqual([
      {
        line: 2,
        column: 25,
        message:
          'topic "t": "installation.created,installation.deleted" is not a valid event type: it has a comma or a space',
      },
      expect.objectContaining({
        message: expect.stringContaining('"a b" is not a valid event type'),
      }),
      expect.objectContaining({
        message: 'topic "t": "conection.*" matches no known event type: did you mean connection.*?',
      }),
    ]);
  });
});

describe("warnings", () => {
  it("name unknown event types, unknown destination types and doubtful names", async () => {
    const text = `
version: 1
destinations:
  ops alerts: { type: webook }
  fine: { type: something-new }
topics:
  a_b: { events: [installation.creatd, installation.created, billing.paid] }
  by_id: { id: t_1 }`;
    expect(await errorsIn(text)).toContain(
      'routing.yaml:4:23: destination "ops alerts": Unknown destination type "webook": did you mean webhook? (or pass --allow unknown)',
    );
    const { warnings } = await reading(text, { allow: ["unknown"] });
    expect(warnings.map((warning) => warning.replace(/The service may.*/u, "…"))).toEqual([
      expect.stringMatching(
        /^routing.yaml:4:3: warning: the destination name "ops alerts" may be refused/u,
      ),
      'routing.yaml:4:23: warning: destination "ops alerts": Unknown destination type "webook": did you mean webhook?',
      'routing.yaml:5:17: warning: destination "fine": Unknown destination type "something-new". …',
      expect.stringMatching(/^routing.yaml:7:3: warning: the topic name "a_b" may be refused/u),
      'routing.yaml:7:19: warning: Unknown event type "installation.creatd": did you mean installation.created?',
      'routing.yaml:7:62: warning: Unknown event type "billing.paid". …',
    ]);
  });

  it("name the fields that a type needs", async () => {
    const text = `
version: 1
destinations:
  mq: { type: rabbitmq, metadata: { exchange: e, serverUrl: "http://x" } }
  rs: { type: redshift, metadata: { region: r, dbName: d, tableName: t }, secrets: { } }`;
    expect((await errorsIn(text)).split("\n")).toEqual([
      'routing.yaml:4:3: destination "mq": A rabbitmq destination needs secrets.username (user of the server) (or pass --allow incomplete)',
      'routing.yaml:4:3: destination "mq": A rabbitmq destination needs secrets.password (server password) (or pass --allow incomplete)',
      'routing.yaml:4:61: destination "mq": metadata.serverUrl of a rabbitmq destination must begin with amqp:// or amqps:// (or pass --allow unknown)',
      'routing.yaml:5:25: destination "rs": A redshift destination needs metadata.workgroupName (workgroup, for Redshift Serverless) or metadata.clusterIdentifier (cluster, for provisioned Redshift) (or pass --allow incomplete)',
      'routing.yaml:5:75: destination "rs": A redshift destination needs secrets.accessKeyId (AWS access key ID) (or pass --allow incomplete)',
      'routing.yaml:5:75: destination "rs": A redshift destination needs secrets.secretAccessKey (AWS secret access key) (or pass --allow incomplete)',
    ]);
    const { warnings, model } = await reading(text, { allow: ["unknown", "incomplete"] });
    expect(warnings).toHaveLength(6);
    expect(model.destinations.size).toBe(2);
  });

  it("names a Slack URL that is written in the file", async () => {
    const url = "https://hooks.slack.com/services/T000/B000/abcdefghijkl";
    const text = `version: 1\ndestinations: { s: { type: slack, metadata: { url: "${url}" } } }`;
    const { warnings } = await reading(text);
    expect(warnings.join()).toContain("metadata.url: the credential is written in the file");
    expect(warnings.join()).not.toContain("abcdefghijkl");
    expect((await reading(text, { allow: ["literal-secrets"] })).warnings).toEqual([]);
  });

  it.each([
    ["http://hooks.acme.com/a", "must begin with https:// (or pass --allow http)"],
    ["hooks.acme.com/a", "must begin with https:// (or pass --allow unknown)"],
    ["http://localhost:3000/a", ""],
  ])("knows what %s lacks", async (url, said) => {
    const text = `version: 1\ndestinations: { o: { type: webhook, metadata: { url: "${url}" } } }`;
    const errors = await errorsIn(text);
    expect(errors.endsWith(said)).toBe(true);
    expect(errors === "").toBe(said === "");
  });

  it.each([
    ["Connection.Error", "did you mean connection.error?"],
    ["conection.error", "did you mean connection.error?"],
  ])("refuse %s, which is nearly a known event type", async (event, said) => {
    const found = await errorsIn(`version: 1\ntopics: { t: { events: [${event}] } }`);
    expect(found).toContain(said);
    expect(found).toContain("(or pass --allow unknown)");
  });
});

describe("secrets", () => {
  const file = (secret: string) =>
    `version: 1\ndestinations:\n  o: { type: x, secrets: { password: ${secret} } }`;

  it("come from variables and files beside the routing file", async () => {
    const { model } = await reading(
      `version: 1\ndestinations:\n  o: { type: x, secrets: { a: env:A, b: file:keys/b.pem, c: "file:/run/c" } }`,
      { env: { A: "one" }, files: { "conf/keys/b.pem": "two\n", "/run/c": "three\r\n" } },
      "conf/routing.yaml",
    );
    const part = model.destinations.get("o");
    if (part?.kind !== "new") throw new Error("no new destination");
    const read = Object.entries(part.secrets).map(([name, secret]) => [name, secret.reveal()]);
    expect(Object.fromEntries(read)).toEqual({ a: "one", b: "two", c: "three" });
    expect(Object.values(part.secrets).map(({ reference }) => reference)).toEqual([
      { from: "env", name: "A" },
      { from: "file", path: "keys/b.pem" },
      { from: "file", path: "/run/c" },
    ]);
  });

  it.each([
    ["hunter2", '3:38: destination "o": secret "password": must be env:NAME or file:PATH (or'],
    ["1234", '3:38: destination "o": secret "password": must be env:NAME or file:PATH (or'],
    ["[a]", '3:38: destination "o": secret "password": must be env:NAME or file:PATH'],
    ["", "must be env:NAME or file:PATH"],
    ["env:NOT_SET", "variable NOT_SET is not set"],
    ["env:EMPTY", "variable EMPTY is empty"],
    ["env:hunter-2", "env: must be followed by the name of a variable (letters, digits and _)"],
    ["file:none", "none cannot be read: there is no such file"],
    ["'file:'", "file: must be followed by a path"],
    ["file:empty", "the file is empty"],
  ])("%s is refused", async (secret, said) => {
    const found = await errorsIn(file(secret), { env: { EMPTY: "" }, files: { empty: "\n" } });
    expect(found).toContain(said);
    expect(found).toContain(': secret "password": ');
    expect(found).not.toContain("hunter");
  });

  it("are literal only where that is allowed", async () => {
    const { model } = await reading(file("0042"), { allow: ["literal-secrets"] });
    const part = model.destinations.get("o");
    expect(part?.kind === "new" && part.secrets.password?.reveal()).toBe("0042");
    expect(part?.kind === "new" && part.secrets.password?.reference).toBeUndefined();
  });

  it("cannot be read from standard input", async () => {
    expect(await errorsIn(file("file:-"), { files: { "-": "piped" } })).toContain("./- cannot be");
  });

  it.each(['{ password: "hunter2 }', "{ password: hunter2", '{ password: "\\hunter2" }'])(
    "do not show where the file is broken: %s",
    async (secrets) => {
      const text = `version: 1\ndestinations:\n  o: { type: x, secrets: ${secrets} }`;
      const found = await errorsIn(text);
      expect(found).toMatch(/routing\.yaml:\d+:\d+: /u);
      expect(found).not.toContain("hunter");
    },
  );
});

describe("errors", () => {
  it("are reported together, in the order of the file, up to a hundred", async () => {
    const bad = Array.from({ length: 102 }, (_, at) => `  t${at}: { evnts: [] }`).join("\n");
    const found = (await errorsIn(`version: 2\nprojct: x\ntopics:\n${bad}`)).split("\n");
    expect(found).toHaveLength(101);
    expect(found.slice(0, 3)).toEqual([
      "routing.yaml:1:10: version must be 1, the only one that this version of amp supports",
      'routing.yaml:2:1: unknown key "projct": did you mean project?',
      'routing.yaml:4:9: topic "t0": unknown key "evnts": did you mean events?',
    ]);
    expect(found.at(-1)).toBe("and 4 more");
  });

  it("have line and column as data", async () => {
    const error = await reading("version: 1\ntopics: 1\nprojec: x").catch((thrown) => thrown);
    expect(error.message).toBe("routing.yaml has 2 errors");
    expect(error.facts.data.problems).toMatchObject([
      { line: 2, column: 9 },
      { line: 3, column: 1, message: 'unknown key "projec": did you mean project?' },
    ]);
  });

  const V = "version: 1\n";
  it.each([
    ["", "1:1: a routing file must not be empty; for example: version: 1"],
    ["{}", '1:1: version is missing: begin the file with "version: 1"'],
    ["# nothing", "a routing file must not be empty"],
    ["version: '1'", "1:10: version must be a number: write version: 1, without quotes"],
    ["version: 2", "1:10: version must be 1, the only one that this version of amp supports"],
    [
      `${V}topics: { t: { events: [{ a: [b] }] } }`,
      '2:25: topic "t": an event type must be a single value',
    ],
    ["- a", "1:1: a routing file must be a mapping, not a list; for example: version: 1"],
    ["hello", "1:1: a routing file must be a mapping, not a single value"],
    [`${V}project: ""`, "2:10: project must not be empty; for example: project: acme"],
    [`${V}destinations: { o: {} }`, '2:17: destination "o": type is missing; for example: {'],
    [
      `${V}destinations: { o: }`,
      '2:20: destination "o" must not be empty; for example: { type: webhook',
    ],
    [
      `${V}destinations: { o: webhook }`,
      '2:20: destination "o" must be a mapping, not a single value',
    ],
    [
      `${V}destinations: [o]`,
      "2:15: destinations must be a mapping, not a list; for example: ops: {",
    ],
    [
      `${V}destinations: { o: { tpye: x } }`,
      '2:22: destination "o": unknown key "tpye": did you mean type?',
    ],
    [
      `${V}destinations: { o: { type: webhook, url: x } }`,
      '2:37: destination "o": unknown key "url": move it below metadata',
    ],
    [
      `${V}destinations: { o: { type: rabbitmq, password: hunter2 } }`,
      '2:38: destination "o": unknown key "password": move it below secrets',
    ],
    [
      `${V}destinations: { o: { id: d, metadata: {} } }`,
      '2:29: destination "o": metadata cannot be combined with id, which selects an existing',
    ],
    [`${V}destinations: { o: { id: "" } }`, '2:26: destination "o": id must not be empty'],
    [
      `${V}destinations: { o: { type: [] } }`,
      '2:28: destination "o": type must be a single value, not a list',
    ],
    [
      `${V}destinations: { o: { type: x, metadata: 1 } }`,
      '2:41: destination "o": metadata must be a mapping, not a single value',
    ],
    [
      `${V}destinations: { o: { type: x, metadata: { n: 12345678901234567890 } } }`,
      "2:46: the number cannot be sent exactly: put it in quotes",
    ],
    [`${V}destinations: { o: { type: x, metadata: { n: .inf } } }`, "2:46: the number cannot"],
    [
      `${V}destinations: { a: { id: x }, b: { id: x } }`,
      '2:31: destination "b" has the same id as "a": keep one',
    ],
    [
      `${V}topics: { a: { id: x }, b: { id: x } }`,
      '2:25: topic "b" has the same id as "a": keep one',
    ],
    [`${V}topics: { " ": {} }`, "2:11: a name must not be empty"],
    [
      `${V}topics: { t: { events: x } }`,
      '2:24: topic "t": events must be a list, not a single value; for example: [',
    ],
    [
      `${V}topics: { t: { events: [[x]] } }`,
      '2:25: topic "t": an event type must be a single value, not a list',
    ],
    [`${V}topics: { t: { events: [""] } }`, '2:25: topic "t": an event type must not be empty'],
    [
      `${V}destinations: { ops: { type: x } }\ntopics: { t: { destinations: [osp] } }`,
      '3:31: topic "t": no destination "osp" in this file: did you mean "ops"?',
    ],
    [
      `${V}topics: { t: { destinations: [ops] } }`,
      '2:31: topic "t": no destination "ops" in this file: add it below destinations',
    ],
    [`${V}topics: {}\ntopics: {}`, '3:1: duplicate key "topics", also in line 2: keep one'],
    [`${V}topics: { a: {}, "a": {} }`, '2:18: duplicate key "a", also in line 2: keep one'],
    [`${V}topics: { __proto__: {} }`, '2:11: "__proto__" is not allowed as a name'],
    [`${V}destinations: { "__proto__": { id: x } }`, '2:17: "__proto__" is not allowed as a name'],
    [
      `${V}destinations: { o: { type: x, metadata: { __proto__: {} } } }`,
      '2:43: "__proto__" is not allowed as a name',
    ],
    [
      `${V}destinations: { a: &a { id: x }, b: { <<: *a } }`,
      "2:39: merge keys (<<) are not supported",
    ],
    [`${V}topics: { [a]: {} }`, "2:11: a key must be text"],
    [`${V}topics: { a: *nowhere }`, "2:14: unknown alias (*): no earlier anchor (&) has this name"],
    [`${V}topics: &a { b: *a }`, "2:17: the alias contains itself"],
    [`${V}topics: !mine {}`, "unknown tag (!): remove it"],
    [`${V}topics: !!binary aGVsbG8=`, "unknown tag (!): remove it"],
    [`${V}topics:\n\ta: {}`, "3:1: indent with spaces, not with tabs"],
    [`${V}---\nversion: 1`, "2:1: a second document begins here"],
    [
      `${V}topics: { t: "a }`,
      '2:14: this quote (") is not closed: add another at the end of the value',
    ],
    [`${V}  topics: {}`, "1:10: a key with a value is not allowed here: check the indentation"],
    [`${V}project: "\\ud800"`, "2:10: the text is not valid Unicode"],
    [`${V}project: a\0b`, "2:11: NUL character"],
    [`${V}project: \uFFFD`, "2:10: the file is not UTF-8"],
    ["v\0e\0r\0s\0i\0o\0n\0", "routing.yaml is written in UTF-16"],
    ["\uFFFD\uFFFDv\0e\0r\0s\0", "routing.yaml is written in UTF-16"],
  ])("%j", async (text, said) => {
    expect(await errorsIn(text)).toContain(said);
  });

  it.each([
    ["too large", `${V}#${"x".repeat(10 * 1024 * 1024)}`, "routing.yaml is larger than 10 MB"],
    ["too deep to parse", "[".repeat(10_000), "1:128: too many levels of nesting"],
    [
      "too deep",
      `${V}topics: ${"[".repeat(60)}${"]".repeat(60)}`,
      "2:49: too many levels of nesting",
    ],
    ["too long", "a: b\n".repeat(100_000), "the file is too long: split it"],
    ["a bomb", bomb(12), "aliases (*) make the file too large: use fewer"],
  ])("in a file that is %s end the reading early", async (_why, text, said) => {
    expect(await errorsIn(text)).toContain(said);
  });

  it("in a file of many unknown names are found without comparing all with all", async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => at);
    const text = [
      "version: 1\ndestinations:",
      ...many.map((at) => `  right${at}: { id: d${at} }`),
      "topics:",
      ...many.map((at) => `  t${at}: { destinations: [wrong${at}] }`),
    ].join("\n");
    expect(await errorsIn(text)).toContain("and 1900 more");
  });
});

/** Each line stands for nine of the one before. */
function bomb(lines: number): string {
  const line = (at: number) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}]`;
  return ["a0: &a0 x", ...Array.from({ length: lines }, (_, at) => line(at + 1))].join("\n");
}
