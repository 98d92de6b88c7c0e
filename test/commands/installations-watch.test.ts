import { describe, expect, it, onTestFinished, vi } from "vitest";
import { displayWidth } from "../../src/ui/text.ts";
import { type RunInput, run } from "../harness.ts";
import { BARE, CRM } from "./installations-at.ts";

type Answer = readonly object[] | number;

const one = (id: string, more: object = {}) => ({ ...BARE, id, group: { groupName: id }, ...more });
const A = one("Acme");
const SICK = one("Acme", { healthStatus: "unhealthy" });
const B = one("Büro 株式会社");

const { setTimeout: unhurried } = globalThis;

/** The pauses between looks and attempts pass at once; what limits an answer does not. */
function hurried(work: () => void, ms = 0): NodeJS.Timeout {
  return unhurried(work, ms >= 50 && ms < 20_000 ? 1 : ms);
}

/** Watches a list that answers these, one after another, and is then ended by a signal. */
async function watch(
  answers: readonly Answer[],
  args: readonly string[] = [],
  { signal: name = "SIGINT", ...world }: Omit<RunInput, "signal"> & { signal?: string } = {},
) {
  vi.stubGlobal("setTimeout", hurried);
  onTestFinished(() => void vi.unstubAllGlobals());
  const end = new AbortController();
  let at = 0;
  const fetch = async (request: Request) => {
    if (request.url.endsWith("/integrations")) return Response.json([]);
    const answer = answers[at] ?? [];
    at += 1;
    if (at > answers.length) {
      end.abort(name);
      throw new DOMException("ended", "AbortError");
    }
    if (typeof answer === "number") return Response.json({ status: answer }, { status: answer });
    return Response.json(answer);
  };
  const argv = ["installations", "list", CRM, "--watch", "--every", "1s", ...args];
  return run(argv, { ...world, fetch, signal: end.signal });
}

describe("amp installations list --watch", () => {
  it("writes a line for each change in a pipe, and ends cleanly with Ctrl-C", async () => {
    const { code, stdout, stderr } = await watch([[A], [A], [SICK, B], [SICK]]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.split("\t").slice(1).join("|"))).toEqual([
      "changed|Acme|Acme|health healthy → unhealthy",
      "added|Büro 株式会社|Büro 株式会社|",
      "removed|Büro 株式会社|Büro 株式会社|",
      "",
    ]);
    expect(stderr).toBe("Watching 1 installation every 1 s. Press Ctrl-C to end.\n");
  });

  it("is a JSON document per change, with outages, and nothing on stderr", async () => {
    const { code, stdout, stderr } = await watch([[A], 400, [SICK]], ["--json"]);
    expect({ code, stdout }).toMatchObject({ code: 6, stdout: "" });
    expect(stderr).toContain('"exitCode": 6');
    const away = await watch([[A], 503, [SICK]], ["--json"]);
    expect(away).toMatchObject({ code: 0, stderr: "" });
    const lines = away.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ change }) => change)).toEqual(["unavailable", "available", "changed"]);
    expect(lines[2]).toMatchObject({ id: "Acme", installation: SICK });
  });

  it("says that a limit left some out, and for how long it did", async () => {
    const world = { tty: true, columns: 80, env: { NO_COLOR: "1" } };
    const { stdout } = await watch([[A, B], [A]], ["--limit", "1"], world);
    const [, first = "", second = ""] = stdout.split("\u001b[H");
    expect(first).toContain("1 installation · --limit reached · ");
    expect(second).not.toContain("--limit reached");
    const { stderr } = await watch([[A, B]], ["--limit", "1"]);
    expect(stderr).toContain("Watching 1 installation (--limit reached) every 1 s.");
  });

  it("ends with an error where a mistyped path would leave the list empty for ever", async () => {
    const { code, stderr } = await watch([[A], [A]], ["--filter", "connection.staus=working"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean connection.status?");
  });

  it("says in a pipe that the service is away, once, and when it is back", async () => {
    const { stderr } = await watch([[A], 503, 503, 503, [A]]);
    expect(stderr.match(/The service does not respond: .*503.* Retrying\./gu)).toHaveLength(1);
    expect(stderr.match(/The service responds again\./gu)).toHaveLength(1);
    expect(stderr).not.toContain("attempt");
  });

  it.each([60, 80, 140])(
    "draws over the last frame at %d columns, changes first and marked",
    async (columns) => {
      const many = Array.from({ length: 50 }, (_, at) => one(`Customer ${at}`));
      const world = { tty: true, columns, env: { NO_COLOR: "1" } };
      const { code, stdout } = await watch([[...many, A], [...many, SICK, B], 503], [], world);
      expect(code).toBe(0);
      expect(stdout.startsWith("\u001b[?1049h\u001b[?25l\u001b[H")).toBe(true);
      const [frames = "", last = ""] = stdout.split("\u001b[?25h\u001b[?1049l");
      const drawn = frames.split("\u001b[H").slice(1);
      expect(drawn).toHaveLength(3);
      for (const frame of drawn) {
        const lines = frame.replaceAll("\u001b[K", "").replaceAll("\u001b[J", "").split("\n");
        expect(lines.length).toBeLessThanOrEqual(24);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }
      expect(drawn[0]).toContain("51 installations · ");
      const [first, second] = drawn[1]?.split("\n").filter((line) => /^[~+-] /u.test(line)) ?? [];
      expect(first).toMatch(/^\+ Büro 株式会社/u);
      expect(second).toMatch(/^~ Acme .*health/u);
      expect(drawn[2]).toMatch(/No response since \d\d:\d\d:\d\d; next attempt in 1 s/u);
      // What was seen last stays, below what was on the screen before.
      expect(last).toContain("+ Büro 株式会社");
      expect(last).not.toContain("\u001b[");
    },
  );

  it.each([60, 80, 140])(
    "says how many of 200 rows %d columns by 24 leave out",
    async (columns) => {
      const all = Array.from({ length: 200 }, (_, at) => one(`Customer ${at}`));
      const world = { tty: true, columns, env: { NO_COLOR: "1" } };
      const { stdout } = await watch([all], [], world);
      const [, last = ""] = stdout.split("\u001b[?25h\u001b[?1049l");
      const rows = last.split("\n").filter((line) => /^ {2}Customer /u.test(line));
      expect(rows.length).toBeGreaterThan(10);
      expect(last).toContain(`\n… and ${200 - rows.length} more\n`);
      expect(last.trimEnd().split("\n").length).toBeLessThan(24);
    },
  );

  it("shows only what fits the filter", async () => {
    const { stdout } = await watch(
      [
        [A, B],
        [SICK, B],
      ],
      ["--filter", "health=unhealthy"],
    );
    expect(stdout).toMatch(/\tadded\tAcme\tAcme\t\n$/u);
    const limited = await watch([[A, B], [A, B], [A]], ["--limit", "1"]);
    expect(limited.stdout).toBe("");
  });

  it("ends with the code of another signal, and where the reader is gone", async () => {
    expect((await watch([[A]], [], { signal: "SIGTERM" })).code).toBe(143);
    const gone = await watch([[A], [SICK], [A], [SICK], [A]], [], { closesAfter: 1 });
    expect(gone.stdout.split("\n")).toHaveLength(2);
    expect(gone.requests.length).toBeLessThan(5);
  });

  it("refuses conflicting options before any request", async () => {
    for (const [args, words] of [
      [["--watch", "-o", "csv"], "--watch does not support --output csv"],
      [["--watch", "-o", "count"], "--watch does not support --output count"],
      [["--watch", "--every", "10ms"], '"10ms" is too short; use at least 1s'],
      [["--every", "10s"], "--every has no effect without --watch"],
    ] as const) {
      const { code, stderr, requests } = await run(["installations", "list", CRM, ...args]);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(words);
    }
  });
});
