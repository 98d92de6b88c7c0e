import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, type Outcome, run, sandboxAt } from "../harness.ts";
import { HARMLESS_NAMES, SECRET_NAMES } from "../secrets/secret-names.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECRETS = SECRET_NAMES.map((name, nth) => [name, `Zq${nth}canary${nth}x`] as const);
const HARMLESS = HARMLESS_NAMES.map((name, nth) => [name, `harmless${nth}ok`] as const);

/** Fields with every name, as a service may add them to any object. */
const FIELDS = Object.fromEntries([...SECRETS, ...HARMLESS]);
/** Lines of a log that quote every name, each in one of the ways in which programs write. */
const LINES = [...SECRETS, ...HARMLESS].map(([name, value], nth) => {
  const json = JSON.stringify({ [name]: value });
  const ways = [`${name}=${value}`, `sent ${json}`, `header ${name}: ${value}`];
  return `${ways[nth % 3]} refused`;
});

const sandbox = sandboxAt(NOW, { state: largeWorld(20) });
const cwd = temporaryFolder();
let operation = "";

/** The service, with every name in each object of the kind that a request is about. */
async function fetch(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const answer = await sandbox.fetch(request);
  if (!answer.ok || request.method !== "GET") return answer;
  const body: unknown = await answer.json();
  if (pathname.endsWith("/logs")) {
    const lines = LINES.map((msg) => ({ message: { msg, details: { request: FIELDS } } }));
    return Response.json(lines.map((one) => ({ ...one, severity: "error", timestamp: NOW })));
  }
  return Response.json(withFields(body));
}

const isOwn = (one: { id?: unknown } | null) => one?.id === "ins_08139571";

/** A copy with the fields in each record, config and connection. */
function withFields(value: unknown): unknown {
  if (Array.isArray(value))
    return value.slice(0, 12).map((one, nth) => (nth < 2 || isOwn(one) ? withFields(one) : one));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.entries(value).map(([key, item]) => [key, withFields(item)]);
  const isRecord = ["createTime", "id", "authScheme", "read"].some((key) => key in value);
  return { ...(isRecord ? FIELDS : {}), ...Object.fromEntries(copy) };
}

const amp = (...argv: readonly string[]) => run(argv, { sandbox, fetch, cwd });

beforeAll(async () => {
  const { stdout } = await amp("installations", "operations", "ins_08139571", "--json");
  operation = (JSON.parse(stdout) as { id: string }[])[0]?.id ?? "";
});

/** The places of the names, each by a command that shows it. */
const PLACES: Readonly<Record<string, () => readonly string[]>> = {
  "record, config and connection": () => ["installations", "get", "ins_08139571"],
  "records, configs and connections": () => ["installations", "list", "--all-integrations"],
  connections: () => ["connections", "list"],
  operations: () => ["installations", "operations", "ins_08139571"],
  "text and details of a log": () => ["installations", "logs", operation],
  invites: () => ["invites", "list", "--org", "org_5a17e0c4"],
  "provider apps": () => ["apps", "list"],
  projects: () => ["projects", "list"],
};

/** The values of secrets that an outcome shows, by their names. */
function seen({ stdout, stderr }: Pick<Outcome, "stdout" | "stderr">): string[] {
  return SECRETS.filter(([, value]) => (stdout + stderr).includes(value)).map(([name]) => name);
}

/** The harmless names whose value an outcome does not show. */
function missed({ stdout }: Pick<Outcome, "stdout">): string[] {
  return HARMLESS.filter(([, value]) => !stdout.includes(value)).map(([name]) => name);
}

describe.each(Object.entries(PLACES))("secrets in %s", (_, place) => {
  it.each(["json", "yaml"])("are redacted in -o %s, and all else is not", async (format) => {
    const shown = await amp(...place(), "-o", format);
    expect(shown).toMatchObject({ code: 0 });
    expect(seen(shown)).toEqual([]);
    expect(missed(shown)).toEqual([]);
  });

  it("are not in a cell of csv", async () => {
    for (const columns of [[], ["--fields", "id,group,connection,config,message,consumer"]]) {
      expect(seen(await amp(...place(), "-o", "csv", ...columns))).toEqual([]);
    }
  });

  it.each([["-o", "markdown"], ["-o", "table"], []])(
    "are not on a page (%s %s)",
    async (...format) => {
      const shown = await run([...place(), ...format.filter(Boolean)], {
        ...{ sandbox, fetch, cwd, tty: true, columns: 400 },
      });
      expect(seen(shown)).toEqual([]);
    },
  );
});

describe("secrets in a case", () => {
  it("are not in its page, ticket, JSON and file, nor in what shows it", async () => {
    for (const [nth, format] of [[], ["-o", "markdown"], ["--json"], ["-o", "yaml"]].entries()) {
      const path = `${nth}.ampcase`;
      const made = await amp("case", "create", "ins_08139571", "--save", path, ...format);
      expect(made).toMatchObject({ code: 0 });
      expect(seen(made)).toEqual([]);
      const stdout = gunzipSync(readFileSync(join(cwd, path))).toString();
      expect(seen({ stdout, stderr: "" })).toEqual([]);
      // In logs, fields that are not known are taken out with their values.
      expect(missed({ stdout })).toEqual([]);
    }
    for (const part of ["--redactions", "--requests", "--rules"]) {
      expect(seen(await amp("case", "show", "0.ampcase", part))).toEqual([]);
    }
  });
});
