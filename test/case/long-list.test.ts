import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unpackCase } from "../../src/case/case-file.ts";
import { serveCase } from "../../src/case/open.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const sandbox = sandboxAt(NOW, { state: largeWorld(2_100) });

it("names a customer without a group by the ref, and not as what was taken out", async () => {
  const { stdout } = await run(["case", "create", "ins_40a5f0a3", "-o", "markdown"], { sandbox });
  expect(stdout).toMatch(/Customer.* `?solo-support-sync/u);
  expect(stdout.split("\n")[0]).not.toContain("redacted");
});

it("says nothing of the configurations that it does not keep", async () => {
  const { code, error } = await run(["case", "create", "northwind", "--json"], { sandbox });
  expect(code).toBe(5);
  expect(JSON.stringify(error())).toContain('"healthy"');
  expect(JSON.stringify(error())).not.toContain("reads nothing");
});

describe("a case of a project with more installations than it keeps", () => {
  it.each([
    ["no group", { group: false, connection: false }],
    ["a group of its connection alone", { group: false, connection: true }],
  ])("keeps the installation itself with %s", async (_, { group, connection }) => {
    const cwd = temporaryFolder();
    const id = "ins_c632979e";
    const without = (one: { id: string; group?: unknown; connection: { group?: unknown } }) => {
      if (one.id !== id) return one;
      const changed = structuredClone(one);
      if (!group) delete changed.group;
      if (!connection) delete changed.connection.group;
      return changed;
    };
    const fetch = async (request: Request) => {
      const { searchParams, pathname } = new URL(request.url);
      const answer = await sandbox.fetch(request);
      if (!pathname.endsWith("/installations")) return answer;
      const body = (await answer.json()) as Parameters<typeof without>[0][];
      const kept = body.map(without);
      // The filter of the service looks at the installation's own group.
      const isFiltered = searchParams.has("groupRef");
      return Response.json(isFiltered ? kept.filter((one) => one.id !== id) : kept);
    };
    const made = await run(["case", "create", id, "--save", "c.ampcase"], { sandbox, cwd, fetch });
    expect(made.code).toBe(0);
    const file = unpackCase(readFileSync(join(cwd, "c.ampcase")), "c");
    const served = await serveCase(file, () => NOW);
    const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: file.project };
    const found = await run(["installations", "get", id, "--json"], {
      env,
      fetch: (request) => globalThis.fetch(request),
    });
    const path = join(cwd, "c.ampcase");
    const inCase = { env: { ...env, AMP_CASE: path }, cwd };
    // What is counted is said beside each count.
    for (const noun of ["installations", "connections"]) {
      const argv = noun === "connections" ? [noun, "list"] : [noun, "list", "--all-integrations"];
      const list = await run(argv, { ...inCase, fetch: (request) => globalThis.fetch(request) });
      expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining("\n") });
      expect(list.stderr).toMatch(
        new RegExp(`The case has [12] of 2,100 ${noun}: those of this customer`, "u"),
      );
    }
    // The others are not there to count: one of one would seem to be the only one that fails.
    const inside = await run(["case", "create", id], inCase);
    expect({ code: inside.code, requests: inside.requests }).toEqual({ code: 2, requests: [] });
    expect(inside.stderr).toContain("A case has only counts of the others");
    for (const argv of [["check", "--filter", "health=unhealthy", "--max", "5"], ["summary"]]) {
      const refused = await run(["installations", ...argv], inCase);
      expect({ code: refused.code, requests: refused.requests }).toEqual({ code: 3, requests: [] });
      expect(refused.stderr).toContain("The case does not have the whole list");
    }
    expect(found.json()).toMatchObject({ id, config: { content: { read: expect.anything() } } });
    await served.close();
  });
});
