import { describe, expect, it } from "vitest";
import { incidentsOf, type LookedUp, nextLookups } from "../../src/inspect/incidents.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { CRM, list, TERMINAL } from "../commands/installations-at.ts";
import { NOW, run, sandboxAt } from "../harness.ts";

const one = (id: string, provider = "stripe", connectionStatus = "working") => ({
  id,
  provider,
  connectionStatus,
  lastOperationStatus: "failure",
});
const many = (count: number, prefix: string, provider?: string) =>
  Array.from({ length: count }, (_, at) => one(`${prefix}${at}`, provider));
const known = (entries: Record<string, LookedUp>) => new Map(Object.entries(entries));
const REVOKED = { since: "2026-11-22T23:25:00Z", cause: "the refresh token was revoked" };
const LIMITED = { since: "2026-11-23T08:00:00Z", cause: "429: retry after 600 s" };

describe("an incident", () => {
  it("is of one provider, cause and hour, those that were not looked up included", () => {
    const all = [...many(12, "s"), ...many(3, "d", "datadog")];
    const read = known({ s0: REVOKED, s9: { ...REVOKED, since: "2026-11-22T23:55:00Z" } });
    expect(incidentsOf(all, read)).toMatchObject([
      {
        installations: 12,
        provider: "stripe",
        since: REVOKED.since,
        causes: [{ text: REVOKED.cause, found: 2 }],
        lookedUp: 2,
        filters: ["health=unhealthy", "provider=stripe"],
      },
      { installations: 3, provider: "datadog", causes: [], lookedUp: 0 },
    ]);
  });

  it("may be older than what was read of it", () => {
    const cut = { ...REVOKED, atLeast: true };
    const [found] = incidentsOf(many(3, "s"), known({ s0: REVOKED, s1: cut }));
    expect(found).toMatchObject({ since: REVOKED.since, failingLonger: true });
    const [exact] = incidentsOf(many(3, "s"), known({ s0: REVOKED }));
    expect(exact).not.toHaveProperty("failingLonger");
  });

  it("is not split where some were not looked up and the causes differ", () => {
    const [found, ...others] = incidentsOf(many(5, "s"), known({ s0: REVOKED, s1: LIMITED }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ installations: 5, since: REVOKED.since, latest: LIMITED.since });
    expect(found?.causes).toHaveLength(2);
  });

  it("is split by cause and hour where all were looked up, the newest first", () => {
    const later = { ...REVOKED, since: "2026-11-23T06:00:00Z" };
    const waits = { ...LIMITED, cause: "429: retry after 540 s" };
    const all = many(6, "s");
    const read = { s0: REVOKED, s1: REVOKED, s2: LIMITED, s3: waits, s4: later, s5: later };
    const found = incidentsOf(all, known(read));
    expect(found.map(({ since, installations }) => [since, installations])).toEqual([
      [LIMITED.since, 2],
      [later.since, 2],
      [REVOKED.since, 2],
    ]);
    expect(found[0]?.filters.at(-1)).toBe("cause~429: retry after");
    expect(found[1]?.filters.slice(-2)).toEqual([
      `failing-since>=${later.since}`,
      `failing-since<=${later.since}`,
    ]);
  });

  it("has its first and last time in its filters, in whatever form the service writes times", () => {
    const start = { ...LIMITED, since: "2026-11-23T08:00:05Z" };
    const end = { ...LIMITED, since: "2026-11-23T08:00:05.5Z" };
    const read = known({
      s0: end,
      s1: start,
      s2: REVOKED,
      s3: { ...LIMITED, since: REVOKED.since },
    });
    const [found] = incidentsOf(many(4, "s"), read);
    expect(found?.filters.slice(-2)).toEqual([
      `failing-since>=${start.since}`,
      `failing-since<=${end.since}`,
    ]);
  });

  it("has the beginning of one that was read to its end, and large ones come first", () => {
    const cut = { ...REVOKED, since: "2026-11-23T09:00:00Z", atLeast: true };
    const all = [...many(2, "d", "datadog"), ...many(20, "s")];
    const read = known({ d0: LIMITED, d1: LIMITED, s0: REVOKED, s1: cut });
    expect(incidentsOf(all, read)).toMatchObject([
      { provider: "stripe", since: REVOKED.since, installations: 20 },
      { provider: "datadog" },
    ]);
    expect(incidentsOf(all, read)[0]).not.toHaveProperty("latest");
  });

  it("separates states of one provider by the fewest filters", () => {
    const broken = [one("b0", "stripe", "bad_credentials"), one("b1", "stripe", "bad_credentials")];
    const [, found] = incidentsOf([...many(3, "s"), ...broken], new Map());
    expect(found?.filters).toEqual([
      "health=unhealthy",
      "provider=stripe",
      "connection=bad_credentials",
    ]);
  });
});

describe("the next lookups", () => {
  it("reach each kind first, then all", () => {
    const all = [...many(9, "s"), ...many(4, "d", "datadog")];
    const read = new Map<string, LookedUp>();
    expect(nextLookups(all, read).map(({ id }) => id)).toEqual(["s0", "d0"]);
    for (let left = 100; left > 0; left--) {
      const next = nextLookups(all, read);
      for (const { id } of next) {
        expect(read.has(id)).toBe(false);
        read.set(id, REVOKED);
      }
      if (next.length === 0) break;
    }
    expect(read.size).toBe(13);
  });
});

describe("amp installations summary", () => {
  it("says first which of 5,000 fail together, with at most 40 requests", async () => {
    const sandbox = sandboxAt(NOW, { state: largeWorld(5_000) });
    const world = { ...TERMINAL, sandbox };
    const { stdout, requests } = await run(
      ["installations", "summary", "--all-integrations"],
      world,
    );
    expect(stdout).toMatch(
      /^5,000 installations, 521 unhealthy .*\n\nFailing together\n.*\n +153 +datadog +4 +\w+ \d+ \w+ \d\d:\d\d UTC +503 Service/u,
    );
    // The others of a group may fail since other times, for other causes.
    expect(stdout).toMatch(/\n +73 +stripe +4 +from .* 'deal_stage_x' \(3\)/su);
    expect(stdout).toMatch(/\n +3 +frankfurter +all /u);
    expect(stdout).toMatch(/\n +36 +hubspot +3 +\w+ \d+ \w+ \d\d:\d\d UTC or +401/u);
    const [, next = ""] = stdout.split("\nNext\n");
    expect(next.match(/^ {2}amp /gmu)).toHaveLength(3);
    expect(next).toContain("--filter provider=datadog --sort-by failing-since\n");
    const lookups = requests.filter(({ path }) => /\/(?:operations|logs)/u.test(path));
    expect(lookups.length).toBeGreaterThan(30);
    expect(lookups.length).toBeLessThanOrEqual(40);
    expect(stdout).toMatch(/Looked up \d+ of 521 unhealthy\s+installations with 40\s+requests/u);
    const { incidents } = (
      await run(["installations", "summary", "--all-integrations", "--json"], { sandbox })
    ).json() as {
      incidents: { installations: number; filters: string[]; causes: { text: string }[] }[];
    };
    expect(incidents.filter(({ causes }) => causes.length === 1).length).toBeGreaterThan(3);
    for (const { installations, filters } of incidents) {
      const conditions = filters.flatMap((one) => ["--filter", one]);
      const counted = ["--all-integrations", ...conditions, "-o", "count"];
      expect((await run(["installations", "list", ...counted], { sandbox })).stdout).toBe(
        `${installations}\n`,
      );
    }
  });
});

describe("amp installations list of what fails", () => {
  it.each([
    [60, /^GROUP +CAUSE +ID$/u],
    [80, /^GROUP +CAUSE +FAILING +HEALTH +ID$/u],
    [140, /^GROUP +CAUSE +FAILING +HEALTH +PROVIDER +LAST OP +CONNECTION +UPDATED +ID$/u],
  ])("hides in %d columns what matters least where it fails", async (columns, head) => {
    const sandbox = sandboxAt(NOW, { state: largeWorld(400) });
    const args = [CRM, "--filter", "health=unhealthy", "--sort-by", "failing-since"];
    const { stdout } = await list(args, { ...TERMINAL, sandbox, columns });
    expect(stdout.split("\n")[0]).toMatch(head);
    // No cause is cut.
    expect(stdout).not.toContain("…");
  });
});
