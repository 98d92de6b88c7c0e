import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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

  it("says where the name of a missing project comes from, unless it was typed", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".amp.yaml"), "project: nope\n");
    const world = { cwd, sandbox: sandboxAt(), env: { AMP_PROJECT: undefined } };
    const { code, error } = await run(["apps", "list", "--json"], world);
    expect(code).toBe(3);
    expect(error().remedy).toContain(
      `This project is from ${join(cwd, ".amp.yaml")}: change it there, or add --project.`,
    );
    const set = await run(["apps", "list"], { ...world, env: { AMP_PROJECT: "acmee" } });
    expect(set.stderr.replaceAll(/\s+/gu, " ")).toContain(
      'Did you mean "acme"? This project is from AMP_PROJECT: change it there, or add --project. Try',
    );
    const typed = await run(["apps", "list", "--json", "--project", "nope"], world);
    expect(typed.error().remedy).not.toContain("This project is from");
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
