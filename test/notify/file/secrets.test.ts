import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { secretPolicy } from "../../../src/notify/file/secrets.ts";
import { protectedVariable, variableNames } from "../../../src/notify/model/secrets.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function policyOf(
  allow: { env?: readonly string[]; files?: readonly string[]; listed?: string } = {},
  cwd = "/",
) {
  const settings = {
    get: (name: string) =>
      name === "allowEnv" && allow.listed !== undefined
        ? { value: allow.listed, source: "AMP_ALLOW_ENV" }
        : undefined,
  };
  const files = { realPath: async (path: string) => realpathSync(resolve(cwd, path)) };
  return secretPolicy(
    { settings, files },
    { allowEnv: allow.env ?? [], allowFile: allow.files ?? [] },
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
  ])("%s is refused until it is allowed by name", (name, why) => {
    const refusal = policyOf().refusesVariable(name);
    expect(refusal).toContain(`${name} ${why}`);
    expect(refusal).toContain(`--allow-env ${name}`);
    expect(policyOf({ env: [name] }).refusesVariable(name)).toBeUndefined();
  });

  it.each(["SLACK_URL", "OPS_KEY", "AMPERE_KEY", "CI_NAME", "MY_AWS_KEY"])("%s is read", (name) =>
    expect(policyOf().refusesVariable(name)).toBeUndefined(),
  );

  it("are only those that AMP_ALLOW_ENV lists, once it is set", () => {
    const { refusesVariable } = policyOf({ listed: "SLACK_*, OPS_KEY", env: ["EXTRA"] });
    expect(refusesVariable("SLACK_URL")).toBeUndefined();
    expect(refusesVariable("OPS_KEY")).toBeUndefined();
    expect(refusesVariable("EXTRA")).toBeUndefined();
    for (const name of ["OPS_KEY2", "MY_SLACK_URL", "PATH", "AMP_API_KEY"]) {
      expect(refusesVariable(name)).toBe(
        `${name} is not in AMP_ALLOW_ENV; add --allow-env ${name} to allow it`,
      );
    }
  });

  it("have names of their own where amp makes them up", () => {
    const nameOf = variableNames();
    for (const owner of ["amp", "aws", "9", "ci-job", "github"]) {
      expect(protectedVariable(nameOf(owner, "token"))).toBeUndefined();
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
        `${path} is not in the folder of the routing file; add --allow-file ${path} to allow it`,
      );
      expect(await locate(path, [path])).toHaveProperty("file");
      expect(await locate(path, [join(path, "..")])).toHaveProperty("file");
    },
  );

  it.runIf(process.platform === "linux")("are never read from /proc", async () => {
    symlinkSync("/proc/self/environ", join(folder, "environ"));
    for (const path of ["/proc/self/environ", "repository/environ", "/proc/self/cwd"]) {
      expect(await locate(path, ["/"])).toBe("files of /proc are not read");
    }
  });
});
