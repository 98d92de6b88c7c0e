import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { answering, BARE, CRM, TERMINAL } from "./installations-at.ts";

const UNHEALTHY = ["--filter", "health=unhealthy"];
const check = (argv: readonly string[], world = {}) =>
  run(["installations", "check", CRM, ...argv], { sandbox: sandboxAt(), ...world });

describe("amp installations check", () => {
  it("passes up to --max, and names those that it found", async () => {
    const { code, stderr, json } = await check([...UNHEALTHY, "--max", "3", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(json()).toMatchObject({ passed: true, searched: 20, found: 3, max: 3, warnings: [] });
    const found = (json() as { installations: { id: string }[] }).installations;
    expect(found[0]).toMatchObject({ values: { health: "unhealthy" }, integrationId: CRM });
    const page = await check([...UNHEALTHY, "--max", "3"], TERMINAL);
    expect(page.stdout).toContain("3 installations with health=unhealthy, at most 3 allowed");
  });

  it("exits 8 if the limit is exceeded", async () => {
    const { code, json, error } = await check([...UNHEALTHY, "--max", "2", "--json"]);
    expect(code).toBe(8);
    expect(json()).toMatchObject({ passed: false, found: 3 });
    expect(error()).toMatchObject({
      code: "check",
      message: "3 installations with health=unhealthy, more than the 2 allowed",
    });
    const page = await check(UNHEALTHY, TERMINAL);
    expect(page.code).toBe(8);
    expect(page.stdout).toContain("3 installations with health=unhealthy, more than the 0 allowed");
    expect(page.stdout).toContain("Northwind Traders");
    const piped = await check(UNHEALTHY);
    expect(piped.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(piped.stdout).toContain("Northwind Traders\tunhealthy\tins_80c1cca5\n");
    expect((await check([...UNHEALTHY, "-o", "id"])).stdout).toContain("ins_80c1cca5\n");
  });

  it("holds all filters together, and passes where nothing is found", async () => {
    const both = [...UNHEALTHY, "--filter", "connection=working"];
    const { json } = await check([...both, "--json"]);
    const { found, installations } = json() as { found: number; installations: object[] };
    expect(found).toBeLessThan(3);
    expect(installations).toHaveLength(found);
    const none = await check(["--filter", "group=nobody", "--json"]);
    expect([none.code, none.json()]).toMatchObject([0, { passed: true, found: 0 }]);
  });

  it("writes reports, and annotations where GitHub reads them", async () => {
    const cwd = temporaryFolder();
    const reports = ["--report", "junit=check.xml", "--report", "sarif=check.sarif"];
    const env = { GITHUB_ACTIONS: "true" };
    const { code, stderr } = await check([...UNHEALTHY, ...reports], { cwd, env });
    expect(code).toBe(8);
    const xml = readFileSync(join(cwd, "check.xml"), "utf8");
    expect(xml.match(/<failure/gu)).toHaveLength(3);
    expect(xml).toContain("Northwind Traders (ins_80c1cca5): health unhealthy");
    const sarif = JSON.parse(readFileSync(join(cwd, "check.sarif"), "utf8"));
    expect(sarif.runs[0].results).toHaveLength(3);
    expect(stderr.match(/^::error title=amp installations check::/gmu)).toHaveLength(4);
    const passed = await check([...UNHEALTHY, "--max", "9", "--report", "junit=ok.xml"], {
      cwd,
      env,
    });
    expect(readFileSync(join(cwd, "ok.xml"), "utf8")).not.toContain("<failure");
    expect(passed.stderr).not.toContain("::error");
  });

  it("sees what is broken in each integration, but for one named on the spot", async () => {
    // As README has it, for monitoring; the profile has the integration crm-sync.
    const alert = ["installations", "check", ...UNHEALTHY, "--max", "5"];
    const sandbox = sandboxAt();
    const whole = await run(alert, { sandbox });
    expect(whole.code).toBe(8);
    expect(whole.stderr).toContain("Searched the 40 installations of project acme\n");
    const page = await run(alert, { sandbox, ...TERMINAL });
    expect(page.stdout).toContain("Searched the 40 installations of project acme\n");
    const { code, stderr } = await run(alert, { sandbox, env: { AMP_INTEGRATION: "crm-sync" } });
    expect(code).toBe(0);
    expect(stderr.split("\n")[0]).toBe(
      "Only integration crm-sync of project acme (AMP_INTEGRATION). Add --all-integrations for the whole project.",
    );
    const typed = await run([...alert, "crm-sync"], { sandbox, ...TERMINAL });
    expect(typed.stdout).toContain(
      "the 20 installations of integration crm-sync of project acme\n",
    );
  });

  it.each([
    [[], /Missing option --filter/u],
    [["--filter", "health=unhealty"], /"unhealty" is not a known value of health/u],
    [["--filter", "updated>soon"], /"soon" is not a time/u],
    [["--filter", "helth=x"], /"helth" is not a field or column/u],
    [[...UNHEALTHY, "--limit", "1"], /--limit has no effect/u],
  ])("refuses %j", async (argv, message) => {
    const { code, stderr } = await check(argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it("counts what meets one of several filters of one name", async () => {
    const sandbox = sandboxAt();
    const found = async (...filters: string[]) => {
      const words = filters.flatMap((filter) => ["--filter", filter]);
      const argv = ["installations", "check", ...words, "--json"];
      const { json, error, code } = await run(argv, { sandbox });
      expect(code).toBe(8);
      return [(json() as { found: number }).found, error().message] as const;
    };
    const [hubspot] = await found("provider=HubSpot");
    const [stripe] = await found("provider=stripe");
    expect(await found("provider=HubSpot", "provider=stripe", "health~healthy")).toEqual([
      hubspot + stripe,
      `${hubspot + stripe} installations with (provider=HubSpot or provider=stripe) and health~healthy, more than the 0 allowed`,
    ]);
  });

  it("refuses a provider that neither the installations nor the catalogue have", async () => {
    const of = (filter: string, world = {}) =>
      run(["installations", "check", "--filter", filter], { sandbox: sandboxAt(), ...world });
    const mistyped = await of("provider=hubspt");
    expect(mistyped).toMatchObject({ code: 2, stdout: "" });
    expect(mistyped.stderr.replaceAll(/\s+/gu, " ")).toContain(
      'has the provider "hubspt" Nothing was checked. Did you mean hubspot? To use another value',
    );
    expect((await of("provider~hubsqt")).code).toBe(2);
    // Known to the catalogue alone; in quotes; and where there is no catalogue to ask.
    expect(await of("provider=ghost")).toMatchObject({ code: 0 });
    expect(await of('provider="hubspt"')).toMatchObject({ code: 0 });
    const sandbox = sandboxAt();
    const fetch = async (request: Request) =>
      request.url.endsWith("/providers")
        ? new Response("{}", { status: 500 })
        : sandbox.fetch(request);
    const unread = await of("provider=hubspt", { sandbox, fetch });
    expect(unread.code).toBe(0);
    expect(unread.stderr).toContain("No item has provider=hubspt; seen: ");
    const listed = await run(["installations", "list", "--filter", "provider=hubspt"], { sandbox });
    expect(listed).toMatchObject({ code: 0, stdout: "" });
    expect(listed.stderr).toContain("No item has provider=hubspt; seen: ");
  });

  it("names all of many in a pipe and in Markdown, and the first ones on a terminal", async () => {
    const many = ["--filter", "id~ins"];
    const all = Array.from({ length: 25 }, (_, at) => ({ ...BARE, id: `ins_${at}` }));
    const check = (argv: readonly string[], world = {}) =>
      run(["installations", "check", CRM, ...argv], { ...answering(...all), ...world });
    const cut = /first 20 are shown/u;
    const piped = await check(many);
    expect(piped.stdout + piped.stderr).not.toMatch(cut);
    expect(piped.stdout.trimEnd().split("\n").length).toBeGreaterThan(20);
    expect((await check([...many, "-o", "markdown"])).stdout).not.toMatch(cut);
    expect((await check(many, { tty: true })).stdout).toMatch(cut);
  });

  it("does not pass by a path that no installation has, unless it is quoted", async () => {
    for (const filter of ["connection.staus=working", "connection.status<3"]) {
      const typo = await check(["--filter", filter, "--json"]);
      expect([typo.code, typo.stdout]).toEqual([2, ""]);
      expect(typo.error()).toMatchObject({
        message: expect.stringContaining(filter),
        suggestion: expect.stringMatching(
          /amp explain installation(?: --recursive|\.connection\.status)/u,
        ),
      });
    }
    const quoted = await check(["--filter", '"connection.later"=x', "--json"]);
    expect(quoted.code).toBe(0);
    expect(quoted.json()).toMatchObject({
      passed: true,
      warnings: [expect.stringContaining("connection.later")],
    });
  });

  it("takes a state that amp does not know in quotes, and does not warn of a known one", async () => {
    const odd = await check(["--filter", 'health="ailing"', "--json"]);
    expect([odd.code, odd.json()]).toMatchObject([0, { passed: true, found: 0, warnings: [] }]);
    const sandbox = sandboxAt();
    const sick = sandbox.world.installations.filter((one) => one.healthStatus === "unhealthy");
    for (const one of sick) Object.assign(one, { healthStatus: "healthy" });
    const none = await check([...UNHEALTHY, "--json"], { sandbox });
    for (const one of sick) Object.assign(one, { healthStatus: "unhealthy" });
    expect([none.code, none.json()]).toMatchObject([0, { passed: true, warnings: [] }]);
  });

  it.each([undefined, null, "", 0, "UNHEALTHY", "degraded"])(
    "does not pass where the health of an installation is %j",
    async (healthStatus) => {
      const sandbox = sandboxAt();
      const [one] = sandbox.world.installations.filter((each) => each.integrationId === CRM);
      if (one === undefined) throw new Error("no installation");
      const before = one.healthStatus;
      Object.assign(one, { healthStatus });
      const found = await check([...UNHEALTHY, "--max", "40", "--json"], { sandbox });
      const other = await check(["--filter", "provider=hubspot", "--max", "40"], { sandbox });
      Object.assign(one, { healthStatus: before });
      expect([found.code, found.stdout, other.code]).toEqual([7, "", 0]);
      expect(found.error().message).toBe(
        `The health of 1 of 20 installations is missing or unknown: ${one.id}`,
      );
    },
  );
});
