import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/ui/width.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { HOSTILE } from "../ui/hostile.ts";
import { answering, BARE, CRM, list, TERMINAL } from "./installations-at.ts";

const summary = (args: readonly string[] = [], world: RunInput = {}) =>
  run(["installations", "summary", ...args], { sandbox: sandboxAt(), ...world });

describe("amp installations summary", () => {
  it.each([60, 80, 140])("draws bars that fit %d columns", async (columns) => {
    const { code, stdout, stderr } = await summary(["--all-integrations"], {
      ...TERMINAL,
      columns,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installations-summary-${columns}.txt`);
  });

  it("counts every installation once in each field, whatever its scope", async () => {
    for (const [args, count] of [
      [["--all-integrations"], 40],
      [[], 20],
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
        },
      ]),
    });
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
    const shown = await summary([CRM], { ...world(), ...TERMINAL });
    expect(shown.stdout).toMatch(/meditating +1 /u);
    expect(shown.stdout).toContain("(none)");
    expect(shown.stdout.replaceAll(/[\n\t]/gu, "")).not.toMatch(/\p{Cc}|\u202e|\u2066/u);
    const { counts } = (await summary([CRM, "--json"], world())).json() as {
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
    const { stdout } = await summary([CRM], { ...TERMINAL, ...world });
    expect(stdout).toMatch(/^10000 installations/u);
    expect(stdout).toMatch(/ {2}unhealthy +2500 /u);
    expect(stdout).toContain("and 2480 more");
  });

  it("says where the service lists installations by integration only", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { code, stderr } = await summary(["--all-integrations"], { sandbox });
    expect(code).toBe(2);
    expect(stderr).toContain("missing <integration>");
  });
});
