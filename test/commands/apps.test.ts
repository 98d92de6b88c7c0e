import displayWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { operator } from "../scripted-prompter.ts";

const TERMINAL: RunInput = { tty: true, env: { NO_COLOR: "1" } };

const amp = (args: readonly string[], world: RunInput = {}) =>
  run(["apps", ...args], { sandbox: sandboxAt(), ...world });

/** As the spec has it, and no more: everything that may be missing is. */
const BARE = {
  id: "app_1",
  projectId: "prj_1",
  provider: "hubspot",
  clientId: "client-1",
  createTime: "2026-09-01T00:00:00Z",
};
const answering = (...body: unknown[]): RunInput => ({
  sandbox: undefined,
  replies: [{ method: "GET", path: "/projects/acme/provider-apps", body }],
});

describe("amp apps list", () => {
  it("is a table at 80 columns, with what a reader wants next", async () => {
    const { stdout, stderr } = await amp(["list"], TERMINAL);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    await expect(stdout + stderr).toMatchFileSnapshot("./golden/apps-list.txt");
  });

  it("never cuts client IDs so that two look alike", async () => {
    const { stdout } = await amp(["list"], { ...TERMINAL, columns: 60 });
    const shown = stdout.split("\n").flatMap((line) => /^\w+ +(sand\S+)/u.exec(line)?.[1] ?? []);
    expect(shown).toHaveLength(3);
    expect(new Set(shown).size).toBe(3);
  });

  it("filters by provider on this side, for the service cannot", async () => {
    const { stdout, requests } = await amp(["list", "--provider", "ghost"]);
    expect(requests.map(({ path }) => path)).toEqual(["/projects/acme/provider-apps"]);
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stdout).toContain("sandbox-client-ghost");
    expect((await amp(["list", "--provider", "Ghost", "-o", "id"])).stdout).toMatch(/^app_\w+\n$/u);
    expect(await amp(["list", "--provider", "nobody"])).toMatchObject({ code: 0, stdout: "" });
  });

  it("percent-encodes the project, and refuses an invalid name", async () => {
    const { requests } = await amp(["list", "-p", "a b/ü#?%"], {
      sandbox: undefined,
      replies: [{ body: [] }],
    });
    expect(requests[0]?.path).toBe("/projects/a%20b%2F%C3%BC%23%3F%25/provider-apps");
    for (const project of ["..", "."]) {
      expect(await amp(["list", "-p", project])).toMatchObject({ code: 2, requests: [] });
    }
  });

  it("requires a project", async () => {
    const world = { sandbox: undefined, env: { AMP_PROJECT: undefined } };
    const { code, stderr, requests } = await amp(["list"], world);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("--project");
    expect(stderr).toContain("AMP_PROJECT");
  });

  it("names the option that carried an invalid input", async () => {
    const { code, stderr, error } = await amp(["list", "--json"], {
      sandbox: undefined,
      replies: [
        {
          status: 422,
          body: {
            title: "Invalid input",
            status: 422,
            issues: [{ in: "path", name: "projectIdOrName", value: "acme", detail: "is archived" }],
          },
        },
      ],
    });
    expect(code).toBe(6);
    expect(stderr).not.toBe("");
    expect(error()).toMatchObject({
      status: 422,
      issues: [{ flag: "--project", detail: "is archived", value: "acme" }],
    });
  });
});

describe("amp apps get", () => {
  it("accepts a provider or a client ID, and lists several matches with their differences", async () => {
    const id = async (wanted: string) => (await amp(["get", wanted, "-o", "id"])).stdout;
    expect(await id("Ghost")).toBe("app_583080ad\n");
    expect(await id("sandbox-client-hubspot")).toBe("app_224bf652\n");
    const several = await amp(["get", "hubspot"]);
    expect(several).toMatchObject({ code: 5, stdout: "" });
    expect(several.stderr).toMatch(/app_224bf652 +hubspot +sandbox-client-hubspot +2\d{3}-/u);
    expect((await amp(["get", "gost"])).stderr).toContain('Did you mean "ghost"?');
    const question = '2 provider apps match "hubspot". Which one?';
    const world = operator([[question, "sandbox-client-hubspot"]]);
    expect((await amp(["get", "hubspot"], world)).stdout).toContain("app_224bf652");
  });

  it("shows all metadata of a provider app", async () => {
    const { stdout } = await amp(["get", "app_224bf652"], TERMINAL);
    await expect(stdout).toMatchFileSnapshot("./golden/app.txt");
  });

  it("shows one that has required fields only, and one with more than is known", async () => {
    const bare = await amp(["get", "app_1"], { ...TERMINAL, ...answering(BARE) });
    expect(bare.stdout).toContain("No metadata.");
    expect(bare.stdout).not.toMatch(/undefined|null/u);
    const odd = { ...BARE, scopes: null, metadata: { tenancy: { kind: "shared" } }, colour: "red" };
    const shown = await amp(["get", "app_1"], { ...TERMINAL, ...answering(odd) });
    expect(shown.stdout).toContain('tenancy = {"kind":"shared"}');
    expect((await amp(["get", "app_1", "--json"], answering(odd))).json()).toEqual(odd);
  });

  it("hides a secret that the service should not send", async () => {
    const world = answering({ ...BARE, clientSecret: "hush-hush", metadata: { password: "hush" } });
    for (const format of ["json", "yaml", "table", "tsv", "csv"]) {
      const { stdout } = await amp(["get", "app_1", "-o", format], world);
      expect(stdout).not.toContain("hush");
    }
  });

  it("takes the unique beginning of an ID", async () => {
    expect((await amp(["get", "app_22", "-o", "id"])).stdout).toBe("app_224bf652\n");
    const ambiguous = await amp(["get", "app_"]);
    expect(ambiguous).toMatchObject({ code: 5, stdout: "" });
    expect(ambiguous.stderr).toContain("app_e4345e4d");
    const absent = await amp(["get", "app_nope", "--json"]);
    expect(absent).toMatchObject({ code: 3, stdout: "" });
    expect(absent.error()).toMatchObject({ code: "not-found", suggestion: "amp apps list" });
  });

  it("tells an unknown project from an unknown app", async () => {
    const { code, stderr } = await amp(["get", "app_22", "-p", "nope"]);
    expect(code).toBe(3);
    expect(stderr).toContain('project "nope" not found');
  });
});
