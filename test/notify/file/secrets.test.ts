import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { secretPolicy } from "../../../src/notify/file/secrets.ts";
import { protectedVariable, variableNames } from "../../../src/notify/model/secrets.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function policyOf(
  allow: {
    env?: readonly string[];
    files?: readonly string[];
    listed?: string;
    variables?: Readonly<Record<string, string>>;
  } = {},
  cwd = "/",
) {
  const settings = {
    get: (name: string) =>
      name === "allowEnv" && allow.listed !== undefined
        ? ({ value: allow.listed, source: "AMP_ALLOW_ENV", place: "variable" } as const)
        : undefined,
  };
  const files = {
    realPath: async (path: string) => realpathSync(resolve(cwd, path)),
    variables: () => allow.variables ?? {},
  };
  return secretPolicy(
    { settings, files },
    {
      allow: [
        ...(allow.env ?? []).map((name) => `env:${name}`),
        ...(allow.files ?? []).map((path) => `file:${path}`),
      ],
    },
  );
}

describe("variables of a routing file", () => {
  it.each([
    ["AMP_API_KEY", "belongs to amp"],
    ["AMP_STATE_PASSWORD", "belongs to amp"],
    ["HTTPS_PROXY", "belongs to amp"],
    ["https_proxy", "belongs to amp"],
    ["AWS_SECRET_ACCESS_KEY", "belongs to the AWS login"],
    ["aws_session_token", "belongs to the AWS login"],
    ["CI_JOB_TOKEN", "is a token of the CI job"],
    ["CI_JOB_JWT_V2", "is a token of the CI job"],
    ["CI_REGISTRY_PASSWORD", "is a token of the CI job"],
    ["GITHUB_TOKEN", "is a token of the CI job"],
    ["ACTIONS_ID_TOKEN_REQUEST_TOKEN", "is a token of the CI job"],
    ["SYSTEM_ACCESSTOKEN", "is a token of the CI job"],
    ["BITBUCKET_STEP_OIDC_TOKEN", "is a token of the CI job"],
    ["DRONE_NETRC_PASSWORD", "is a token of the CI job"],
    ["NODE_AUTH_TOKEN", "is a token of the CI job"],
    ["NPM_TOKEN", "is a token of the CI job"],
    ["VAULT_TOKEN", "is a token of the CI job"],
    ["CI_BUILD_TOKEN", "is a token of the CI job"],
    ["JENKINS_API_TOKEN", "is a token of the CI job"],
    ["APPVEYOR_API_TOKEN", "is a token of the CI job"],
    ["TRAVIS_API_TOKEN", "is a token of the CI job"],
    ["CIRCLE_TOKEN", "is a token of the CI job"],
    ["GITHUB_PAT", "is a token of the CI job"],
    ["SIGSTORE_ID_TOKEN", "is a token of the CI job"],
    ["GITLAB_OIDC_TOKEN", "is a token of the CI job"],
    ["ALL_PROXY", "belongs to a login of this machine"],
    ["AZURE_CLIENT_SECRET", "belongs to a login of this machine"],
    ["TF_TOKEN_app_terraform_io", "belongs to a login of this machine"],
    ["DOCKER_AUTH_CONFIG", "belongs to a login of this machine"],
  ])("%s is refused until it is allowed by name", (name, why) => {
    const refusal = policyOf().refusesVariable(name);
    expect(refusal).toContain(`${name} ${why}`);
    expect(refusal).toContain(`--allow env:${name}`);
    expect(policyOf({ env: [name] }).refusesVariable(name)).toBeUndefined();
  });

  it("is refused where its value contains that of a refused variable", () => {
    const token = "glcbt-64_abcdefgh";
    const variables = { CI_JOB_TOKEN: token, CI_JOB_JWT: "short", AWS_REGION: "eu-central-1" };
    const { refusesVariable } = policyOf({ variables });
    expect(refusesVariable("COPY", `Bearer ${token}`)).toBe(
      "COPY contains the value of CI_JOB_TOKEN, so it is not read for a destination; add --allow env:COPY to allow it",
    );
    expect(refusesVariable("SHORT", "a short text")).toBeUndefined();
    expect(refusesVariable("QUEUE", "https://sqs.eu-central-1.example.com/q")).toBeUndefined();
    expect(policyOf({ variables, env: ["COPY"] }).refusesVariable("COPY", token)).toBeUndefined();
  });

  it("is refused where its value is a URL with user info, unless requests are sent to it", () => {
    const { refusesVariable } = policyOf();
    const url = "https://deploy:xyz@git.example.com/a.git";
    const why = "REMOTE contains a URL with a user name or password";
    for (const value of [url, `git+${url}`, "postgres://u:p@db/x", "https://token@host/"]) {
      expect(refusesVariable("REMOTE", value, ["headers", "X"])).toContain(why);
    }
    expect(refusesVariable("HOOK", url, ["url"])).toBeUndefined();
    for (const value of [
      "https://hooks.acme.com/@me",
      "a@b.example",
      "//x y@z",
      "https://h/?q=a@b",
    ])
      expect(refusesVariable("REMOTE", value)).toBeUndefined();
  });

  it.each(["SLACK_URL", "OPS_KEY", "AMPERE_KEY", "CI_NAME", "MY_AWS_KEY", "SLACK_TOKEN"])(
    "%s is read",
    (name) => expect(policyOf().refusesVariable(name)).toBeUndefined(),
  );

  it("are only those that AMP_ALLOW_ENV lists, once it is set", () => {
    const { refusesVariable } = policyOf({ listed: "SLACK_*, OPS_KEY", env: ["EXTRA"] });
    expect(refusesVariable("SLACK_URL")).toBeUndefined();
    expect(refusesVariable("OPS_KEY")).toBeUndefined();
    expect(refusesVariable("EXTRA")).toBeUndefined();
    for (const name of ["OPS_KEY2", "MY_SLACK_URL", "PATH", "AMP_API_KEY"]) {
      expect(refusesVariable(name)).toBe(
        `${name} is not in AMP_ALLOW_ENV; add --allow env:${name} to allow it`,
      );
    }
  });

  it("have names of their own where amp makes them up", () => {
    const nameOf = variableNames();
    for (const owner of ["amp", "aws", "9", "ci-job", "github", "ops"]) {
      for (const field of ["token", "idToken"])
        expect(protectedVariable(nameOf(owner, field))).toBeUndefined();
    }
  });
});

describe("files of a routing file", () => {
  const top = realpathSync(temporaryFolder());
  const folder = join(top, "repository");
  mkdirSync(join(folder, "keys"), { recursive: true });
  mkdirSync(join(top, "elsewhere"));
  for (const file of [
    "repository/a.key",
    "repository/keys/b.key",
    "repository/..c",
    "elsewhere/d.key",
  ]) {
    writeFileSync(join(top, file), "secret");
  }
  symlinkSync(join(top, "elsewhere"), join(folder, "out"));
  symlinkSync(join(folder, "keys", "b.key"), join(folder, "in.key"));
  symlinkSync(folder, join(top, "link"));
  const locate = (path: string, files: readonly string[] = []) =>
    policyOf({ files }, top).locate(path, "repository");

  it.each([
    ["repository/a.key", "repository/a.key"],
    ["repository/keys/../a.key", "repository/a.key"],
    ["repository/..c", "repository/..c"],
    ["repository/in.key", "repository/keys/b.key"],
    [join(top, "link/a.key"), "repository/a.key"],
  ])("%s is read", async (path, real) =>
    expect(await locate(path)).toEqual({ file: join(top, real) }),
  );

  it.each(["repository/../elsewhere/d.key", "repository/out/d.key", "/etc/hostname"])(
    "%s is refused, unless it or its folder is allowed",
    async (path) => {
      expect(await locate(path)).toBe(
        `${path} is not in the folder of the routing file; add --allow file:${path} to allow it`,
      );
      expect(await locate(path, [path])).toHaveProperty("file");
      expect(await locate(path, [join(path, "..")])).toHaveProperty("file");
    },
  );

  it("are never read from .git, where a CI job saves its login", async () => {
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "config"), "extraheader");
    const path = "repository/.git/config";
    expect(await locate(path)).toBe(`${path} is in .git; add --allow file:${path} to allow it`);
    expect(await locate(path, [path])).toHaveProperty("file");
  });

  it.runIf(process.platform === "linux")("are never read from /proc", async () => {
    symlinkSync("/proc/self/environ", join(folder, "environ"));
    for (const path of ["/proc/self/environ", "repository/environ", "/proc/self/cwd"]) {
      expect(await locate(path, ["/"])).toBe("files of /proc are not read");
    }
  });
});
