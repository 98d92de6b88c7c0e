import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CaseFile } from "../../src/case/case-file.ts";
import { unpackCase } from "../../src/case/case-file.ts";
import { environmentInCase, type ServedCase, serveCase } from "../../src/case/open.ts";
import { routes } from "../../src/commands/routes.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { COMMANDS, type CommandPath } from "../../src/values/command-paths.ts";
import { INVOCATIONS } from "../commands/invocations.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const sandbox = sandboxAt(NOW, { state: largeWorld(64) });
const cwd = temporaryFolder();
let file: CaseFile;
let served: ServedCase;

/** What the service sent and the case has redacted, by the places that its list of redactions names. */
const redacted = new Map<string, string>();

beforeAll(async () => {
  await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], { sandbox, cwd });
  writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics:\n  lifecycle: {}\n");
  file = unpackCase(readFileSync(join(cwd, "c.ampcase")), "c.ampcase");
  served = await serveCase(file, () => NOW);
  for (const { path, body } of file.answers) {
    const live = await liveBody(path);
    for (const { where } of file.redactions) {
      const [, asked, place = ""] = where.split(" ");
      if (asked !== path) continue;
      const [from, to] = [valueAt(live, place), valueAt(body, place)];
      if (typeof from === "string" && typeof to === "string") redacted.set(from, to);
    }
  }
});
afterAll(() => served.close());

async function liveBody(path: string): Promise<unknown> {
  const url = `http://127.0.0.1/v1${path}${path.endsWith("/operations") ? "?pageSize=1000" : ""}`;
  const answer = await sandbox.fetch(
    new Request(url, { headers: { "x-api-key": "sandbox-api-key" } }),
  );
  return ownOnly(path, await answer.json());
}

/** The lists of customers' records as a case keeps them: those of its own customer alone. */
function ownOnly(path: string, body: unknown): unknown {
  if (!Array.isArray(body) || !/\/(?:installations|connections)$/u.test(path)) return body;
  return body.filter((one) => JSON.stringify(one).includes('"groupRef":"cyberdyne"'));
}

function valueAt(value: unknown, place: string): unknown {
  const keys = place.split(/[.[\]]+/u).filter(Boolean);
  return keys.reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

/** The answers of the service, with what the case has in the place of each redacted text. */
async function liveButRedacted(request: Request): Promise<Response> {
  const answer = await sandbox.fetch(request);
  const text = await answer.text();
  const { status, headers } = answer;
  if (text === "") return new Response(null, { status, headers });
  const body = JSON.parse(text, (_, value) =>
    typeof value === "string" ? (redacted.get(value) ?? value) : value,
  );
  const own = ownOnly(new URL(request.url).pathname, body);
  return new Response(JSON.stringify(own), { status, headers });
}

/** Runs amp as `amp case open` does. */
function inCase(argv: readonly string[], input: Parameters<typeof run>[1] = {}) {
  const env = environmentInCase(file, served, {
    path: join(cwd, "c.ampcase"),
    folder: join(cwd, "in-case"),
    env: { NO_COLOR: "1" },
  });
  return run(argv, { cwd, env, fetch: (request) => fetch(request), ...input });
}

/**
 * The words after the path of a command that only reads: what support asks about the customer of the
 * case. A command that is neither here nor in {@link EXCEPTED} is called as in `invocations.ts`.
 */
const READS: Partial<Record<CommandPath, readonly (readonly string[])[]>> = {
  "projects get": [["acme"]],
  "integrations get": [["crm-sync"]],
  "apps get": [["app_224bf652"]],
  "apps lint": [[]],
  "providers list": [[], ["sales"], ["--auth-type", "apiKey"]],
  "providers get": [["hubspot"]],
  "providers compare": [["hubspot", "stripe"]],
  "installations list": [
    ["--all-integrations"],
    ["crm-sync"],
    ["crm-sync", "--group-ref", "cyberdyne"],
    ["crm-sync", "--filter", "health=unhealthy", "--sort-by", "updated"],
  ],
  "installations get": [["cyberdyne"], ["ins_08139571"], ["nosuch"]],
  "installations operations": [
    ["cyberdyne", "--limit", "300"],
    ["cyberdyne", "--failed", "--limit", "20"],
    ["cyberdyne", "--since", "2d", "--limit", "20"],
  ],
  "installations logs": [["op_08139571_1b4"], ["op_08139571_1b4", "--follow"]],
  "installations wait": [["cyberdyne", "--for", "health=unhealthy", "--within", "1s"]],
  "connections list": [[], ["--provider", "hubspot"], ["--group-ref", "cyberdyne"]],
  "connections get": [["cyberdyne"]],
  "notify destinations get": [["acme-webhook"]],
  "notify topics get": [["nosuch"]],
  "notify routes list": [[], ["--topic", "lifecycle"]],
  "notify plan": [["--file", "routing.yaml"]],
  "notify graph": [["connection.error"], ["read.schedule.paused"]],
  "notify check": [[]],
};

/** The commands that only read and answer otherwise in a case, and why. */
const EXCEPTED: Partial<Record<CommandPath, string>> = {
  "auth login": "a case has no logins",
  "auth status": "a case has no logins",
  doctor: "a case has no logins",
  "case create": "the others are only counted in a case, and cannot be compared",
  "installations diff": "it compares two installations",
  "installations check": "the others are not there to count",
  "installations summary": "the others are not there to count",
  "notify state forget": "it changes the state of this machine",
  "notify state history": "it reads the state of this machine",
  "notify state import": "it changes the state of this machine",
  "notify state resolve": "it changes the state of this machine",
  "notify state list": "it reads the state of this machine",
  "notify state pull": "it reads the state of this machine",
  "notify state push": "it changes the state of this machine",
  "notify state unlock": "it changes the state of this machine",
  "sandbox deliveries": "a service that can be recorded has no deliveries",
  "sandbox export": "it asks a sandbox of this machine",
};

/** The commands that reach the service and change nothing. */
async function readCommands(): Promise<CommandPath[]> {
  const found: CommandPath[] = [];
  for (const [path, [targets]] of Object.entries(COMMANDS)) {
    const route = routes[path];
    if (targets.length === 0 || route === undefined || !("load" in route)) continue;
    if ((await route.load()).default.effect !== "write") found.push(path as CommandPath);
  }
  return found;
}

const reads = await readCommands();

it("lists no command that writes, and none twice", () => {
  const named = [...Object.keys(READS), ...Object.keys(EXCEPTED)];
  expect(named.filter((path) => !(reads as string[]).includes(path))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

/** The words of the usual call, which must be about the customer of the case, or about all. */
function usualWords(path: CommandPath): readonly string[] {
  const { args = [] } = INVOCATIONS[path] ?? {};
  return typeof args === "function" ? args(sandbox.world) : args;
}

const CALLS = [
  ...reads
    .filter((path) => EXCEPTED[path] === undefined)
    .flatMap((path) =>
      (READS[path] ?? [usualWords(path)]).map((words) => [...path.split(" "), ...words]),
    ),
  ["api", "GET", "/projects/{project}/topics"],
];

/** What a command says of a list that a case has only in part. */
const PART = /^The case has \d+ of [\d,]+ (?:installations|connections): those of this customer\./u;
const ORIGIN = "From the case of Cyberdyne Systems, recorded Wed 2 Sep 08:30 UTC.";

/** A case has a port and a project of its own; where the next command would create one, it is shown. */
function comparable(text: string): string {
  return (
    text
      // What is at the right margin moves with the width of the port.
      .replaceAll(/ *http:\/\/127\.0\.0\.1:\d+/gu, " http://127.0.0.1")
      .replaceAll(/ {3,}(?=project )/gu, "   ")
      .replace(/amp case (?:create|show) \S+$/mu, "amp case")
      .replace(/("(?:made|projectFrom)": ")[^"]+/u, "$1")
      .replaceAll(/([Ww]aited\s+|"waitedSeconds": )[\d.]+(?: m?s)?/gu, "$1")
  );
}

/** The lines of stderr without those that a slow machine shows and erases while it waits. */
function linesOf(stderr: string): string[] {
  const lines = comparable(stderr).split("\n");
  return lines.map((line) => line.split("\r\u001b[2K").at(-1) ?? "").filter(Boolean);
}

describe("a command in a case answers byte for byte as it did, but for what was redacted", () => {
  it.each(CALLS.map((argv) => [argv.join(" "), argv] as const))("amp %s", async (_, argv) => {
    for (const more of [[], ["--json"], undefined]) {
      const input = { tty: more ? false : { out: true, err: true }, columns: 100, cwd };
      const words = [...argv, ...(more ?? [])];
      const env = { NO_COLOR: "1" };
      const live = await run(words, { sandbox, fetch: liveButRedacted, env, ...input });
      // Wrong words would be refused in a case as well, and prove nothing.
      expect(live.code, live.stderr).not.toBe(2);
      const recorded = await inCase(words, input);
      expect(comparable(recorded.stdout)).toBe(comparable(live.stdout));
      expect(recorded.code).toBe(live.code);
      const [said, expected] = [linesOf(recorded.stderr), linesOf(live.stderr)];
      if (more?.length !== 1) expect(said, words.join(" ")).toContain(ORIGIN);
      // A command that finds nothing says that it searched a case.
      const isFound = live.code !== 3;
      const messages = said.filter((line) => line !== ORIGIN && !PART.test(line));
      expect(isFound ? messages : messages[0]).toEqual(isFound ? expected : expected[0]);
    }
  });

  it("has something redacted to compare", () => {
    expect(redacted.get("Admin of Cyberdyne Systems")).toBe("[redacted]");
    expect(redacted.get("jane.roe@customer.example")).toBe("[redacted]");
  });
});
