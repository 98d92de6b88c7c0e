import { writeFileSync } from "node:fs";
import { join } from "node:path";
import displayWidth from "string-width";
import { describe, expect, it } from "vitest";
import { BASE_URL, NOW, type Outcome, type RunInput, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { answering, BARE, CRM, get, list, OTHER, TERMINAL } from "./installations-at.ts";

describe("the integration", () => {
  /** Nothing but what is given here names one. */
  const path = async (args: readonly string[], world: RunInput) => {
    const { requests, code, stderr } = await list(args, {
      sandbox: undefined,
      fetch: async () => Response.json([]),
      ...world,
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return requests.find((one) => one.path.endsWith("/installations"))?.path;
  };
  const of = (integration: string) => `/projects/acme/integrations/${integration}/installations`;

  it("comes from the argument, the environment, the project file, and not from the profile", async () => {
    const cwd = temporaryFolder();
    const env = { AMP_INTEGRATION: OTHER };
    expect(await path([], { cwd })).toBe("/projects/acme/installations");
    writeFileSync(join(cwd, ".amp.yaml"), `integration: ${CRM}\n`);
    expect(await path([], { cwd })).toBe(of(CRM));
    expect(await path([], { cwd, env })).toBe(of(OTHER));
    expect(await path([CRM], { cwd, env })).toBe(of(CRM));
    expect(
      await path([], {
        env: { AMP_PROFILE: "sandbox", AMP_BASE_URL: undefined, AMP_API_KEY: undefined },
      }),
    ).toBe("/projects/acme/installations");
  });

  it("may be a name, wherever it comes from", async () => {
    const path = ({ requests }: Outcome) => requests.at(-1)?.path;
    const wanted = `/projects/acme/integrations/${CRM}/installations`;
    expect(path(await list(["crm-sync", "--json"]))).toBe(wanted);
    const env = { AMP_PROFILE: "sandbox", AMP_INTEGRATION: "crm-sync" };
    expect(path(await list(["--json"], { env }))).toBe(wanted);
    const found = await get(["Northwind Traders", "--integration", "crm-sync", "--json"]);
    expect(path(found)).toBe(wanted);
    const several = await list(["sync", "--json"]);
    expect(several.code).toBe(5);
    expect(several.error().candidates).toContainEqual(
      expect.objectContaining({ id: CRM, name: "crm-sync", provider: "hubspot" }),
    );
    expect(await list(["crn-sync"])).toMatchObject({ code: 3, stdout: "" });
  });

  it("must be a UUID where the service does not list integrations", async () => {
    const world = { sandbox: sandboxAt(NOW, { specOnly: true }) };
    const typed = await list(["crm"], world);
    expect(typed).toMatchObject({ code: 2, stdout: "" });
    expect(typed.stderr).toContain('<integration>: "crm" is not a valid UUID');
    const { stderr } = await get(["ins_80c1cca5", "--integration", "crm"], world);
    expect(stderr).toContain('--integration: "crm" is not a valid UUID');
  });

  it("must be named where the service lists by integration only", async () => {
    const world: RunInput = {
      sandbox: sandboxAt(NOW, { specOnly: true }),
      env: {
        AMP_PROFILE: undefined,
        AMP_BASE_URL: BASE_URL,
        AMP_API_KEY: "sandbox-api-key",
        AMP_PROJECT: "acme",
      },
    };
    const all = await list([], world);
    expect(all).toMatchObject({ code: 2, stdout: "" });
    expect(all.stderr).toContain("Missing <integration>");
    expect(all.stderr).toContain("AMP_INTEGRATION");
    expect((await get(["ins_80c1cca5"], world)).stderr).toContain("Missing --integration");
    expect(await list([CRM], world)).toMatchObject({ code: 0 });
    const unknown = await list(["--project", "nope"], world);
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("amp installations get", () => {
  it("shows an installation at 80 columns", async () => {
    const { stdout, stderr } = await get(["ins_80c1cca5"], TERMINAL);
    expect(stderr).toBe("");
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    await expect(stdout).toMatchFileSnapshot("./golden/installation.txt");
  });

  it("states why an installation is unhealthy, as far as it shows", async () => {
    const explained = async (connection: object, more: object = {}) => {
      const body = { ...BARE, healthStatus: "unhealthy", connection, ...more };
      const world = { ...TERMINAL, ...answering(body) };
      const { stdout } = await get(["ins_1", "--integration", CRM], world);
      return /^Diagnosis +(.+(?:\n {5,}.+)*)/mu.exec(stdout)?.[1]?.replace(/\s+/gu, " ");
    };
    expect(await explained({ status: "bad_credentials", provider: "hubspot" })).toContain(
      "hubspot rejects the credentials",
    );
    expect(await explained({ status: "created" })).toContain("has not been used yet");
    // Waiting does not help where nothing is configured, or all is paused.
    const idle = (content: object) => ({ config: { content }, healthStatus: "healthy" });
    expect(await explained({ status: "created" }, idle({ provider: "hubspot" }))).toBe(
      "The configuration reads nothing",
    );
    const stopped = { read: { objects: { contact: { disabled: true } } } };
    expect(await explained({ status: "created" }, idle(stopped))).toBe(
      "Paused in the configuration: reading contact",
    );
    const failed = { lastOperationStatus: "failure" };
    const reading = { ...failed, config: { content: { read: { objects: { contact: {} } } } } };
    expect(await explained({ status: "working" }, reading)).toBe(
      "The last operation failed, but the connection works",
    );
    expect(await explained({}, reading)).toBe("The last operation failed");
    // The page shows no reads where the config has none.
    expect(await explained({}, failed)).toBe("The last operation failed");
    expect(
      await explained({ status: "working" }, { ...failed, healthStatus: "healthy" }),
    ).toContain("still reports the installation as healthy");
    expect(await explained({ status: "working" })).toContain("no failed operation is reported");
    expect(
      await explained({ status: "working" }, { lastOperationStatus: "in_progress" }),
    ).toContain("an operation is in progress");
    expect(await explained({ status: "working" }, { healthStatus: "healthy" })).toBe(
      "no problem reported; its operations were not checked",
    );
  });

  it("shows the likely cause first", async () => {
    const { stdout } = await get(["northwind", "--integration", CRM], TERMINAL);
    expect(stdout.split("\n")[2]).toMatch(/^Diagnosis +hubspot rejects the credentials/u);
  });
});
