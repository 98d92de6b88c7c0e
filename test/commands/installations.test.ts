import displayWidth from "string-width";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commandEntries } from "../command-tree.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { HOSTILE } from "../ui/hostile.ts";
import { answering, BARE, CRM, get, list, OTHER, TERMINAL } from "./installations-at.ts";

describe("amp installations list", () => {
  it("is a table at 80 columns, with what a reader wants next", async () => {
    const { code, stdout, stderr } = await list(["crm-sync"], TERMINAL);
    expect(code).toBe(0);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(stderr).toBe(
      `Showing installations of integration crm-sync of project acme.\n\nHidden columns: Connection, Updated (use -o csv or a wider terminal)\n\n20 installations · 3 unhealthy${" ".repeat(24)}amp installations get <id>\n`,
    );
    await expect(stdout).toMatchFileSnapshot("./golden/installations-80.txt");
  });

  it("shows and sorts by since when and why installations fail, where that is asked", async () => {
    const scope = ["--all-integrations", "--filter", "health=unhealthy"];
    const { stdout, requests } = await list([...scope, "--sort-by=-failing-since"]);
    const [first = ""] = stdout.split("\n");
    expect(first).toMatch(/^[\w .]+\t401 Unauthorized: .*\t2026-08-30T12:00:00.000Z\tunhealthy/u);
    expect(requests.filter(({ path }) => /operations|logs/u.test(path)).length).toBeLessThan(40);
    const filtered = [...scope, "--filter", "cause~revoked", "--filter", "failing-since>3d"];
    expect((await list([...filtered, "-o", "count"])).stdout).toBe("3\n");
    const plain = await list(scope);
    expect(plain.requests.filter(({ path }) => /operations|logs/u.test(path))).toEqual([]);
    expect(plain.stdout).not.toContain("revoked");
  });

  it("shows the records of another project, or of an odd one, with a warning", async () => {
    const sandbox = sandboxAt();
    const world = (projectId: unknown): RunInput => ({
      sandbox,
      fetch: async (request) => {
        const response = await sandbox.fetch(request);
        if (!/\/(?:installations|connections)$/u.test(request.url)) return response;
        const [first, ...others] = (await response.json()) as object[];
        return Response.json([first, ...others.map((one) => ({ ...one, projectId }))]);
      },
    });
    for (const argv of [
      ["installations", "list", "--all-integrations"],
      ["connections", "list"],
    ]) {
      const { code, stdout, stderr } = await run(argv, world("prj_other"));
      expect(code).toBe(0);
      expect(stdout.split("\n").length).toBeGreaterThan(2);
      expect(stderr).toMatch(
        /^The lists of project "acme" have resources of the projects \S+ and prj_other\.\n$/u,
      );
      expect(await run(argv, world(5))).toMatchObject({ code: 0 });
    }
    for (const argv of [
      ["installations", "pause", "ins_80c1cca5", "--yes"],
      ["installations", "check", "--filter", "health=unhealthy"],
      ["case", "create", "northwind"],
    ]) {
      const { code, stderr } = await run(argv, world("prj_other"));
      expect(code).toBe(7);
      expect(stderr).toContain("the service listed resources of another project");
    }
  });

  it("is cards where the columns cannot fit", async () => {
    const args = [CRM, "--group-ref", "amalgamated"];
    const { stdout, stderr } = await list(args, { ...TERMINAL, columns: 40 });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    await expect(stdout + stderr).toMatchFileSnapshot("./golden/installations-40.txt");
  });

  it("keeps IDs whole where a limit leaves few", async () => {
    const args = ["--all-integrations", "--filter", "health=unhealthy", "--limit", "6"];
    const { stdout } = await list(args, { ...TERMINAL, columns: 60 });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(60);
    expect(stdout.match(/ins_[0-9a-f]{8}/gu)).toHaveLength(6);
  });

  it("colours only what needs attention", async () => {
    const { stdout } = await list([CRM], { tty: true, columns: 120 });
    expect(stdout).toContain("\u001b[31munhealthy\u001b[39m");
    expect(stdout).not.toMatch(/\[3\dm(?:healthy|success|working|in progress)/u);
    expect(stdout).toContain("\u001b[31mbad credentials\u001b[39m");
    expect(stdout).toContain("\u001b[35mcreated\u001b[39m");
  });

  it("is tab-separated in a pipe: whole, exact, without a header, and a named integration as its ID", async () => {
    const { stdout, stderr } = await list([CRM]);
    expect(stderr).toBe("");
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows).toHaveLength(20);
    expect(rows[0]).toEqual([
      ...["Northwind Traders", "unhealthy", "hubspot", "failure", "bad_credentials"],
      ...["2026-08-03T08:00:00.000Z", "ins_80c1cca5", CRM, CRM],
    ]);
    expect(rows.every((row) => row.length === 9)).toBe(true);
  });

  it("says where an installation has no group, and leaves the field empty in a pipe", async () => {
    expect((await list([CRM], answering(BARE))).stdout).toMatch(/^\t/u);
    expect((await list([CRM], { ...TERMINAL, ...answering(BARE) })).stdout).toContain("(no group)");
  });

  it("says the same in every format", async () => {
    const sandbox = sandboxAt();
    const as = async (format: string) => (await list([CRM, "-o", format], { sandbox })).stdout;
    const json = JSON.parse(await as("json")) as { id: string }[];
    expect(json).toHaveLength(20);
    const ndjson = (await as("ndjson")).trimEnd().split("\n");
    expect(ndjson.map((line) => JSON.parse(line))).toEqual(json);
    expect(parse(await as("yaml"))).toEqual(json);
    expect(await as("id")).toBe(json.map(({ id }) => `${id}\n`).join(""));
    const csv = (await as("csv")).split("\n");
    expect(csv[0]).toBe(
      "Group,Health,Provider,Last op,Connection,Updated,ID,Integration,integrationId",
    );
    expect(csv[1]).toBe(
      `Northwind Traders,unhealthy,hubspot,failure,bad_credentials,2026-08-03T08:00:00.000Z,ins_80c1cca5,${CRM},${CRM}`,
    );
    expect((await as("table")).split("\n")[0]).toMatch(/^GROUP +HEALTH +PROVIDER/u);
  });

  it("shows no secret of a connection in any format, list or single", async () => {
    const sandbox = sandboxAt();
    const all = (await list(["--json"], { sandbox, env: { AMP_INTEGRATION: undefined } })).stdout;
    expect(all).toContain("[redacted]");
    const everywhere = [CRM, OTHER, "5b0c9f52-7d1e-4c1b-9a36-2f8e6d40b7a1"];
    expect(JSON.stringify(sandbox.world.installations)).toContain("-of-northwind");
    const [amp] = await commandEntries();
    const formats = amp?.options.find(({ name }) => name === "--output")?.choices ?? [];
    expect(formats).toContain("csv");
    for (const format of formats) {
      for (const integration of everywhere) {
        expect((await list([integration, "-o", format], { sandbox })).stdout).not.toMatch(
          /-of-\w/u,
        );
      }
      const single = await get(["ins_80c1cca5", "-o", format], { sandbox });
      expect(single.stdout).not.toMatch(/-of-\w/u);
    }
    const fields = ["--fields", "connection.oauth2AuthorizationCode.accessToken.token"];
    expect((await get(["ins_80c1cca5", ...fields], { sandbox })).stdout).toBe("[redacted]\n");
  });

  it("gives the fields that are wanted, in every format", async () => {
    const args = [CRM, "--group-ref", "northwind", "--fields", "id,group.groupName"];
    expect((await list(args)).stdout).toBe("ins_80c1cca5\tNorthwind Traders\n");
    expect((await list([...args, "--json"])).json()).toEqual([
      { id: "ins_80c1cca5", group: { groupName: "Northwind Traders" } },
    ]);
    expect((await list([...args, "-o", "csv"])).stdout).toBe(
      "id,group.groupName\nins_80c1cca5,Northwind Traders\n",
    );
    const mistyped = await list([CRM, "--fields", "id,helthStatus", "--json"]);
    expect(mistyped).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(mistyped.error()).toMatchObject({
      message: '--fields: "helthStatus" is not a field or column of this list',
      remedy: expect.stringMatching(
        /^Did you mean healthStatus\? Choose one of: healthStatus, .*last-op/u,
      ),
      suggestion: "amp explain installations",
    });
    // In quotes it is a field that amp does not know.
    const quoted = await list([CRM, "--fields", 'id,"helthStatus"']);
    expect(quoted).toMatchObject({ code: 0 });
    expect(quoted.stderr).toContain('no item has a field "helthStatus"');
  });

  it("asks the service for one group only", async () => {
    const { requests } = await list([CRM, "--group-ref", "a b&c=d/é", "--json"]);
    expect(requests.map(({ path }) => decodeURIComponent(path.replaceAll("+", " ")))).toEqual([
      `/projects/acme/integrations/${CRM}/installations?groupRef=a b&c=d/é`,
    ]);
    expect(requests[0]?.path).toContain("%26c%3Dd%2F%C3%A9");
  });

  it("shows an installation of which next to nothing is known", async () => {
    const { stdout } = await list([CRM], { ...answering(BARE) });
    expect(stdout).toBe(`\thealthy\t\t\t\t\tins_1\t${CRM}\t${CRM}\n`);
    const shown = await get(["ins_1", "--integration", CRM], { ...TERMINAL, ...answering(BARE) });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("(no group)");
    expect(shown.stdout).toContain("The service does not report the configuration.");
    expect(shown.stdout).not.toMatch(/undefined|null|NaN/u);
  });

  it("takes new states and fields as they come, and null for missing", async () => {
    const odd = {
      ...BARE,
      healthStatus: "meditating",
      lastOperationStatus: "half_done",
      group: null,
      updateTime: null,
      connection: { status: "on_fire", provider: null },
      config: { content: null },
      invented: [{ later: true }],
    };
    const table = await list([CRM], { tty: true, ...answering(odd) });
    expect(table.stdout).toContain("meditating");
    expect(table.stdout).toContain("half_done");
    expect(table.stdout).toContain("on_fire");
    expect(table.stdout).not.toContain("\u001b[31m");
    expect((await list([CRM, "--json"], answering(odd))).json()).toEqual([odd]);
    expect((await list([CRM], answering(odd))).stdout).toContain(
      "\tmeditating\t\thalf_done\ton_fire\t",
    );
  });

  it("shows hostile names harmless, and gives them to CSV as no formula", async () => {
    const items = Object.values({ ...HOSTILE, formula: "=1+1", at: "@SUM(A1)" }).map(
      (name, at) => ({
        ...BARE,
        id: `ins_${at}`,
        group: { groupName: name },
      }),
    );
    for (const world of [{}, TERMINAL, { ...TERMINAL, columns: 30 }]) {
      const { stdout, stderr } = await list([CRM], { ...world, ...answering(...items) });
      expect((stdout + stderr).replaceAll(/[\n\t]/gu, "")).not.toMatch(/\p{Cc}|\u202e|\u2066/u);
      expect(stdout).not.toMatch(/^\s*::/mu);
    }
    const csv = (await list([CRM, "-o", "csv"], answering(...items))).stdout;
    expect(csv).toContain("\n'=1+1,");
    expect(csv).toContain("\n'@SUM(A1),");
    const json = await list([CRM, "--json"], answering(...items));
    expect(json.json()).toEqual(items);
  });

  it("of nobody is a success: and says so beside the data", async () => {
    const args = [CRM, "--group-ref", "nobody"];
    const said = 'No installation has the group ref "nobody".\n';
    const stderr = expect.stringContaining(said);
    expect(await list(args)).toMatchObject({ code: 0, stdout: "", stderr });
    expect(await list([...args, "--json"])).toMatchObject({ code: 0, stdout: "[]\n", stderr: "" });
    expect(await list(args, TERMINAL)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/\nno installations {2,}amp integrations list\n$/u),
    });
    expect(await list([...args, "-q"], TERMINAL)).toMatchObject({ stdout: "", stderr: "" });
  });
});
