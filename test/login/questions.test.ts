import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CTRL_C, ENTER, operator, type ScriptedKey } from "../scripted-prompter.ts";
import { KEY, machine, piped, TOKEN, URL } from "./machine.ts";

describe("with questions", () => {
  const QUESTION = {
    name: "Profile name",
    url: "Base URL, for example https://api.example.com/v1",
    kind: "Credential type",
    key: "Paste the API key",
    token: "Paste the access token",
    project: "Default project (Enter for none)",
    org: "Default organisation ID (Enter for none)",
  };

  it("asks for what is not given, and only that", async () => {
    const { login, profiles } = machine();
    const all = operator([
      [QUESTION.name, "a b"],
      [QUESTION.name, "prod"],
      [QUESTION.url, "example"],
      [QUESTION.url, URL],
      [QUESTION.kind, "Access token"],
      [QUESTION.token, TOKEN],
      [QUESTION.project, "acme"],
      [QUESTION.org, ENTER],
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
      [QUESTION.project, ENTER],
    ]);
    expect(await login(options, rest)).toMatchObject({ code: 0 });
    expect(profiles().profiles.p).toMatchObject({ project: "acme", org: "o" });
  });

  it("offers what the active profile says", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme", "--org", "o"], { stdin: KEY });
    const script = operator([
      [QUESTION.name, ENTER],
      [QUESTION.url, ENTER],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ]);
    expect(await login([], script)).toMatchObject({ code: 0 });
    expect(profiles()).toMatchObject({
      active: "prod",
      profiles: { prod: { baseUrl: URL, project: "acme", org: "o" } },
    });
  });

  it("questions an address without a version", async () => {
    const { login, profiles } = machine();
    const script = operator([
      ["The URL has no version. Which one do you want?", URL],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ]);
    const args = ["--profile", "p", "--base-url", "http://127.0.0.1:4747/"];
    expect(await login(args, script)).toMatchObject({ code: 0 });
    expect(profiles().profiles.p.baseUrl).toBe(URL);
  });

  it("saves nothing where it is broken off at any question", async () => {
    const answers: [string, ScriptedKey][] = [
      [QUESTION.name, "p"],
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ];
    for (const [at, [question]] of answers.entries()) {
      const { login, file } = machine();
      const script = operator([...answers.slice(0, at), [question, CTRL_C]]);
      const broken = await login([], script);
      expect(broken).toMatchObject({ code: 130, stdout: "", requests: [] });
      expect(broken.stderr).toContain("Nothing was saved.");
      expect(existsSync(file("config.json"))).toBe(false);
    }
  });
});
