import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NOW, sandboxAt } from "../../harness.ts";
import { BACK, CTRL_C, ENTER, operator, type ScriptedKey } from "../../scripted-prompter.ts";
import { KEY, machine, piped, TOKEN, URL } from "./machine.ts";

describe("with questions", () => {
  const QUESTION = {
    name: "Profile name",
    url: "Base URL, for example https://api.example.com/v1",
    kind: "Credential type",
    key: "Paste the API key",
    token: "Paste the access token",
    project: "Default project",
    org: "Default organisation",
    integration: "Default integration",
  };
  /** A service of the specification alone lists neither projects nor integrations. */
  const specOnly = () => sandboxAt(NOW, { specOnly: true });

  it("asks only for values that no option gives", async () => {
    const { login, profiles } = machine();
    const all = operator([
      [QUESTION.url, "example"],
      [QUESTION.url, URL],
      [QUESTION.kind, "Access token"],
      [QUESTION.token, TOKEN],
      [QUESTION.project, "acme"],
      [QUESTION.org, "none"],
      [QUESTION.integration, ENTER],
      [QUESTION.name, "a b"],
      [QUESTION.name, "prod"],
    ]);
    const outcome = await login([], all);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout + outcome.stderr).not.toContain(TOKEN);
    expect(profiles().profiles.prod).toEqual({
      baseUrl: URL,
      credential: "access-token",
      project: "acme",
    });
    await expect(outcome.stdout).toMatchFileSnapshot("./golden/logged-in.txt");

    const options = ["--profile", "p", "--base-url", URL, "--project", "acme", "--org", "o"];
    const rest = operator([
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.integration, "crm-sync"],
    ]);
    expect(await login(options, rest)).toMatchObject({ code: 0 });
    expect(profiles().profiles.p).toMatchObject({
      project: "acme",
      org: "o",
      integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
    });
  });

  it("suggests the organisation of the chosen project, and no other", async () => {
    const { login, profiles } = machine();
    const acme = ["--org", "org_5a17e0c4", "--integration", "113e9685-9a51-42cc-8662-9d9725b17f14"];
    await login([...piped, "-p", "acme", ...acme], { stdin: KEY });
    const all = operator([
      [QUESTION.url, ENTER],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, "globex-staging"],
      [QUESTION.org, ENTER],
      [QUESTION.name, "staging"],
    ]);
    expect(await login([], all)).toMatchObject({ code: 0 });
    expect(profiles().profiles.staging).toEqual({
      baseUrl: URL,
      credential: "api-key",
      project: "globex-staging",
      org: "org_c0ffee42",
    });
    expect(all.prompter.offered[QUESTION.org]?.map(({ label, note }) => [label, note])).toEqual([
      ["org_c0ffee42", "of project globex-staging"],
      ["none", expect.any(String)],
    ]);
  });

  it("asks again for a key that is empty or no key, and does not end: the next paste may be it", async () => {
    const { login } = machine();
    const all = operator([
      [QUESTION.kind, "API key"],
      [QUESTION.key, " "],
      [QUESTION.key, "two\nlines"],
      [QUESTION.key, KEY],
      [QUESTION.org, "none"],
      [QUESTION.integration, "none"],
    ]);
    const given = ["--profile", "p", "--base-url", URL, "--project", "acme"];
    expect(await login(given, all)).toMatchObject({ code: 0 });
    expect(all.prompter.complaints).toEqual([
      "Required",
      "Copy it again without the text around it.",
    ]);
  });

  it("says that the saved organisation is not that of the project", async () => {
    const { login } = machine();
    const defaults = ["-p", "globex-staging", "--org", "org_5a17e0c4"];
    const { code, stderr } = await login([...piped, ...defaults], { stdin: KEY });
    expect(code).toBe(0);
    expect(stderr).toContain(
      "Project globex-staging belongs to organisation org_c0ffee42, not to org_5a17e0c4; saved anyway.",
    );
    const own = await login([...piped, "-p", "globex-staging", "--org", "org_c0ffee42"], {
      stdin: KEY,
    });
    expect(own.stderr).not.toContain("belongs to");
  });

  it("returns from each question to the one before, with its answer, and asks the service once", async () => {
    const { login, profiles } = machine();
    const script = operator([
      [QUESTION.url, URL],
      [QUESTION.kind, BACK],
      [QUESTION.url, ENTER],
      [QUESTION.kind, "API key"],
      [QUESTION.key, BACK],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, "acme"],
      [QUESTION.org, BACK],
      [QUESTION.project, ENTER],
      [QUESTION.org, "none"],
      [QUESTION.integration, BACK],
      [QUESTION.org, ENTER],
      [QUESTION.integration, "crm-sync"],
      [QUESTION.name, BACK],
      [QUESTION.integration, ENTER],
      [QUESTION.name, "prod"],
    ]);
    const outcome = await login([], script);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(profiles().profiles.prod).toEqual({
      ...{ baseUrl: URL, credential: "api-key", project: "acme" },
      integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
    });
    const paths = outcome.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === "/projects")).toHaveLength(1);
  });

  it("returns past a refused credential to the base URL, and says of it once", async () => {
    const { login } = machine();
    const script = operator([
      [QUESTION.url, "http://127.0.0.1:4747/v1/"],
      [QUESTION.kind, "API key"],
      [QUESTION.key, "another-key"],
      [QUESTION.key, BACK],
      [QUESTION.key, BACK],
      [QUESTION.kind, BACK],
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, CTRL_C],
    ]);
    const outcome = await login([], script);
    expect(outcome).toMatchObject({ code: 130 });
    expect(outcome.stderr.match(/did not accept the credential/gu)).toHaveLength(1);
    expect(outcome.stderr).toContain("Nothing was saved.");
  });

  it("asks which URL is meant where the check finds nothing at an unusual path, and the project where it is not seen", async () => {
    const { login, profiles } = machine();
    const typed = "http://127.0.0.1:4747/v2";
    const script = operator([
      [QUESTION.url, typed],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [
        `404 Not Found at ${typed}/projects: the base URL may be wrong. Which one do you want?`,
        URL,
      ],
      [QUESTION.project, "acme"],
      [QUESTION.org, "none"],
      [QUESTION.integration, ENTER],
    ]);
    const outcome = await login(["--profile", "p", "--project", "nope"], script);
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stderr).toContain("This credential has no access to project nope");
    expect(profiles().profiles.p).toMatchObject({ baseUrl: URL, project: "acme" });
  });

  it("asks again for a credential that the service refuses, and keeps what was answered", async () => {
    const { login, profiles } = machine();
    const script = operator([
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, "wrong-key"],
      [QUESTION.key, KEY],
      [QUESTION.project, "globex-staging"],
      [QUESTION.org, ENTER],
      [QUESTION.name, ENTER],
    ]);
    const outcome = await login([], script);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain("(401). Paste it again");
    expect(outcome.stderr).not.toContain("wrong-key");
    expect(profiles().profiles.default).toMatchObject({ project: "globex-staging" });
  });

  it("lets the project and organisation be typed where the service lists none", async () => {
    const { login, profiles } = machine();
    const script = operator([
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [`${QUESTION.project} (Enter for none)`, "acme"],
      [`${QUESTION.org} ID (Enter for none)`, ENTER],
      [QUESTION.name, "p"],
    ]);
    expect(await login([], { ...script, sandbox: specOnly() })).toMatchObject({ code: 0 });
    expect(profiles().profiles.p).toEqual({ baseUrl: URL, credential: "api-key", project: "acme" });
  });

  it("says what Enter does at a default that is typed", async () => {
    const { login, profiles } = machine();
    const defaults = ["--profile", "prod", "-p", "acme", "--org", "o"];
    await login([...piped, ...defaults], { stdin: KEY, sandbox: specOnly() });
    const script = operator([
      [QUESTION.url, ENTER],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [`${QUESTION.project} (- for none)`, ENTER],
      [`${QUESTION.org} ID (- for none)`, "-"],
      [QUESTION.name, ENTER],
    ]);
    expect(await login([], { ...script, sandbox: specOnly() })).toMatchObject({ code: 0 });
    expect(profiles().profiles.prod).toEqual({
      ...{ baseUrl: URL, credential: "api-key", project: "acme" },
    });
  });

  it("says at once that a typed URL without a version has no projects", async () => {
    const { login, profiles } = machine();
    const typed = "http://127.0.0.1:4747";
    const script = operator([
      [QUESTION.url, typed],
      ["The URL has no version. Which one do you want?", typed],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [
        `404 Not Found at ${typed}/projects: the base URL may be wrong. Which one do you want?`,
        URL,
      ],
      [QUESTION.project, "acme"],
      [QUESTION.org, "none"],
      [QUESTION.integration, ENTER],
    ]);
    expect(await login(["--profile", "p"], script)).toMatchObject({ code: 0 });
    expect(profiles().profiles.p).toMatchObject({ baseUrl: URL, project: "acme" });
  });

  it("offers the values of the active profile as defaults", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme", "--org", "o"], { stdin: KEY });
    const script = operator([
      [QUESTION.url, ENTER],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, "none"],
      [QUESTION.integration, ENTER],
      [QUESTION.name, ENTER],
    ]);
    expect(await login([], script)).toMatchObject({ code: 0 });
    expect(profiles()).toMatchObject({
      active: "prod",
      profiles: { prod: { baseUrl: URL, project: "acme" } },
    });
  });

  it("questions an address without a version", async () => {
    const { login, profiles } = machine();
    const script = operator([
      ["The URL has no version. Which one do you want?", URL],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, "none"],
      [QUESTION.org, ENTER],
    ]);
    const args = ["--profile", "p", "--base-url", "http://127.0.0.1:4747/"];
    expect(await login(args, script)).toMatchObject({ code: 0 });
    expect(profiles().profiles.p.baseUrl).toBe(URL);
  });

  it("saves nothing where it is broken off at any question", async () => {
    const answers: [string, ScriptedKey][] = [
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
      [QUESTION.integration, ENTER],
      [QUESTION.name, "p"],
    ];
    for (const [at, [question]] of answers.entries()) {
      const { login, file } = machine();
      const script = operator([...answers.slice(0, at), [question, CTRL_C]]);
      const broken = await login([], script);
      expect(broken).toMatchObject({ code: 130, stdout: "" });
      expect(broken.stderr).toContain("Nothing was saved.");
      expect(existsSync(file("config.json"))).toBe(false);
    }
  });
});
