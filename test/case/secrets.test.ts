import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../src/case/case-file.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { cleanEvidence } from "../../src/secrets/evidence.ts";
import { growthOf } from "../growth.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const JWT = "eyJjYW5hcnkxIjoxfQ.eyJjYW5hcnkyIjoyfQ.Y2FuYXJ5MzQ1Njc4";
const RANDOM = "Zx9canary7Qw3Er5Ty8Ui1Op";

/** What each probe must not leave, by a text of it that nothing else has. */
const PROBES = ["canary", "Canary", "Y2FuYXJ5", "c2VjcmV0LWNhbmFyeQ"];

/** The fields that are secret by their names, in every record of an installation. */
const SECRETS = {
  apiKey: "canary-api-key",
  accessToken: { token: "canary-access", refresh: "canary-refresh" },
  clientSecret: "canary-client-secret",
  password: "canary-password",
  credentials: { any: "canary-credential" },
  note: `kept by canary@mail.example, see https://canary:canary@host.example/x?token=canary#canary ${JWT}`,
};

/** The lines of a log, with a probe in each of their fields. */
const LOG = [
  { msg: `Authorization: Bearer ${RANDOM}` },
  {
    msg: 'request {"email":"canary@mail.example","lastname":"Canary","nested":{"a":"canary"}} refused',
  },
  { msg: 'cut off: {"lastname": "Canary' },
  { msg: "python: {'lastname': 'Canary'} refused" },
  { msg: `session ${RANDOM} expired for Canary Person`, error: "password=canary-in-a-pair&x=1" },
  { msg: `${"x ".repeat(249)} canary at the end of a long line` },
  { msg: "GET https://user:canary@api.example/v1?hapikey=canary-key" },
  {
    msg: "details",
    details: { record: { lastname: "Canary" }, user: "canary@mail.example", list: ["Canary"] },
  },
  { msg: "unknown fields", payload: { lastname: "Canary" }, rows: [{ name: "Canary" }] },
  { msg: `key whsec_c2VjcmV0LWNhbmFyeQ==0123 and ${JWT}` },
  { msg: "No such column 'deal_stage_x'", error: "asked by canary.person+tag@mail.example" },
];

const world = largeWorld(64);
const sandbox = sandboxAt(NOW, { state: world });

/** The answers of the sandbox with probes in every record. */
async function probed(request: Request): Promise<Response> {
  const answer = await sandbox.fetch(request);
  if (answer.status !== 200) return answer;
  const { pathname } = new URL(request.url);
  const body: unknown = await answer.json();
  if (pathname.endsWith("/logs")) {
    return Response.json(LOG.map((message) => ({ timestamp: NOW, severity: "error", message })));
  }
  if (pathname.endsWith("/topics")) {
    const problem = {
      title: "canary@mail.example",
      detail: `no ${JWT}`,
      remedy: "canary@mail.example",
    };
    return Response.json({ ...problem, status: 403 }, { status: 403 });
  }
  // Anybody may read the catalogue: it has no address or person to hide.
  if (pathname.endsWith("/providers")) return Response.json(withProbes(body, ` ${JWT} ${USER}`));
  return Response.json(withProbes(body, ` canary@mail.example ${JWT} ${USER}?token=canary`));
}

/** The fields by which records find each other, or that a verdict is made of. */
const NEEDED =
  /^id$|Id$|Ref$|Time$|Token$|^(?:name|groupName|provider|status|healthStatus|authType|actionType|lastOperationStatus|objectName|objects|schedule|destination|type|eventType)$/u;

const USER = "https://canary:canary@host.example/path";

/** The probes in a text, each with what is around it. */
function leaks(text: string): string[] {
  const found = PROBES.flatMap((probe) => [...text.matchAll(new RegExp(probe, "gu"))]);
  return found.map(({ index }) => text.slice(Math.max(0, index - 60), index + 30));
}

/** A copy with a probe at the end of every text, and with the secret fields in every record. */
function withProbes(value: unknown, probe: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withProbes(item, probe));
  if (typeof value === "string") return value + probe;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) =>
    NEEDED.test(key) && (typeof item === "string" || Array.isArray(item))
      ? [key, item]
      : [key, withProbes(item, probe)],
  );
  const isRecord = ["createTime", "id", "authType"].some((key) => key in value);
  const { note, ...secrets } = SECRETS;
  const probes: Record<string, unknown> = isRecord ? { ...secrets, note: note + probe } : {};
  if ("authType" in value) Object.assign(probes, { note: `public${probe}` });
  if ("consumerName" in value) Object.assign(probes, { consumerName: "Canary Person" });
  if ("result" in value) Object.assign(probes, { result: `refused for Canary Person, ${RANDOM}` });
  if ("url" in value)
    Object.assign(probes, { url: "https://canary:canary@hooks.example/in?sig=canary" });
  return { ...Object.fromEntries(entries), ...probes };
}

describe("a secret in every field and line of a log", () => {
  const cwd = temporaryFolder();
  const create = (...more: string[]) =>
    run(["case", "create", "cyberdyne", ...more], { sandbox, fetch: probed, cwd });

  it("is in the answers of the service", async () => {
    const { stdout } = await run(["api", "GET", "/projects/{project}/installations"], {
      sandbox,
      fetch: probed,
    });
    expect(stdout).toContain("Canary Person");
  });

  it.each([
    ["page", []],
    ["terminal", ["--no-input"]],
    ["ticket", ["-o", "markdown"]],
    ["JSON", ["--json"]],
  ])("never reaches a %s, nor a file", async (_, options) => {
    const made = await create(...options, "--save", "c.ampcase", "--overwrite");
    expect(made.code).toBe(9);
    const file = gunzipSync(readFileSync(join(cwd, "c.ampcase"))).toString();
    expect(leaks(made.stdout + made.stderr + file)).toEqual([]);
    // Every answer had probes.
    const { answers } = JSON.parse(file) as CaseFile;
    for (const { path, status, body } of answers) {
      const text = JSON.stringify(body);
      if (status === 200 && text !== "[]") expect(text, path).toContain("[redacted]");
    }
    expect(answers.length).toBeGreaterThan(15);
    // The cause survives.
    expect(made.stdout).toContain("deal_stage_x");
    const kinds = new Set(JSON.parse(file).redactions.map(({ kind }: { kind: string }) => kind));
    expect([...kinds].sort()).toEqual([
      ...["consumer name", "credential", "email address", "end of a long text"],
      ...["part of a URL", "random text", "record"],
    ]);
  });

  it("never reaches what case show prints of the file", async () => {
    await create("--save", "c.ampcase", "--overwrite");
    for (const part of ["--redactions", "--requests", "--rules"]) {
      const { stdout, stderr } = await run(["case", "show", "c.ampcase", part], { cwd });
      expect(leaks(stdout + stderr)).toEqual([]);
    }
  });
});

describe("a text typed to find an installation", () => {
  const cwd = temporaryFolder();
  const id = "ins_08139571";
  const mail = `Hi, my password is Canary2026! call 555-canary ${RANDOM} about ${id}`;
  const event = JSON.stringify({
    data: { installationId: id, lastname: "Canary", email: "canary@mail.example" },
  });

  it.each([
    ["a mail as an argument", mail, undefined],
    ["a mail", "-", mail],
    ["an event", "-", event],
  ])("is not kept: %s", async (_, who, stdin) => {
    const given = { sandbox, cwd, ...(stdin !== undefined && { stdin }) };
    for (const options of [["--json"], ["-o", "markdown"]]) {
      const save = ["--save", "c.ampcase", "--overwrite"];
      const made = await run(["case", "create", who, ...options, ...save], given);
      expect(made.code).toBe(0);
      const file = gunzipSync(readFileSync(join(cwd, "c.ampcase"))).toString();
      const shown = await run(["case", "show", "c.ampcase", ...options], { cwd });
      expect(leaks(made.stdout + made.stderr + file + shown.stdout)).toEqual([]);
      expect((JSON.parse(file) as CaseFile).who).toBe("Cyberdyne Systems");
    }
  });
});

describe("evidence", () => {
  const clean = (body: unknown, holds: "records" | "prose" | "log" = "log") =>
    cleanEvidence([{ where: "GET /x", body, holds }]);
  const line = (msg: string) =>
    clean([{ message: { msg } }]).bodies[0] as [{ message: { msg: string } }];

  it.each([
    ["No such column 'deal_stage_x' on entity 'Opportunity'"],
    ["Reading crm_objects_marketing_campaigns_2026 failed after 3 attempts"],
    ["sync of InternationalCustomerRelationshipAccounts took 12.5 s at 2026-09-01T12:00:00Z"],
    ["GET https://api.example.com/crm/v3/objects/deals 403"],
    ["the bearer token expired; basic authentication is not supported"],
    ["[contact] No new data found"],
    ["request ID 8f14e45f-ceea-4a7d-9d3b-1f2a3b4c5d6e, trace 4bf92f3577b34da6a3ce929d0e0e4736"],
    [
      "requestId=8f14e45f-ceea-4a7d-9d3b-1f2a3b4c5d6e of commit 9d95a281c0ffee00112233445566778899aabbcc",
    ],
  ])("keeps: %s", (text) => {
    expect(line(text)[0].message.msg).toBe(text);
  });

  it.each([
    ['got {"a":1,"b":{"c":2}} back', "got {a, b} back"],
    ['got [{"a":1},{"a":2}] back', "got [2 × {a}] back"],
    ['cut {"a": "x', "cut {…}"],
    ["to ada@mail.example now", "to [redacted] now"],
    [
      "at https://u:p@host.example/a?b=c#d now",
      "at https://[redacted]@host.example/a?[redacted] now",
    ],
    ["id 8f14e45f-ceea-4a7d-9d3b-1f2a3b4c5d6e", "id [redacted]"],
  ])("takes out of: %s", (text, expected) => {
    expect(line(text)[0].message.msg).toBe(expected);
  });

  it("keeps the IDs of the evidence itself, and cuts a long line", () => {
    const id = "8f14e45f-ceea-4a7d-9d3b-1f2a3b4c5d6e";
    const { bodies } = clean([{ installationId: id }, { message: { msg: `of ${id}` } }]);
    expect(bodies[0]).toMatchObject([{}, { message: { msg: `of ${id}` } }]);
    expect(line("word ".repeat(200))[0].message.msg).toHaveLength(501);
  });

  it("names each place, and changes nothing of what it was given", () => {
    const given = [
      { connection: { consumer: { consumerName: "Ada Lovelace" } }, note: "Ada Lovelace" },
    ];
    const copy = structuredClone(given);
    expect(clean(given, "records").redactions).toEqual([
      { where: "GET /x [0].connection.consumer.consumerName", kind: "consumer name" },
      { where: "GET /x [0].note", kind: "consumer name" },
    ]);
    expect(given).toEqual(copy);
  });

  it("takes out credentials by their names, and names those that the client took out", () => {
    const { bodies, redactions } = clean({ apiKey: "abc", token: "[redacted]" }, "records");
    expect(bodies).toEqual([{ apiKey: "[redacted]", token: "[redacted]" }]);
    expect(redactions.map(({ kind }) => kind)).toEqual(["credential", "credential"]);
  });

  it.each(["a@", "{[", "x://", "a=", "_", '{"'])(
    "takes a long text of %j in linear time",
    (part) => {
      expect(growthOf((size) => line(part.repeat(size / part.length)), 20_000)).toBeLessThan(10);
    },
  );
});
