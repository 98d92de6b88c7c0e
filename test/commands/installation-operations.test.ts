import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../src/api/schemas/operation.ts";
import type { CommandContext } from "../../src/context/command-context.ts";
import { ServiceError } from "../../src/errors.ts";
import { backfillRate, standstillOf } from "../../src/inspect/backfills.ts";
import { followLogs } from "../../src/inspect/operations.ts";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { BASE_URL, type RunInput, run, sandboxAt } from "../harness.ts";
import { polling } from "../polling.ts";
import { BARE, TERMINAL } from "./installations-at.ts";

const CRM = SANDBOX_DEFAULTS.integration;
/** Just after the seeded world was left. */
const THEN = new Date("2026-09-01T12:10:00.000Z");
const amp = (argv: readonly string[], world: RunInput = {}) =>
  run(["installations", ...argv], { sandbox: sandboxAt(THEN), now: THEN, ...world });
const ofCyberdyne = (...args: string[]) => ["operations", "Cyberdyne", ...args];

/** A service that answers some paths in its own way, and others as the sandbox does. */
function answering(answers: Readonly<Record<string, (url: URL) => Response>>): RunInput["fetch"] {
  const sandbox = sandboxAt(THEN);
  return async (request) => {
    const url = new URL(request.url);
    const [, answer] = Object.entries(answers).find(([end]) => url.pathname.endsWith(end)) ?? [];
    return answer ? answer(url) : sandbox.fetch(request);
  };
}

const NO_SETTINGS = { settings: { get: () => undefined, takeNotices: () => [] } } as never as {
  readonly settings: CommandContext["settings"];
};

const status = (code: number) => () =>
  Response.json({ status: code, detail: "no" }, { status: code });

describe("amp installations operations", () => {
  it.each([60, 80, 140])("fits %d columns", async (columns) => {
    const { code, stdout, stderr } = await amp(ofCyberdyne("--since", "2h"), {
      ...TERMINAL,
      columns,
    });
    expect(code).toBe(0);
    expect(stderr).toContain("11 operations · 11 failed");
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installations-operations-${columns}.txt`);
  });

  it("repeat the object of a result, and the date, in a pipe alone", async () => {
    const first = (await amp(ofCyberdyne("--since", "2h", "-o", "tsv"))).stdout.split("\n")[0];
    expect(first).toContain("[companies] The provider refused a field");
    expect(first).toMatch(/^2026-09-01T12:00:0/u);
  });

  it("refuses a time that has not come", async () => {
    const { code, stderr } = await amp(ofCyberdyne("--since", "2027-01-01"));
    expect(code).toBe(2);
    expect(stderr).toContain('--since: "2027-01-01" is in the future');
  });

  it("are newest first, and only the failed ones or those since a time", async () => {
    const all = (await amp(ofCyberdyne("--json"))).json() as {
      status: string;
      createTime: string;
    }[];
    const times = all.map(({ createTime }) => createTime);
    expect(all.length).toBeGreaterThan(1000);
    expect(times).toEqual(times.toSorted().toReversed());
    const failed = (await amp(ofCyberdyne("--json", "--failed"))).json();
    expect(failed).toEqual(all.filter((one) => one.status === "failure"));
    const since = (await amp(ofCyberdyne("--json", "--since", "2026-08-31"))).json();
    expect(since).toEqual(all.filter(({ createTime }) => createTime >= "2026-08-31"));
    // As a ticket says it; the world's present is a Tuesday.
    for (const [word, day] of [
      ["monday", "2026-08-31"],
      ["Mon", "2026-08-31"],
      ["Tuesday", "2026-09-01"],
      ["wednesday", "2026-08-26"],
      ["today", "2026-09-01"],
      ["yesterday", "2026-08-31"],
    ] as const) {
      const named = (await amp(ofCyberdyne("--json", "--since", word))).json();
      expect({ word, named }).toEqual({
        word,
        named: all.filter(({ createTime }) => createTime >= day),
      });
    }
  });

  it("says which day was taken where it was named", async () => {
    const said = async (since: string, env = {}) =>
      (await amp(ofCyberdyne("--since", since), { env: { TZ: "UTC", ...env } })).stderr;
    expect(await said("Monday")).toContain("--since Monday: from 2026-08-31 00:00 UTC.\n");
    expect(await said("today", { TZ: "Europe/Berlin" })).toContain(
      "--since today: from 2026-09-01 02:00 GMT+2 (00:00 UTC).\n",
    );
    for (const since of ["2h", "2026-08-31"]) expect(await said(since)).not.toContain("--since");
    const words = ["case", "create", "ins_08139571", "--since", "yesterday"];
    const made = await run(words, { sandbox: sandboxAt(), env: { TZ: "UTC" } });
    expect(made.stderr).toMatch(/--since yesterday: from 20\d\d-\d\d-\d\d 00:00 UTC\.\n/u);
  });

  it("asks for no page behind the time that is asked for", async () => {
    const { requests } = await amp(ofCyberdyne("--since", "3h"));
    const pages = requests.filter(({ path }) => path.includes("/operations"));
    expect(pages.length).toBeLessThanOrEqual(2);
    const whole = await amp(ofCyberdyne());
    expect(whole.requests.length).toBeGreaterThan(10);
  });

  it.each([
    ["{}", {}, ", but it is missing"],
    ["a null and an empty token", { done: null, nextPageToken: "" }, ", received null"],
    ["no object", "more", ", but it is missing"],
  ])("are shown where the last page says nothing of another: %s", async (_, pagination, said) => {
    const body = { results: [{ id: "op_1" }, { id: "op_2" }], pagination };
    const fetch = answering({ "/operations": () => Response.json(body) });
    const { code, stdout, stderr } = await amp(ofCyberdyne("-o", "id"), { fetch });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "op_1\nop_2\n" });
    expect(stderr).toContain(`: response pagination.done: expected boolean${said}`);
  });

  it("are refused where the last page says that there is another", async () => {
    const body = { results: [{ id: "op_1" }], pagination: { done: false } };
    const fetch = answering({ "/operations": () => Response.json(body) });
    const { code, stderr } = await amp(ofCyberdyne("-o", "id"), { fetch });
    expect(code).not.toBe(0);
    expect(stderr).toContain("the list is incomplete");
  });

  it("have no secrets that a result quotes", async () => {
    const results = [{ id: "op_1", result: "refused: api_key=abcdef123456" }, { id: "op_2" }];
    const body = { results, pagination: { done: true } };
    const fetch = answering({ "/operations": () => Response.json(body) });
    for (const format of ["json", "tsv"]) {
      const { stdout } = await amp(ofCyberdyne("-o", format), { fetch });
      expect(stdout).toContain("refused: api_key=[redacted]");
      expect(stdout).not.toContain("abcdef123456");
    }
  });

  it("are an empty list for what has never run", async () => {
    const { code, stdout, stderr } = await amp(["operations", "Vandelay"], TERMINAL);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("no operations");
  });

  it.each([404, 405, 501])("are not shown by a service that answers %d", async (code) => {
    const fetch = answering({ "/operations": status(code) });
    const outcome = await amp(ofCyberdyne("--json"), { fetch });
    expect(outcome.code).toBe(3);
    expect(outcome.error()).toMatchObject({ message: "This service does not show operations" });
  });

  it.each(["tomorrow", "-1", "", "2026-13-01"])("--since %j is refused", async (since) => {
    const { code, requests } = await amp(ofCyberdyne("--since", since));
    expect(code).toBe(2);
    expect(requests).toEqual([]);
  });
});

describe("amp installations logs", () => {
  const ID = "op_80c1cca5_1b4";
  const long = "x".repeat(2000);
  const odd: LogEntry[] = [
    { timestamp: "2026-09-01T12:00:00Z", severity: "ERROR", message: { msg: "\u001b[31mred" } },
    { severity: "info", message: { msg: long } },
    {},
  ];

  it.each([60, 80, 140])("fits %d columns, without the secrets that it quotes", async (columns) => {
    const { stdout } = await amp(["logs", ID], { ...TERMINAL, columns });
    expect(stdout).not.toContain("eyJzYW5kYm94");
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installations-logs-${columns}.txt`);
  });

  it("hides secrets in JSON too", async () => {
    const { stdout } = await amp(["logs", ID, "--json"]);
    expect(stdout).toContain("Authorization: Bearer [redacted]");
  });

  it("wraps the line of a problem on a terminal, to a limit", async () => {
    const error = `${"word ".repeat(40)}end`;
    const problems: LogEntry[] = [
      { severity: "error", message: { msg: error } },
      { severity: "info", message: { error } },
      { severity: "fatal", message: { msg: "y".repeat(100_000) } },
      { severity: "info", message: { msg: `${error} of a note` } },
    ];
    const fetch = answering({ "/logs": () => Response.json(problems) });
    const { stdout } = await amp(["logs", ID], { ...TERMINAL, fetch, columns: 60 });
    expect(stdout.match(/word end\n/gu)).toHaveLength(2);
    expect(stdout).not.toContain("of a note");
    expect(stdout.split("\n").length).toBeLessThan(50);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(60);
    expect((await amp(["logs", ID], { fetch })).stdout).toContain("y".repeat(100_000));
  });

  it("cuts a long line on a terminal alone, and shows control characters as escapes", async () => {
    const fetch = answering({ "/logs": () => Response.json(odd) });
    const shown = await amp(["logs", ID], { ...TERMINAL, fetch, columns: 80 });
    expect(shown.stdout).toContain("\\u{1b}[31mred");
    expect(shown.stdout).not.toContain("\u001b[31mred");
    for (const line of shown.stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect((await amp(["logs", ID], { fetch })).stdout).toContain(long);
    expect((await amp(["logs", ID, "--json"], { fetch })).json()).toEqual(odd);
  });

  it.each([
    ["ins_08139571", "an installation"],
    ["con_fb4285d8", "a connection"],
    ["Cyberdyne Systems", "a name"],
    ["bluth", "a name"],
  ])("refuses %j, and leads to its operations", async (typed, what) => {
    const { code, stderr, requests } = await amp(["logs", typed]);
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(stderr).toContain(`"${typed}" is ${what}, not an operation`);
    const quoted = typed.includes(" ") ? `'${typed}'` : typed;
    expect(stderr).toContain(`Try: amp installations operations ${quoted}`);
    expect(stderr.trim().split("\n").length).toBeLessThan(6);
  });

  it("finds the operation in a line that was pasted, or comes on standard input", async () => {
    const line = `worker 17: failure in ${ID} at 12:00`;
    const lines = (await amp(["logs", ID])).stdout;
    expect((await amp(["logs", line])).stdout).toBe(lines);
    expect((await amp(["logs", "-"], { stdin: line })).stdout).toBe(lines);
  });

  it("says of an unknown operation that the service may not show any", async () => {
    const { code, stderr } = await amp(["logs", "op_nothing"]);
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain("or may not provide operations");
    // Nobody can paste a placeholder, and the ID does not say which installation it was.
    expect(stderr).toContain("Try: amp installations list --all-integrations\n");
  });

  it("suggests what the service can list for an operation from elsewhere", async () => {
    const specOnly = sandboxAt(THEN, { specOnly: true });
    const next = (stderr: string) => /Try: amp (.*)/u.exec(stderr)?.[1];
    const byDefault = await amp(["logs", "op_nothing1"], { sandbox: specOnly });
    expect(next(byDefault.stderr)).toBe("installations list");
    expect(await amp(["list"], { sandbox: specOnly })).toMatchObject({ code: 0 });
    const env = {
      AMP_PROFILE: undefined,
      AMP_BASE_URL: BASE_URL,
      AMP_API_KEY: "sandbox-api-key",
      AMP_PROJECT: "acme",
    };
    const bare = await amp(["logs", "op_nothing1"], { sandbox: specOnly, env });
    expect(bare.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "The payload of an event has the ID of its integration",
    );
    expect(next(bare.stderr)).toBe("installations list <integration>");
    const id = "2c37d2c0-3f1e-4b5a-9c1d-0123456789ab";
    const fetch = answering({ "/installations": () => Response.json([{ ...BARE, id }]) });
    const own = await amp(["logs", id], { fetch });
    expect(own.stderr).toContain("This is an installation.");
    expect(next(own.stderr)).toBe(`installations operations ${id}`);
  });

  it.each([405, 501])("are not shown by a service that answers %d", async (code) => {
    const { stderr } = await amp(["logs", ID], { fetch: answering({ "/logs": status(code) }) });
    expect(stderr).toContain("This service does not show the logs of operations");
  });

  it("with --follow, ends with an operation that has ended", async () => {
    const { code, stdout } = await amp(["logs", ID, "--follow"]);
    expect(code).toBe(0);
    expect(stdout).toBe((await amp(["logs", ID])).stdout);
  });

  it("are followed until the operation has ended, each line once", async () => {
    const line = (msg: string): LogEntry => ({ message: { msg } });
    const states = ["in_progress", "in_progress", "in_progress", "success"];
    const logs = [["a"], ["a"], ["a", "b"], ["a", "b", "c"]].map((texts) => texts.map(line));
    const calls: string[] = [];
    const call = async ({ path }: { path: string }) => {
      calls.push(path.split("/").at(-1) ?? "");
      return path.endsWith("logs") ? logs.shift() : { id: "op_1", status: states.shift() };
    };
    const shown: unknown[] = [];
    for await (const batch of followLogs({ ...polling(call), ...NO_SETTINGS }, "op_1", [1])) {
      shown.push(batch.map(({ message }) => message?.msg));
    }
    expect(shown).toEqual([["a"], ["b"], ["c"]]);
    expect(calls).toHaveLength(8);
  });

  it("are followed on after the service was away, which is said once", async () => {
    const away = () => new ServiceError("No connection");
    const states = ["in_progress", away(), away(), "success"];
    const logs = [["a"], ["a", "b"]];
    const call = async ({ path }: { path: string }) => {
      if (path.endsWith("logs")) return logs.shift()?.map((msg) => ({ message: { msg } }));
      const status = states.shift();
      if (status instanceof Error) throw status;
      return { id: "op_1", status };
    };
    const shown: unknown[] = [];
    const told: string[] = [];
    for await (const batch of followLogs({ ...polling(call, told), ...NO_SETTINGS }, "op_1", [1])) {
      shown.push(batch.map(({ message }) => message?.msg));
    }
    expect(shown).toEqual([["a"], ["b"]]);
    expect(told).toEqual([
      "The service does not respond: No connection. Retrying.",
      "The service responds again.",
    ]);
  });
});

describe("the backfills of amp installations get", () => {
  it.each([
    [
      "Hooli",
      /^Backfills\/companies\t░{10} 4% · 50,400 of 1,200,000 · 12\/s · 1 day 2 h left · updated .* ago · op_61980597_1b4$/mu,
    ],
    ["Pied Piper", /^Backfills\/\w+\t43,200 records · no progress for 1 day \d+ h.* · op_\w+$/mu],
  ])("are a line each: %s", async (customer, line) => {
    const { stdout } = await amp(["get", customer, "--integration", CRM]);
    expect(stdout).toMatch(line);
  });

  it("are none where no read is in progress, or the service does not show them", async () => {
    expect((await amp(["get", "Cyberdyne"])).stdout).not.toContain("Backfills");
    const fetch = answering({ "/backfill-progress": status(404), "/operations": status(404) });
    const { code, stdout } = await amp(["get", "Hooli", "--integration", CRM], { fetch });
    expect(code).toBe(0);
    expect(stdout).not.toContain("Backfills");
  });

  it("have no rate where they stand still", () => {
    const moved = Date.parse("2026-08-31T11:30:00Z");
    const backfill = { recordsProcessed: 600, createTime: new Date(moved - 60_000).toISOString() };
    const seen = { ...backfill, updateTime: new Date(moved).toISOString() };
    const minutesLater = (minutes: number) => new Date(moved + minutes * 60_000);
    expect(standstillOf(seen, minutesLater(59))).toBeUndefined();
    expect(standstillOf(seen, minutesLater(60))).toBe(3_600_000);
    expect(standstillOf({ ...seen, recordsEstimatedTotal: 600 }, minutesLater(60))).toBeUndefined();
    expect(backfillRate(seen).rate).toBe(10);
    expect(backfillRate(seen, 3_600_000).rate).toBeUndefined();
  });
});
