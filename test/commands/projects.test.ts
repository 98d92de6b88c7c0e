import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";

const amp = (argv: readonly string[], columns = 80) =>
  run(argv, {
    sandbox: sandboxAt(),
    tty: { out: true, err: false },
    env: { NO_COLOR: "1" },
    columns,
  });

describe("amp projects", () => {
  it("lists what the credential has access to", async () => {
    const { code, stdout, requests } = await amp(["projects", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +APP +ORGANISATION +CREATED +ID\s+acme +Acme +org_5a17e0c4/u);
    expect(requests.map(({ path }) => path)).toEqual(["/projects"]);
  });

  it("shows one by name, by ID and by a part of the name", async () => {
    for (const wanted of ["globex-staging", "prj_globex2c", "globex"]) {
      const { code, stdout } = await amp(["projects", "get", wanted, "--json"]);
      expect({ wanted, code }).toEqual({ wanted, code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ name: "globex-staging" });
    }
    expect(await amp(["projects", "get", "nope"])).toMatchObject({ code: 3 });
  });

  it("says so where the service has no list of projects", async () => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const { code, stderr } = await run(["projects", "list"], { sandbox });
    expect(code).toBe(3);
    expect(stderr).toContain("This service does not list projects");
  });
});

describe("amp integrations", () => {
  it("lists those of the project, and shows one with its newest revision", async () => {
    const list = await amp(["integrations", "list"]);
    expect(list.stdout).toMatch(/^NAME +PROVIDER +CREATED +ID\s+crm-sync +hubspot /u);
    const { stdout } = await amp(["integrations", "get", "crm-sync"]);
    expect(stdout).toContain("Revision");
  });
});
