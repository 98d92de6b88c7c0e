import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOW, sandboxAt } from "../../harness.ts";
import { ENTER, operator, type Script } from "../../scripted-prompter.ts";
import { KEY, machine, piped, TOKEN, URL } from "./machine.ts";

describe("the base URL", () => {
  it("may end in a slash or not", async () => {
    const { login, profiles } = machine();
    const args = ["--base-url", `${URL}//`, "--api-key-file", "-"];
    expect(await login(args, { stdin: KEY })).toMatchObject({
      code: 0,
      requests: [{ path: "/projects" }],
    });
    expect(profiles().profiles.default.baseUrl).toBe(URL);
  });

  it("without a version is questioned", async () => {
    const { login, profiles } = machine();
    const args = ["--base-url", "http://127.0.0.1:4747", "--api-key-file", "-"];
    const refused = await login(args, { stdin: KEY });
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain(`Use ${URL}, or add --yes`);

    const meant = await login([...args, "--yes"], {
      stdin: KEY,
      fetch: async () => Response.json([]),
    });
    expect(meant).toMatchObject({ code: 0 });
    expect(meant.stderr).toContain("has no version");
    expect(profiles().profiles.default.baseUrl).toBe("http://127.0.0.1:4747");
  });

  it("must be safe to send a key to", async () => {
    const { login } = machine();
    for (const [url, problem] of [
      ["http://api.example.test/v1", "is not encrypted"],
      ["ftp://api.example.test/v1", "is not a full URL"],
      ["api.example.test/v1", "is not a full URL"],
      ["https://api.example.test/v1?key=1", "must not contain a query"],
    ] as const) {
      const outcome = await login(["--base-url", url, "--api-key-file", "-"], { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, requests: [] });
      expect(outcome.stderr).toContain(problem);
    }
  });
});

describe("a service without the operation to check with", () => {
  const spec = { sandbox: sandboxAt(NOW, { specOnly: true }) };

  it("is asked for the apps of the project instead", async () => {
    const { login } = machine();
    const good = await login([...piped, "-p", "acme", "--json"], { ...spec, stdin: KEY });
    expect(good.json()).toMatchObject({ checked: true });
    expect(good.requests.map(({ path }) => path)).toEqual([
      "/projects",
      "/projects/acme/provider-apps",
    ]);
    const bad = await login([...piped, "-p", "acme"], { ...spec, stdin: "wrong" });
    expect(bad).toMatchObject({ code: 4, stdout: "" });
  });

  it("is accepted with a notice", async () => {
    const { login, profiles } = machine();
    const { code, stderr } = await login(piped, { ...spec, stdin: KEY });
    expect(code).toBe(0);
    expect(stderr).toContain("saved without a check");
    const { stdout } = await login([...piped, "--json"], { ...spec, stdin: KEY });
    expect(JSON.parse(stdout)).toMatchObject({ checked: false });
    expect(profiles().active).toBe("default");
  });

  it("refuses a project that the credential does not see, and keeps it with --yes", async () => {
    const { login, profiles } = machine();
    const refused = await login([...piped, "-p", "nope"], { stdin: KEY });
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("no access to project nope");
    expect(refused.stderr).toContain("It has access to acme");
    expect(refused.stderr).toContain("Nothing was saved.");
    expect(profiles).toThrow("ENOENT");
    const meant = await login([...piped, "-p", "nope", "--yes"], { stdin: KEY });
    expect(meant.code).toBe(0);
    expect(meant.stderr).toContain("no access to project nope; saved anyway");
    expect(profiles().profiles.default).toMatchObject({ project: "nope" });
  });

  it("refuses a path that has no such operation, unless it is the usual one or --yes is given", async () => {
    const { login, profiles } = machine();
    const args = ["--base-url", "http://127.0.0.1:4747/v2", "--api-key-file", "-"];
    const world = { stdin: "wrong", fetch: async () => Response.json({}, { status: 404 }) };
    const refused = await login(args, world);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("404 Not Found at http://127.0.0.1:4747/v2/projects");
    expect(refused.stderr).toContain(`usually at ${URL}; add --yes`);
    expect(profiles).toThrow("ENOENT");
    expect((await login([...args, "--yes"], world)).code).toBe(0);
    expect(profiles().profiles.default.baseUrl).toBe("http://127.0.0.1:4747/v2");
  });
});

it.each([
  ["/v1/projects", "/v1"],
  ["/v1/projects/", "/v1"],
  ["/api/v2", "/api/v1"],
  ["/v1/projects/acme/topics", "/v1"],
])("a base URL that ends in %s is probably meant as %s", async (typed, meant) => {
  const { login } = machine();
  const args = ["--base-url", `http://127.0.0.1:4747${typed}`, "--api-key-file", "-"];
  const fetch = async () => Response.json({}, { status: 404 });
  const { stderr } = await login(args, { stdin: KEY, fetch });
  expect(stderr).toContain(`The API is usually at http://127.0.0.1:4747${meant};`);
});

describe("a login without a project", () => {
  it("names the projects, and suggests only commands that work", async () => {
    const { login, amp } = machine();
    const { code, stderr } = await login(piped, { stdin: KEY });
    expect(code).toBe(0);
    expect(stderr).toContain(
      "No default project is saved. This credential has access to acme, globex-staging.",
    );
    expect(stderr).toContain("Next:\n  amp auth status\n  amp projects list\n");
    expect(await amp(["projects", "list"])).toMatchObject({ code: 0 });
    const without = await amp(["apps", "list"]);
    expect(without).toMatchObject({ code: 2, requests: [] });
    expect(without.stderr).toContain("This command needs a project");
    expect(without.stderr).toContain("Try: amp projects list\n");
    const named = await login([...piped, "-p", "acme"], { stdin: KEY });
    expect(named.stderr).toBe("Next:\n  amp auth status\n  amp apps list\n");
  });

  it("suggests an option where the service lists no projects", async () => {
    const { login } = machine();
    const spec = { sandbox: sandboxAt(NOW, { specOnly: true }), stdin: KEY };
    const { stderr } = await login(piped, spec);
    expect(stderr).toContain("No default project is saved.");
    expect(stderr).toContain("amp apps list --project <project>");
  });
});

describe("a profile that exists", () => {
  it("keeps its defaults when its key is renewed", async () => {
    const { login, profiles } = machine();
    const integration = "113e9685-9a51-42cc-8662-9d9725b17f14";
    await login([...piped, "-p", "acme", "--org", "org_5a17e0c4", "--integration", integration], {
      stdin: KEY,
    });
    const renewed = await login(["--access-token-file", "-"], { stdin: TOKEN });
    const next = "Next:\n  amp auth status\n  amp apps list\n";
    expect(renewed).toMatchObject({ code: 0, stderr: next });
    expect(profiles().profiles.default).toEqual({
      baseUrl: URL,
      credential: "access-token",
      project: "acme",
      org: "org_5a17e0c4",
      integration,
    });
  });

  it("loses the defaults of its project when it gets another one, and says so", async () => {
    const { login, profiles } = machine();
    const integration = "113e9685-9a51-42cc-8662-9d9725b17f14";
    const of = ["-p", "acme", "--org", "org_5a17e0c4", "--integration", integration];
    await login([...piped, ...of], { stdin: KEY });
    const byId = await login([...piped, "-p", "prj_acme0a1b"], { stdin: KEY });
    expect(byId.stderr).not.toContain("no longer");
    expect(profiles().profiles.default).toMatchObject({ org: "org_5a17e0c4", integration });
    const other = await login([...piped, "-p", "globex-staging"], { stdin: KEY });
    expect(other.code).toBe(0);
    expect(other.stderr).toContain("The profile no longer has the organisation org_5a17e0c4");
    expect(other.stderr).toContain(`the integration ${integration}`);
    expect(profiles().profiles.default).toEqual({
      ...{ baseUrl: URL, credential: "api-key", project: "globex-staging" },
    });
  });

  it("is not overwritten by a login to another service that names none", async () => {
    const { login, read } = machine();
    await login([...piped, "--profile", "prod"], { stdin: KEY });
    const before = read("credentials.json");
    const elsewhere = ["--base-url", "http://127.0.0.1:5000/v1", "--api-key-file", "-"];
    const outcome = await login(elsewhere, { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(`Profile prod is for ${URL}.`);
    expect(outcome.stderr).toContain("Choose another name with --profile");
    expect(read("credentials.json")).toBe(before);

    const named = await login([...elsewhere, "--profile", "prod"], { stdin: KEY });
    expect(named.code).toBe(0);
    expect(named.stderr).toContain(`Profile prod was for ${URL} before.`);
  });

  it("is not replaced by the base URL of a folder, also if it is named", async () => {
    const { cwd, login, amp, read } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme"], { stdin: KEY });
    const before = read("credentials.json") + read("config.json");
    const elsewhere = "http://127.0.0.1:5000/v1";
    const file = `profile: prod\nbase-url: ${elsewhere}\nproject: globex-staging\n`;
    writeFileSync(join(cwd, ".amp.yaml"), file);
    await amp(["trust"]);

    const refused = await amp(["apps", "list"]);
    expect(refused).toMatchObject({ code: 4, requests: [] });
    expect(refused.stderr).toContain("cannot be used for http://127.0.0.1:5000");
    expect(refused.stderr).toContain("To keep profile prod, log in under another name");
    expect(refused.stderr).toContain("amp auth login --profile <new-name>");

    const key = ["--api-key-file", "-"];
    for (const args of [key, [...key, "--profile", "prod"], [...key, "--base-url", elsewhere]]) {
      const outcome = await login([...args, "--yes"], { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`Profile prod is for ${URL}.`);
      expect(read("credentials.json") + read("config.json")).toBe(before);
    }
    const named = await login([...key, "--profile", "other"], { stdin: KEY });
    expect(named.code).toBe(0);
    const typed = ["--profile", "prod", "--base-url", elsewhere];
    expect((await login([...key, ...typed], { stdin: KEY })).code).toBe(0);
  });

  it("is replaced on a terminal only after a question", async () => {
    const { login, read } = machine();
    await login([...piped, "--profile", "prod"], { stdin: KEY });
    const before = read("credentials.json");
    const elsewhere = "http://127.0.0.1:5000/v1";
    const questions: Script = [
      ["Base URL, for example https://api.example.com/v1", elsewhere],
      ["Credential type", "API key"],
      ["Paste the API key", KEY],
      ["Default project", "acme"],
      ["Default organisation", "none"],
      ["Default integration", "none"],
      ["Profile name", ENTER],
    ];
    const replace = `Profile prod is for ${URL}. Replace it?`;
    const other = operator([...questions, [replace, ENTER], ["Profile name", "other"]]);
    expect(await login([], other)).toMatchObject({ code: 0 });
    expect(JSON.parse(read("credentials.json")).credentials).toHaveProperty("other");
    expect(JSON.parse(read("credentials.json")).credentials.prod).toEqual(
      JSON.parse(before).credentials.prod,
    );
    const same = operator([
      ["Base URL, for example https://api.example.com/v1", elsewhere],
      [replace, false],
    ]);
    expect(await login(["--profile", "prod"], same)).toMatchObject({ code: 130, requests: [] });
  });

  it("gives none of its defaults to another service", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme", "--org", "o"], { stdin: KEY });
    const elsewhere = ["--base-url", "http://127.0.0.1:5000/v1", "--api-key-file", "-"];
    await login([...elsewhere, "--profile", "prod"], { stdin: KEY });
    expect(profiles().profiles.prod).toEqual({
      baseUrl: "http://127.0.0.1:5000/v1",
      credential: "api-key",
    });
  });
});

describe("an odd answer to a login", () => {
  const PROJECTS = [
    [[null], "record 1: expected object, received null"],
    [[["p1"]], "record 1: expected object, received array"],
    [["acme"], "record 1: expected object, received string"],
    [[{}], "record 1 id: expected string, but it is missing"],
    [[{ id: null, name: "acme" }], "acme id: expected string, received null"],
    [[{ id: 5, name: { a: 1 } }], "5 name: expected string, received object"],
    [[{ id: "p1", name: 7 }, null, { id: ["x"] }], "p1 name: expected string, received number"],
  ] as const;
  /** A service that lists these projects, or has no such list. */
  const listing =
    (projects: unknown, apps: unknown = 404) =>
    async ({ url }: Request) => {
      const body = url.endsWith("/projects") ? projects : apps;
      return body === 404 ? Response.json({}, { status: 404 }) : Response.json(body);
    };

  it.each(PROJECTS)(
    "an odd project list does not prevent a login, and is reported: %j",
    async (projects, problem) => {
      const { login, profiles, amp } = machine();
      const outcome = await login(piped, { stdin: KEY, fetch: listing(projects) });
      expect(outcome).toMatchObject({ code: 0 });
      expect(outcome.stderr).toMatch(/^\d+ fields? (?:is|are) not as specified: /mu);
      expect(outcome.stderr).toContain(problem);
      expect(profiles().active).toBe("default");
      const status = await amp(["auth", "status", "--json"], { fetch: listing(projects) });
      expect(status.json()).toMatchObject({ checked: true, projects });
    },
  );

  it.each([
    [{ id: 5, name: "x" }, "5"],
    [{ id: "p1", name: 7 }, "7"],
    [{ id: null, name: "acme" }, "acme"],
  ])("finds the project in %j by %s", async (project, named) => {
    const { login } = machine();
    const world = { stdin: KEY, fetch: listing([null, project]) };
    expect((await login([...piped, "-p", named], world)).stderr).not.toContain("has no access");
    const other = await login([...piped, "-p", "other"], world);
    expect(other).toMatchObject({ code: 3 });
    expect(other.stderr).toContain("no access to project other");
  });

  it("is accepted of the provider apps, too", async () => {
    const { login } = machine();
    for (const apps of [[null, "x", { id: 5, scopes: "a" }], null]) {
      const outcome = await login([...piped, "-p", "acme", "--json"], {
        stdin: KEY,
        fetch: listing(404, apps),
      });
      expect(outcome).toMatchObject({ code: 0 });
      expect(outcome.json()).toMatchObject({ checked: true });
    }
  });

  it.each([["<html>Log in</html>"], ["{}"], ['"ok"'], [""]])(
    "saves nothing where it is not a list at all: %s",
    async (body) => {
      const { login, cwd } = machine();
      const outcome = await login(piped, { stdin: KEY, fetch: async () => new Response(body) });
      expect(outcome).toMatchObject({ code: 7, stdout: "" });
      expect(outcome.stderr).toContain("Nothing was saved.");
      expect(existsSync(join(cwd, "config", "config.json"))).toBe(false);
    },
  );
});
