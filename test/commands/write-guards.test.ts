import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOW, type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { operator } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS, logIn } from "./invocations.ts";
import { goodArgs, leaves } from "./leaves.ts";

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;
const CREATE = ["notify", "topics", "create", "lifecycle"];
const APPLY = ["notify", "apply", "-f", "routing.yaml"];

/** A machine whose active profile, prod, has these guards. */
async function guarded(...guards: readonly string[]) {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  await logIn(cwd, sandbox, "prod");
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
  const amp = (args: readonly string[], world: RunInput = {}): Promise<Outcome> => {
    const env = { AMP_PROFILE: undefined, AMP_PROJECT: "acme", ...world.env };
    return run(args, { cwd, sandbox, ...world, env });
  };
  if (guards.length > 0) await amp(["auth", "protect", "prod", ...guards.slice(1)]);
  return { cwd, sandbox, amp };
}

const writesOf = ({ requests }: Outcome) =>
  requests.filter(({ method, path }) => method !== "GET" || path.includes("rotate"));

const resultOf = (outcome: Outcome) => ({ code: outcome.code, writes: writesOf(outcome).length });

/** The commands that write as they are invoked; conventions.test.ts holds that no other does. */
const writing = leaves.filter(({ path, command }) => command.effect === "write" && path !== "api");

describe.each(["protected", "read-only"] as const)("a %s profile", (kind) => {
  it.each(writing)("lets amp $path send no write", async ({ path }) => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt();
    await INVOCATIONS[path]?.before?.(cwd, sandbox);
    await logIn(cwd, sandbox, "prod");
    const env = {
      AMP_PROFILE: "prod",
      AMP_PROJECT: "acme",
      AMP_ORG: "org_5a17e0c4",
      AMP_INTEGRATION: "113e9685-9a51-42cc-8662-9d9725b17f14",
    };
    const flags = kind === "protected" ? [] : ["--read-only"];
    await run(["auth", "protect", "prod", ...flags], { cwd, sandbox });
    const argv = [...path.split(" "), ...goodArgs(path, sandbox)];
    const outcome = await run(argv, { sandbox, cwd, ...INVOCATIONS[path]?.world?.(), env });
    // What is refused is refused before anything is sent.
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
  });

  it("asks for nothing to plan, read or try", async () => {
    const { amp } = await guarded("", ...(kind === "protected" ? [] : ["--read-only"]));
    const free = [
      [...CREATE, "--dry-run"],
      [...APPLY, "--dry-run"],
      ["notify", "plan", "-f", "routing.yaml"],
      ["api", "GET", "/projects/{project}/topics"],
    ];
    for (const argv of free) {
      expect(resultOf(await amp(argv, { env: { CI: "1" } })), argv.join(" ")).toEqual({
        code: 0,
        writes: 0,
      });
    }
  });
});

describe("a protected profile", () => {
  it("writes with its exact name in --confirm or AMP_CONFIRM", async () => {
    const { amp } = await guarded("protected");
    const refused = await amp(CREATE);
    expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(refused.stderr).toContain("Add --confirm prod.");
    for (const wrong of ["Prod", "prod ", "staging", "yes"]) {
      expect(await amp([...CREATE, "--confirm", wrong])).toMatchObject({ code: 2, requests: [] });
    }
    expect(await amp([...CREATE, "--yes"])).toMatchObject({ code: 2, requests: [] });
    expect(resultOf(await amp([...CREATE, "--confirm", "prod"]))).toEqual({ code: 0, writes: 1 });
    const second = ["notify", "topics", "create", "second"];
    const byVariable = await amp(second, { env: { AMP_CONFIRM: "prod" } });
    expect(resultOf(byVariable)).toEqual({ code: 0, writes: 1 });
    expect(byVariable.stderr).toContain("Acting as prod (protected) · project acme");
  });

  it("asks once on a terminal, after the plan and its question", async () => {
    const { amp } = await guarded("protected");
    const question = "Profile prod is protected. Type prod to continue";
    const wrong = operator([
      ["Create these?", true],
      [question, "staging"],
      [question, ""],
      [question, "prdo"],
    ]);
    const cancelled = await amp(APPLY, wrong);
    expect(resultOf(cancelled)).toEqual({ code: 130, writes: 0 });
    expect(wrong.prompter.complaints).toEqual(["staging is not prod.", "Nothing is not prod."]);
    expect(cancelled.stderr).toContain("4 to create");
    expect(await amp(["notify", "state", "pull"])).toMatchObject({ code: 3 });
    const right = operator([
      ["Create these?", true],
      [question, "prdo"],
      [question, " prod"],
    ]);
    expect(resultOf(await amp(APPLY, right))).toEqual({ code: 0, writes: 4 });
  });

  it("asks before amp api and before a rotation, whatever its method", async () => {
    const { amp } = await guarded("protected");
    const post = ["api", "POST", "/projects/{project}/topics", "--field", "name=lifecycle"];
    const rotate = ["api", "/projects/{project}/destinations/ops?rotate=true"];
    for (const argv of [
      post,
      rotate,
      [...rotate.slice(0, 1), "/projects/acme/destinations/ops", "--field", "rotate=true"],
      ["notify", "destinations", "secret", "ops", "--rotate", "--yes"],
    ]) {
      expect(await amp(argv)).toMatchObject({ code: 2, requests: [] });
    }
    const asked = operator([["Profile prod is protected. Type prod to continue", "prod"]]);
    expect(resultOf(await amp(post, asked))).toEqual({ code: 0, writes: 1 });
  });

  it("asks before the intent of a delete is saved", async () => {
    const { amp } = await guarded("protected");
    await amp([...APPLY, "--yes", "--confirm", "prod"]);
    const state = async () => (await amp(["notify", "state", "pull"])).stdout;
    const before = await state();
    const question = "Profile prod is protected. Type prod to continue";
    const asked = operator([
      ["Delete topic/lifecycle and 2 routes?", true],
      ...["no", "no", "no"].map((answer) => [question, answer] as const),
    ]);
    const argv = ["notify", "topics", "delete", "lifecycle", "--accept", "references"];
    expect(resultOf(await amp(argv, asked))).toEqual({ code: 130, writes: 0 });
    expect(await state()).toBe(before);
  });

  it("also guards a credential of the environment at the same service", async () => {
    const { amp } = await guarded("protected");
    const env = { AMP_API_KEY: "sandbox-api-key" };
    expect(await amp(CREATE, { env })).toMatchObject({ code: 2, requests: [] });
    const elsewhere = { ...env, AMP_BASE_URL: "http://127.0.0.1:4848/v1" };
    expect(resultOf(await amp(CREATE, { env: elsewhere }))).toEqual({ code: 0, writes: 1 });
  });

  it("stays protected by another login, a new name, and an invalid value", async () => {
    const { cwd, sandbox, amp } = await guarded("protected");
    await logIn(cwd, sandbox, "prod");
    expect(await amp(CREATE)).toMatchObject({ code: 2, requests: [] });
    await amp(["auth", "rename", "prod", "live"]);
    expect((await amp(CREATE)).stderr).toContain("Add --confirm live.");
    const path = join(cwd, "config", "config.json");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/"protected":\s*true/u, '"protected": 0'),
    );
    const invalid = await amp(CREATE);
    expect(invalid).toMatchObject({ code: 2, requests: [] });
    expect(invalid.stderr).toContain("profiles.live.protected");
  });
});

it("refuses --confirm for a profile that is not in use", async () => {
  const { amp } = await guarded();
  const other = await amp([...CREATE, "--confirm", "staging"]);
  expect(other).toMatchObject({ code: 2, requests: [] });
  expect(other.stderr).toContain("--confirm is staging, but the profile in use is prod");
  expect(resultOf(await amp([...CREATE, "--confirm", "prod"]))).toEqual({ code: 0, writes: 1 });
});

describe("a read-only profile", () => {
  it("refuses a write even with --confirm and --yes, and names the command that allows it", async () => {
    const { amp } = await guarded("read-only", "--read-only");
    const { code, stderr, requests } = await amp([...CREATE, "--confirm", "prod", "--yes"]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("Profile prod is read-only");
    expect(stderr).toContain("amp auth protect prod --read-only --off");
    expect(await amp(["auth", "protect", "prod", "--read-only", "--off"])).toMatchObject({
      code: 2,
    });
    const asked = operator([["Allow writes with profile prod without this guard?", true]]);
    expect(await amp(["auth", "protect", "prod", "--read-only", "--off"], asked)).toMatchObject({
      code: 0,
      stdout: "Profile prod is not guarded\n",
    });
    expect(resultOf(await amp(CREATE))).toEqual({ code: 0, writes: 1 });
  });
});

describe("amp auth protect", () => {
  it("adds and removes guards, and list and status show them", async () => {
    const { amp } = await guarded();
    expect(await amp(["auth", "protect"])).toMatchObject({ stdout: "Profile prod is protected\n" });
    const both = await amp(["auth", "protect", "--read-only"]);
    expect(both.stdout).toBe("Profile prod is protected, read-only\n");
    expect((await amp(["auth", "list"])).stdout).toContain("\tprotected, read-only\n");
    const status = await amp(["auth", "status", "--json"], { env: { AMP_EXPECT_PROJECT: "acme" } });
    expect(status.json()).toMatchObject({ protected: true, readOnly: true, expectProject: "acme" });
    const none = await amp(["auth", "protect", "--off", "--yes", "--json"]);
    expect(none.json()).toEqual({ profile: "prod", protected: false, readOnly: false });
    expect((await amp(["auth", "list"])).stdout).not.toContain("protected");
  });

  it("refuses the built-in profile and an unknown one", async () => {
    const { amp } = await guarded();
    expect(await amp(["auth", "protect", "sandbox"])).toMatchObject({ code: 2 });
    expect(await amp(["auth", "protect", "nosuch"])).toMatchObject({ code: 3 });
  });

  it("is set by the login too", async () => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt();
    const argv = ["auth", "login", "--profile", "live", "--api-key-file", "-", "--read-only"];
    const world = { cwd, sandbox, stdin: "sandbox-api-key" };
    const env = { AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
    const saved = await run([...argv, "--protected", "--json"], { ...world, env });
    expect(saved.json()).toMatchObject({ profile: "live", protected: true, readOnly: true });
    const list = await run(["auth", "list"], { cwd, sandbox });
    expect(list.stdout).toContain("protected, read-only");
  });
});

describe("--expect-project", () => {
  const expecting = (name: string) => ["--expect-project", name];
  const acme = sandboxAt().world.projects[0];

  it("writes to the project of that name or ID, and asks the service once", async () => {
    for (const name of [acme?.name ?? "", acme?.id ?? ""]) {
      const { amp } = await guarded();
      const outcome = await amp([...APPLY, "--yes", ...expecting(name)]);
      expect(resultOf(outcome)).toEqual({ code: 0, writes: 4 });
      // The other list is for the target in the state.
      const lists = outcome.requests.filter(({ path }) => path === "/projects");
      expect(lists).toHaveLength(2);
      expect(outcome.stderr).toContain(`expects project ${name}`);
    }
  });

  it("refuses another project before anything is written", async () => {
    const { amp } = await guarded();
    const argv = [...CREATE, "-p", "globex-staging"];
    for (const [args, env] of [
      [[...argv, ...expecting("acme")], {}],
      [argv, { AMP_EXPECT_PROJECT: "acme" }],
      [[...CREATE, ...expecting("nosuch")], {}],
    ] as const) {
      const outcome = await amp(args, { env });
      expect(resultOf(outcome)).toEqual({ code: 5, writes: 0 });
      expect(outcome.stderr).toContain("but this command writes to project");
    }
  });

  it("looks at the path of amp api, whatever --project says", async () => {
    const { amp } = await guarded();
    const to = (path: string) => ["api", "POST", path, "--field", "name=lifecycle"];
    for (const path of ["/projects/globex-staging/topics", "/else", "/projects/%61cme%2F/topics"]) {
      const outcome = await amp([...to(path), ...expecting("acme")]);
      expect(resultOf(outcome), path).toEqual({ code: 5, writes: 0 });
    }
    expect(resultOf(await amp([...to("/projects/acme/topics"), ...expecting("acme")]))).toEqual({
      code: 0,
      writes: 1,
    });
  });

  it("guards what belongs to the organisation of a project", async () => {
    const { amp, sandbox } = await guarded();
    const invite = sandbox.world.invites.find(({ status }) => status === "pending")?.id ?? "";
    const argv = ["invites", "revoke", invite, "--yes", "--org", "org_5a17e0c4"];
    expect(resultOf(await amp([...argv, ...expecting("nosuch")]))).toEqual({ code: 5, writes: 0 });
    expect(resultOf(await amp([...argv, ...expecting("acme")]))).toEqual({ code: 0, writes: 1 });
  });

  it("refuses where the service cannot list projects, and says why", async () => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const outcome = await run([...CREATE, ...expecting("acme")], { cwd, sandbox });
    expect(resultOf(outcome)).toEqual({ code: 5, writes: 0 });
    expect(outcome.stderr).toContain("Cannot verify the project that --expect-project expects");
    expect(outcome.stderr).toContain("This service does not list projects");
  });
});
