import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { stateWarning } from "../../../src/notify/state/backend.ts";
import { openBackend } from "../../../src/notify/state/open-backend.ts";
import { gitlabLocation } from "../../../src/notify/state/remote/http.ts";
import { redactSecrets } from "../../../src/secrets/secret.ts";
import { S3_CREDENTIAL } from "./remote/s3-storage.ts";
import { TARGET, thrownBy } from "./state-fixture.ts";

const open = (state?: string, env: Readonly<Record<string, string>> = {}, target = TARGET) =>
  openBackend(state, target, { env, cwd: "/home/me", stateFolder: "/home/me/state" });

async function messageOf(run: () => Promise<unknown>): Promise<string> {
  const { name, message } = await thrownBy(run());
  expect(name).toBe("UsageError");
  return message;
}

describe("the location of a state", () => {
  it("is a file named after the target by default", async () => {
    const { location, local } = await open();
    expect(local).toBe(true);
    expect(location).toMatch(
      /^\/home\/me\/state\/api\.example\.test_443_v1_acme_[\da-f]{8}\.json$/u,
    );
    expect((await open()).location).toBe(location);
  });

  it("differs if the targets differ", async () => {
    const projects = [
      "acme",
      "Acme",
      "acme-1",
      "../../etc/passwd",
      "a b",
      "a/b",
      "x".repeat(300),
      "é",
    ];
    const targets = [
      ...projects.map((project) => ({ ...TARGET, project })),
      { ...TARGET, basePath: "" },
      { ...TARGET, basePath: "/v2" },
      { ...TARGET, origin: "http://localhost:4010" },
      { ...TARGET, origin: "https://api.example.test:8443" },
    ];
    const opened = await Promise.all(targets.map((target) => open(undefined, {}, target)));
    const locations = opened.map(({ location }) => location.toLowerCase());
    expect(new Set(locations).size).toBe(targets.length);
    for (const location of locations) {
      expect(location.startsWith("/home/me/state/")).toBe(true);
      expect(basename(location)).toMatch(/^[\w.-]{1,140}\.json$/u);
      expect(location.split("/")).toHaveLength(5);
    }
  });

  it.each<[string, string, boolean]>([
    ["routing.json", "/home/me/routing.json", true],
    ["/var/lib/amp.json", "/var/lib/amp.json", true],
    ["./gitlab", "/home/me/gitlab", true],
    ["gitlab.json", "/home/me/gitlab.json", true],
    ["./gitlabb", "/home/me/gitlabb", true],
    ["https://state.example.test/a?token=s3cret", "https://state.example.test/a?…", false],
    ["s3://states/a.json", "s3://states/a.json", false],
    [
      "gitlab",
      "https://g.test/api/v4/projects/7/terraform/state/amp-api-example-test-v1-acme",
      false,
    ],
    ["gitlab:my routing", "https://g.test/api/v4/projects/7/terraform/state/my%20routing", false],
  ])("of %s is %s", async (state, location, local) => {
    const env = {
      ...S3_CREDENTIAL,
      CI_API_V4_URL: "https://g.test/api/v4",
      CI_PROJECT_ID: "7",
      CI_JOB_TOKEN: "t",
    };
    expect(await open(state, env)).toMatchObject({ location, local });
    expect(await open(undefined, { ...env, AMP_STATE: state })).toMatchObject({ location, local });
  });

  it.each([
    ["", "--state is empty"],
    ["  ", "--state is empty"],
    ["ftp://a.test/b", "--state: a state cannot be stored at ftp://"],
    ["file:///a", "--state: a state cannot be stored at file://"],
    ["gitlabb", "--state: gitlabb is not the location of a state"],
    ["production", "--state: production is not the location of a state"],
    ["http://a.test/b", "--state must use https: http://a.test/b"],
    [".cache/state.json", "/home/me/.cache/state.json is in a cache"],
    ["node_modules/x/state.json", "is in a cache"],
    ["/opt/hostedtoolcache/state.json", "is in a cache"],
    [
      "gitlab",
      "--state gitlab requires CI_API_V4_URL, CI_PROJECT_ID, CI_JOB_TOKEN (set by GitLab CI)",
    ],
  ])("is not %j", async (state, message) => {
    const env = { RUNNER_TOOL_CACHE: "/opt/hostedtoolcache" };
    expect(await messageOf(() => open(state, env))).toContain(message);
  });

  it("is refused with the name of the invalid variable", async () => {
    expect(await messageOf(() => open(undefined, { AMP_STATE: "" }))).toBe("AMP_STATE is empty");
    const tools = { RUNNER_TOOL_CACHE: "/opt/hostedtoolcache" };
    expect((await open("/opt/hostedtoolcache-2/state.json", tools)).local).toBe(true);
  });
});

describe("the state of a GitLab project", () => {
  const job = { CI_API_V4_URL: "https://g.test/api/v4", CI_PROJECT_ID: "7", CI_JOB_TOKEN: "token" };

  it("is locked by POST and DELETE, with the token of the job", () => {
    const location = gitlabLocation("routing", job, TARGET);
    expect(location).toEqual({
      address: new URL("https://g.test/api/v4/projects/7/terraform/state/routing"),
      lockAddress: new URL("https://g.test/api/v4/projects/7/terraform/state/routing/lock"),
      unlockAddress: new URL("https://g.test/api/v4/projects/7/terraform/state/routing/lock"),
      lockMethod: "POST",
      unlockMethod: "DELETE",
      credential: { username: "gitlab-ci-token", password: "token", variable: "CI_JOB_TOKEN" },
    });
  });

  it("has a name that no message hides, unlike a token in a typed address", async () => {
    const env = { ...job, CI_PROJECT_ID: "12345678" };
    await open("gitlab:routing-2026-production", env);
    const place = "https://g.test/api/v4/projects/12345678/terraform/state/routing-2026-production";
    expect(redactSecrets(place)).toBe(place);
    await open("https://state.example.test/tok-0123456789abcdef/state");
    expect(redactSecrets("tok-0123456789abcdef")).toBe("[redacted]");
  });

  it("is reached from outside GitLab CI with a personal token", async () => {
    const { CI_JOB_TOKEN: _, ...elsewhere } = job;
    const env = { ...elsewhere, AMP_STATE_USERNAME: "me", AMP_STATE_PASSWORD: "mine" };
    expect(gitlabLocation(undefined, env, TARGET).credential).toEqual({
      username: "me",
      password: "mine",
    });
    expect(await messageOf(async () => gitlabLocation(undefined, elsewhere, TARGET))).toBe(
      "--state gitlab requires CI_JOB_TOKEN (set by GitLab CI)",
    );
  });
});

describe("the warning of a state that may be lost", async () => {
  const backend = await open();
  it("is given if nothing else has the records", () => {
    expect(stateWarning(backend, { hasLists: false, ci: true })).toContain("only on this machine");
  });
  it.each([
    [backend, { hasLists: true, ci: true }],
    [backend, { hasLists: false, ci: false }],
    [await open("https://a.test/b"), { hasLists: false, ci: true }],
  ])("is not given on a machine that keeps its files", (location, facts) => {
    expect(stateWarning(location, facts)).toBeUndefined();
  });
});
