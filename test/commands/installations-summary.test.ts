import displayWidth from "string-width";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { HOSTILE } from "../ui/hostile.ts";
import { answering, BARE, CRM, list, TERMINAL } from "./installations-at.ts";

const summary = (args: readonly string[] = [], world: RunInput = {}) =>
  run(["installations", "summary", ...args], { sandbox: sandboxAt(), ...world });

describe("amp installations summary", () => {
  it("counts what meets one of several filters of one name", async () => {
    const filters = ["--filter", "provider=stripe", "--filter", "provider=hubspot"];
    const page = (await summary(filters, { ...TERMINAL, columns: 140 })).stdout;
    expect(page).toMatch(
      /^32 installations.* project acme · provider=stripe or provider=hubspot\n/u,
    );
  });

  it.each([60, 80, 140])("draws bars that fit %d columns", async (columns) => {
    const { code, stdout, stderr } = await summary(["--all-integrations"], {
      ...TERMINAL,
      // On a slow machine it would also say how far it is.
      env: { ...TERMINAL.env, TERM: "dumb" },
      columns,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installations-summary-${columns}.txt`);
  });

  it("counts every installation once in each field, whatever its scope", async () => {
    for (const [args, count] of [
      [["--all-integrations"], 40],
      [[], 40],
      [["crm-sync"], 20],
      [["--all-integrations", "--group-ref", "initech"], 3],
      [["--group-ref", "nobody"], 0],
    ] as const) {
      const result = (await summary([...args, "--json"])).json() as {
        installations: number;
        counts: Record<string, { count: number }[]>;
      };
      expect(result.installations).toBe(count);
      for (const counts of Object.values(result.counts)) {
        expect(counts.reduce((sum, one) => sum + one.count, 0)).toBe(count);
      }
    }
  });

  it("names those that are unhealthy, for the next command", async () => {
    const ids = (await summary(["--all-integrations", "-o", "id"])).stdout.trimEnd().split("\n");
    const listed = await list(["--all-integrations", "--json"]);
    const unhealthy = (listed.json() as { id: string; healthStatus: string }[]).filter(
      ({ healthStatus }) => healthStatus === "unhealthy",
    );
    expect(ids.toSorted()).toEqual(unhealthy.map(({ id }) => id).sort());
    expect((await summary([CRM, "--json"])).json()).toMatchObject({
      integration: CRM,
      counts: { integration: [{ value: CRM, name: "crm-sync", count: 20 }] },
      unhealthy: expect.arrayContaining([
        {
          id: "ins_80c1cca5",
          group: "Northwind Traders",
          provider: "hubspot",
          integrationId: CRM,
          integrationName: "crm-sync",
          lastOperationStatus: "failure",
          connectionStatus: "bad_credentials",
          cause: "401 Unauthorized: invalid_grant: the refresh token was revoked",
          failingSince: expect.stringMatching(/^2026-/u),
        },
      ]),
    });
  });

  it("has the name of an integration beside its ID in a pipe", async () => {
    const { stdout } = await summary(["--all-integrations"]);
    expect(stdout).toContain(`\nIntegration\tcrm-sync\t20\t${CRM}\n`);
    expect(stdout).toContain("\nHealth\thealthy\t33\n");
  });

  it("takes states that amp does not know, absent ones, and hostile names", async () => {
    const items = [
      { ...BARE, healthStatus: "meditating" },
      { ...BARE, id: "ins_2", lastOperationStatus: null, connection: { provider: "__proto__" } },
      ...Object.values(HOSTILE).map((provider, at) => ({
        ...BARE,
        id: `h${at}`,
        healthStatus: "unhealthy",
        group: { groupName: provider },
        config: { content: { provider } },
      })),
    ];
    const names = { method: "GET", path: "/projects/acme/integrations", body: [] };
    const world = () => ({
      sandbox: undefined,
      replies: [...(answering(...items).replies ?? []), names],
    });
    const shown = await summary([CRM, "--lookups", "0"], { ...world(), ...TERMINAL });
    expect(shown.stdout).toMatch(/meditating +1 /u);
    expect(shown.stdout).toContain("(none)");
    expect(shown.stdout.replaceAll(/[\n\t]/gu, "")).not.toMatch(/\p{Cc}|\u202e|\u2066/u);
    const { counts } = (await summary([CRM, "--json", "--lookups", "0"], world())).json() as {
      counts: { provider: { value: string | null }[] };
    };
    expect(counts.provider.map(({ value }) => value)).toContain("__proto__");
    expect(counts.provider.map(({ value }) => value)).toContain(null);
  });

  it("counts 10,000 as they arrive, and shows the first of many unhealthy ones", async () => {
    const body = Array.from({ length: 10_000 }, (_, at) => ({
      ...BARE,
      id: `ins_${at}`,
      healthStatus: at % 4 === 0 ? "unhealthy" : "healthy",
    }));
    const names = { method: "GET", path: "/projects/acme/integrations", body: [] };
    const world = { sandbox: undefined, replies: [...(answering(...body).replies ?? []), names] };
    const { stdout } = await summary([CRM, "--lookups", "0"], { ...TERMINAL, ...world });
    expect(stdout).toMatch(/^10,000 installations/u);
    expect(stdout).toMatch(/ {2}unhealthy +2,500 /u);
    expect(stdout).toContain("and 2,480 more");
    const all = `amp installations list ${CRM} --filter health=unhealthy`;
    expect(stdout.replaceAll(/[\\\s]+/gu, " ")).toContain(all);
  });

  it("puts those first that are failing longest, as their operations say", async () => {
    const sandbox = sandboxAt();
    const { unhealthy, operationsServed, lookedUp } = (
      await summary(["--all-integrations", "--json"], { sandbox })
    ).json() as {
      unhealthy: { id: string; failingSince?: string; failingLonger?: true }[];
      operationsServed: boolean;
      lookedUp: number;
    };
    expect({ operationsServed, lookedUp }).toEqual({ operationsServed: true, lookedUp: 7 });
    const times = unhealthy.flatMap(({ failingSince = [] }) => failingSince);
    expect(times.length).toBeGreaterThan(3);
    expect(times).toEqual(times.toSorted());
    expect(unhealthy.slice(0, times.length).every(({ failingSince }) => failingSince)).toBe(true);
    const [first] = unhealthy;
    const { integrationId } = (
      await run(["installations", "get", first?.id ?? "", "--json"], { sandbox })
    ).json() as { integrationId: string };
    const path = `projects/acme/integrations/${integrationId}/installations/${first?.id}/operations?pageSize=1000`;
    const { results } = (await run(["api", "GET", path], { sandbox })).json() as {
      results: { status: string; createTime: string }[];
    };
    const healthy = results.findIndex(({ status }) => status === "success");
    const failed = results
      .slice(0, healthy < 0 ? results.length : healthy)
      .filter(({ status }) => status === "failure");
    expect(first?.failingSince).toBe(failed.at(-1)?.createTime);
    expect(first?.failingLonger ?? false).toBe(healthy < 0);
  });

  it("says where the service shows no operations, and asks once or not at all", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { stdout, requests } = await summary([CRM], { ...TERMINAL, sandbox });
    expect(stdout).toContain("This service does not report when installations began to fail.");
    const asked = requests.filter(({ path }) => path.includes("/operations"));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(4);
    const none = await summary([CRM, "--lookups", "0"], { ...TERMINAL, sandbox });
    expect(none.requests.filter(({ path }) => path.includes("/operations"))).toEqual([]);
    expect(none.stdout).not.toContain("This service does not report");
    expect(none.stdout).not.toContain("Looked up");
  });

  it("says what a terminal leaves out to a terminal alone", async () => {
    const failing = Array.from({ length: 30 }, (_, at) => ({
      ...BARE,
      id: `ins_${at}`,
      healthStatus: "unhealthy",
    }));
    const fetch = async ({ url }: Request) =>
      Response.json(url.endsWith("/installations") ? failing : []);
    const shown = async (world: RunInput, ...more: string[]) =>
      (await summary([CRM, "--lookups", "0", ...more], { fetch, ...world })).stdout;
    expect(await shown(TERMINAL)).toContain("and 10 more");
    for (const more of [[], ["-o", "markdown"], ["-o", "csv"]]) {
      const text = await shown({}, ...more);
      expect(text).not.toContain("10 more");
      expect(text).toContain("ins_29");
    }
  });

  it("says how many of the groups that fail together a terminal leaves out", async () => {
    const failing = Array.from({ length: 26 }, (_, at) => ({
      ...BARE,
      id: `ins_${at}`,
      healthStatus: "unhealthy",
      connection: { provider: `provider-${at % 13}` },
      lastOperationStatus: at % 13 === 0 ? "in_progress" : "success",
    }));
    const fetch = async ({ url }: Request) =>
      Response.json(url.endsWith("/installations") ? failing : []);
    const args = [CRM, "--lookups", "0"];
    const shown = (await summary(args, { fetch, ...TERMINAL, columns: 140 })).stdout;
    const [, incidents = ""] = /Failing together\n([\s\S]*?)\n\nHealth/u.exec(shown) ?? [];
    expect(incidents.match(/ provider-\d+ +0 /gu)).toHaveLength(10);
    expect(incidents).toMatch(/\nand 3 more$/u);
    // What the service says of an operation that succeeded, or goes on, is not a cause.
    expect(incidents.match(/ not known$/gmu)).toHaveLength(10);
    const [counts = "", next = ""] = shown.split("\nNext\n");
    expect(counts).not.toContain(" amp ");
    expect(next.match(/^ {2}amp /gmu)).toHaveLength(3);
    const { stdout } = await summary(args, { fetch });
    expect(stdout.match(/^2\tprovider-\d+\t/gmu)).toHaveLength(13);
    expect(stdout).not.toContain("3 more");
  });

  it("counts the installations of a filter alone", async () => {
    const args = ["--all-integrations", "--filter", "provider=stripe", "--json"];
    expect((await summary(args)).json()).toMatchObject({
      installations: 12,
      counts: { provider: [{ value: "stripe", count: 12 }] },
    });
    const { stderr, code } = await summary(["--filter", "provder=stripe"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("provder") });
  });

  it("shows the counts after 20 s where lookups take longer, unless their number was chosen", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const failing = Array.from({ length: 30 }, (_, at) => ({
      ...BARE,
      id: `ins_${at}`,
      healthStatus: "unhealthy",
    }));
    const createTime = "2026-09-01T00:00:00Z";
    const results = [{ id: "op_1", status: "failure", createTime }];
    /** A service that answers so many lookups, and then none for 25 s. */
    const slowAfter = (quick: number) => {
      let asked = 0;
      return async ({ url }: Request) => {
        if (!url.includes("/operations")) {
          return Response.json(url.endsWith("/installations") ? failing : []);
        }
        asked += 1;
        if (asked > quick) {
          const answer = new Promise((resolve) => setTimeout(resolve, 25_000));
          // The run may have ended without this answer.
          setImmediate(() => vi.isFakeTimers() && vi.advanceTimersByTime(25_000));
          await answer;
        }
        return Response.json({ results, pagination: { done: true } });
      };
    };
    const some = await summary([CRM], { fetch: slowAfter(6), ...TERMINAL });
    expect(some.stdout).toMatch(/^30 installations/u);
    expect(some.stdout.replaceAll(/\s+/gu, " ")).toMatch(
      /Looked up \d+ of 30 unhealthy installations with \d+ requests; .* --lookups 60 looks up more/u,
    );
    const none = await summary([CRM, "--json"], { fetch: slowAfter(0) });
    expect(none.json()).toMatchObject({ installations: 30, lookedUp: 0 });
    const page = await summary([CRM], { fetch: slowAfter(0), ...TERMINAL });
    expect(page.stderr).toContain("The service answered no request for operations within 20 s.");
    const all = await summary([CRM, "--json", "--lookups", "60"], { fetch: slowAfter(6) });
    expect(all.json()).toMatchObject({ installations: 30, lookedUp: 30 });
  });

  it("leaves to a list that is filtered by a cause no installation without one", async () => {
    const failing = Array.from({ length: 100 }, (_, at) => ({
      ...BARE,
      id: `ins_${at}`,
      healthStatus: "unhealthy",
    }));
    const createTime = "2026-09-01T00:00:00Z";
    const fetch = async ({ url }: Request) => {
      if (url.includes("/installations?") || url.endsWith("/installations"))
        return Response.json(failing);
      const [, id = ""] = /ins_(\d+)\/operations/u.exec(url) ?? [];
      if (id === "") return Response.json([]);
      const result = Number(id) % 2 ? "503 of the provider" : "a field is missing";
      const results = [{ id: `op_${id}`, status: "failure", createTime, result }];
      return Response.json({ results, pagination: { done: true } });
    };
    const shown = await list([CRM, "--filter", "cause~503", "--json"], { fetch });
    expect({ shown: (shown.json() as unknown[]).length, stderr: shown.stderr }).toEqual({
      shown: 50,
      stderr: "",
    });
    const args = [CRM, "--sort-by", "id,cause", "--lookups", "9"];
    const some = await list([...args, "-o", "csv"], { fetch });
    expect(some.stdout.match(/,(?:503|a field)/gu)).toHaveLength(6);
    expect(some.stderr).toMatch(/^Looked up 6 of 100 unhealthy installations with 8 requests/u);
    // No earlier success was found.
    expect(some.stdout.match(/T00:00:00Z or earlier,/gu)).toHaveLength(6);
    expect((await list(args, { ...TERMINAL, fetch })).stdout.match(/ over \d+\w+/gu)).toHaveLength(
      6,
    );
    const fields = ["--fields", "id,cause", "-o", "csv"];
    const csv = (await list([CRM, ...fields], { fetch })).stdout;
    expect(csv.split("\n")[2]).toBe("ins_1,503 of the provider");
  });

  it("looks up no more than wanted, and goes on where one cannot be read", async () => {
    const sandbox = sandboxAt();
    let asked = 0;
    const fetch = async (request: Request) => {
      const isAsked = /operations\?pageSize=\d+$/u.test(request.url);
      if (isAsked) asked += 1;
      return isAsked && asked === 2
        ? new Response("{}", { status: 403, headers: { "content-type": "application/json" } })
        : sandbox.fetch(request);
    };
    const args = ["--all-integrations", "--lookups", "8"];
    const { code, stdout, stderr } = await summary(args, { ...TERMINAL, sandbox, fetch });
    expect(code).toBe(0);
    expect(asked).toBeLessThanOrEqual(8);
    expect(stdout).toContain("Looked up 5 of 7 unhealthy installations");
    expect(stderr).toContain("Could not look up the operations of 1 installation: ");
  });

  it("says where the service lists installations by integration only", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { code, stderr } = await summary(["--all-integrations"], { sandbox });
    expect(code).toBe(2);
    expect(stderr).toContain("Missing <integration>");
  });
});
