import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../harness.ts";
import { type Place, placeWith, ROUTING } from "./notify-fixture.ts";

const withSecret = (reference: string) =>
  ROUTING.replace("/amp }", `/amp }, secrets: { signingSecret: "${reference}" }`);

const ENV = {
  AMP_PROFILE: "sandbox",
  NO_COLOR: "1",
  SIGNING: "value-of-signing",
  AWS_SECRET_ACCESS_KEY: "value-of-aws",
  CI_JOB_TOKEN: "value-of-the-job",
  AMP_STATE_PASSWORD: "value-of-amp",
};
const COMMANDS = ["plan", "apply --yes", "apply --dry-run"];

/** A checkout of a repository, with something beside it that is none of the repository's. */
function checkout(reference: string): Place {
  const place = placeWith();
  const repository = join(place.cwd, "repository");
  mkdirSync(repository);
  writeFileSync(join(place.cwd, "id.key"), "value-of-a-key");
  writeFileSync(join(repository, "own.key"), "value-of-its-own");
  symlinkSync(join(place.cwd, "id.key"), join(repository, "link.key"));
  writeFileSync(join(repository, "routing.yaml"), withSecret(reference));
  return place;
}

/** All that anybody was told, on one line. */
function said({ stdout, stderr }: Outcome): string {
  return (stdout + stderr).replaceAll(/\s+/gu, " ");
}

describe.each([
  ["env:AWS_SECRET_ACCESS_KEY", "--allow env:AWS_SECRET_ACCESS_KEY"],
  ["env:CI_JOB_TOKEN", "--allow env:CI_JOB_TOKEN"],
  ["env:AMP_STATE_PASSWORD", "--allow env:AMP_STATE_PASSWORD"],
  ["file:../id.key", "--allow file:id.key"],
  ["file:link.key", "--allow file:id.key"],
])("a routing file that names %s", (reference, allowed) => {
  it.each(COMMANDS)("is refused by %s", async (command) => {
    for (const tty of [false, true]) {
      const refused = await checkout(reference).notify(`${command} -f repository/routing.yaml`, {
        env: ENV,
        tty,
      });
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(said(refused)).toContain("to allow it");
      expect(said(refused)).not.toContain("value-of");
    }
  });

  it.each(COMMANDS)(`is accepted by %s ${allowed}`, async (command) => {
    const { code } = await checkout(reference).notify(
      `${command} -f repository/routing.yaml ${allowed}`,
      { env: ENV },
    );
    expect(code).toBe(0);
  });
});

it("refuses a header with the token of the CI job inside another variable", async () => {
  const place = placeWith();
  const header = "/amp, headers: { X-Copy: env:CI_REPOSITORY_URL } }";
  place.write("routing.yaml", ROUTING.replace("/amp }", header));
  const env = { ...ENV, CI_REPOSITORY_URL: `https://ci:${ENV.CI_JOB_TOKEN}@git.example.com/a.git` };
  const refused = await place.notify("apply --yes -f routing.yaml", { env });
  expect(refused).toMatchObject({ code: 2, requests: [] });
  expect(said(refused)).toContain("CI_REPOSITORY_URL contains the value of CI_JOB_TOKEN");
  expect(said(refused)).not.toContain("value-of");
});

it("never sends what the kernel shows of this process", async () => {
  for (const words of ["", " --allow file:/proc/self/environ"]) {
    const place = checkout("file:/proc/self/environ");
    const refused = await place.notify(`apply --yes -f repository/routing.yaml${words}`);
    expect(refused).toMatchObject({ code: 2, requests: [] });
  }
});

it("shows of many warnings about a file no more than fit a terminal, and elsewhere all", async () => {
  const place = placeWith();
  const events = Array.from({ length: 200 }, (_, at) => `event.of.tomorrow.${at}`);
  place.write("routing.yaml", ROUTING.replace("connection.error", events.join(", ")));
  const { stderr, code } = await place.notify("plan -f routing.yaml", { tty: { err: true } });
  expect(code).toBe(0);
  const warnings = stderr.split(" to create")[0] ?? "";
  expect(warnings.split("\n").length).toBeLessThan(25);
  expect(warnings).toContain("routing.yaml has 190 more warnings.");
  const piped = await place.notify("plan -f routing.yaml");
  expect(piped.stderr).not.toContain("more warnings");
  for (const event of events) expect(piped.stderr).toContain(`"${event}"`);
});

it("takes nothing but what AMP_ALLOW_ENV lists, once it is set", async () => {
  const apply = "apply --yes -f repository/routing.yaml";
  const place = checkout("env:SIGNING");
  const refused = await place.notify(apply, { env: { ...ENV, AMP_ALLOW_ENV: "SLACK_*" } });
  expect(refused.code).toBe(2);
  expect(said(refused)).toContain("SIGNING is not in AMP_ALLOW_ENV; add --allow env:SIGNING");
  expect((await place.notify(apply, { env: { ...ENV, AMP_ALLOW_ENV: "X,SIGN*" } })).code).toBe(0);
});

it("is not allowed more by a file of its repository", async () => {
  const place = checkout("env:AWS_SECRET_ACCESS_KEY");
  place.write(".amp.yaml", 'allow-env: "*"\n');
  const refused = await place.notify("plan -f repository/routing.yaml", { env: ENV });
  expect(refused).toMatchObject({ code: 2, requests: [] });
});

describe("the plan lists each secret and where it goes", () => {
  const use = {
    reference: "env:SIGNING",
    secret: "signingSecret",
    destination: "ops",
    deliversTo: ["hooks.acme.com"],
    sent: true,
  };

  it("in plan and in the review of apply", async () => {
    const place = checkout("env:SIGNING");
    const line = "env:SIGNING ops, hooks.acme.com";
    const plan = await place.notify("plan -f repository/routing.yaml", { env: ENV, tty: true });
    expect(said(plan)).toContain(line);
    const json = await place.notify("plan -f repository/routing.yaml --json", { env: ENV });
    expect(json.json()).toMatchObject({ secrets: [use] });
    const apply = await place.notify("apply -f repository/routing.yaml --yes", { env: ENV });
    expect(said(apply)).toContain(line);
  });

  it("and says what is not sent, for its destination exists", async () => {
    const place = checkout("env:SIGNING");
    await place.notify("apply -f repository/routing.yaml --yes", { env: ENV });
    const again = await place.notify("plan -f repository/routing.yaml --json", { env: ENV });
    expect(again.json()).toMatchObject({ secrets: [{ ...use, sent: false }] });
  });
});

describe("a header of a routing file", () => {
  const withHeader = (name: string, value: string) =>
    ROUTING.replace("/amp }", `/amp, headers: { ${name}: "${value}" } }`);

  it.each(["check", "plan", "apply --yes"])("is not read from a file by %s", async (command) => {
    const place = placeWith();
    place.write("token.txt", "value-of-a-file");
    place.write("routing.yaml", withHeader("X-Team", "file:token.txt"));
    const refused = await place.notify(`${command} -f routing.yaml`);
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(said(refused)).toContain("metadata.headers.X-Team: file: is not read in metadata");
    expect(said(refused)).toContain("use env:NAME");
  });

  it.each(["check", "plan", "apply --yes"])(
    "with a literal credential has a warning in %s, unless it is allowed",
    async (command) => {
      for (const name of ["Authorization", "X-Api-Key", "cookie", "Proxy-Authorization"]) {
        const place = placeWith();
        place.write("routing.yaml", withHeader(name, "Bearer value-of-a-literal"));
        const warned = await place.notify(`${command} -f routing.yaml`);
        expect(said(warned)).toContain(
          `metadata.headers.${name}: the credential is written in the file; use env:NAME`,
        );
        expect(said(warned)).not.toContain("value-of");
        const allowed = await place.notify(`${command} -f routing.yaml --allow literal-secrets`);
        expect(allowed.code).toBe(0);
        expect(said(allowed)).not.toContain("written in the file");
      }
    },
  );

  it.each([
    ["Authorization", "env:SIGNING"],
    ["Authorization", "env:NOT_SET"],
    ["X-Team", "Bearer value"],
  ])("%s: %s has no such warning", async (name, value) => {
    const place = placeWith();
    place.write("routing.yaml", withHeader(name, value));
    const { stdout, stderr } = await place.notify("check -f routing.yaml", { env: ENV });
    expect(stdout + stderr).not.toContain("written in the file");
  });
});
