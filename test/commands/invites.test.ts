import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { BASE_URL, NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { createFaultySandbox } from "../platform.ts";
import { ENTER, operator, type ScriptedKey, scriptedPrompter } from "../scripted-prompter.ts";

const TERMINAL: RunInput = { tty: true, env: { NO_COLOR: "1" } };
const ORG = "org_5a17e0c4";

const invites = (args: readonly string[], world: RunInput = {}) =>
  run(["invites", ...args], { sandbox: sandboxAt(), ...world });
const idOf = (sandbox: Sandbox, email: string) =>
  sandbox.world.invites.find(({ invitedEmail }) => invitedEmail?.startsWith(email))?.id ?? "";
const statusOf = (sandbox: Sandbox, id: string) =>
  sandbox.world.invites.find((invite) => invite.id === id)?.status;
const someone = (key: ScriptedKey, message: string): RunInput => operator([[message, key]]);
const deletes = (outcome: { requests: readonly { method: string; path: string }[] }) =>
  outcome.requests.filter(({ method }) => method === "DELETE").map(({ path }) => path);

describe("a revocation that is only accepted", () => {
  it.each([true, false])("is looked up in the list, done: %s", async (commit) => {
    const script = { faults: [{ on: "DELETE *", do: "empty", status: 202, commit } as const] };
    const sandbox = createFaultySandbox({ now: () => NOW, script });
    const { id = "" } = sandbox.world.invites.find(({ status }) => status === "pending") ?? {};
    const revoked = await invites(["revoke", id, "--org", ORG, "--yes", "--json"], { sandbox });
    expect(revoked.code).toBe(commit ? 0 : 9);
    if (commit) expect(revoked.json()).toMatchObject([{ id, outcome: "revoked" }]);
    else expect(revoked.error().message).toBe(`It is unknown whether the invite ${id} was revoked`);
  });
});

describe("amp invites list", () => {
  it("is a table at 80 columns", async () => {
    const { stdout, stderr } = await invites(["list"], TERMINAL);
    await expect(stdout + stderr).toMatchFileSnapshot("./golden/invites-list.txt");
  });

  it("is of the organisation that is named", async () => {
    expect((await invites(["list", "--org", "org_c0ffee42", "-o", "csv"])).stdout).toContain(
      "hank@",
    );
  });

  describe("without --org", () => {
    // Without a profile: that of the sandbox has an organisation.
    const env = { AMP_API_KEY: "sandbox-api-key", AMP_BASE_URL: BASE_URL };
    const of = (project: string | undefined, world: RunInput = {}, words = ["list"]) =>
      invites(words, {
        fetch: (request) => sandboxAt().fetch(request),
        ...world,
        sandbox: undefined,
        env: { ...env, ...world.env, AMP_PROJECT: project },
      });

    it("is of the organisation of the project, and says so", async () => {
      const { code, stdout, stderr } = await of("globex-staging");
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: "Organisation org_c0ffee42, of project globex-staging.\n",
      });
      expect(stdout).toContain("hank@");
      expect((await of("prj_acme0a1b")).stderr).toContain(`Organisation ${ORG}, of project acme.`);
    });

    it("is where revoke looks for an address, so that the next command of the list works", async () => {
      const { code, stderr, stdout } = await of("globex-staging", {}, [
        "revoke",
        "hank@globex.example",
        "--yes",
      ]);
      expect(code).toBe(0);
      expect(stderr).toContain("Organisation org_c0ffee42, of project globex-staging.");
      expect(stdout).toContain("revoked");
    });

    it("asks on a terminal, and names those that there are elsewhere", async () => {
      const asked = await of(undefined, {
        ...TERMINAL,
        prompter: scriptedPrompter([["Which organisation?", "org_c0ffee42"]]),
      });
      expect(asked.code).toBe(0);
      expect(asked.stdout).toContain("hank@");
      const { code, stdout, stderr } = await of(undefined);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("Missing option --org");
      expect(stderr).toContain("AMP_ORG");
      expect(stderr).toContain(
        `The organisations are ${ORG} (project acme), org_c0ffee42 (project globex-staging).`,
      );
    });

    it("is of the project of an option, and names one that there is not", async () => {
      const named = await of("acme", {}, ["list", "--project", "globex-staging"]);
      expect(named.stderr).toBe("Organisation org_c0ffee42, of project globex-staging.\n");
      const mistyped = await of("nope");
      expect(mistyped.code).toBe(2);
      expect(mistyped.stderr).toContain("The service lists no project nope.");
      expect((await of(undefined)).stderr).not.toContain("lists no project");
    });

    it("wants it where the service lists no projects", async () => {
      const replies = [{ path: "/projects", status: 404, body: { status: 404 } }];
      const { code, stderr } = await of("acme", { fetch: undefined, replies });
      expect(code).toBe(2);
      expect(stderr).toContain("Missing option --org");
    });
  });

  it("says that nobody is logged in, before it asks for an organisation", async () => {
    const { code, stderr, requests } = await invites(["list"], {
      env: { AMP_BASE_URL: undefined, AMP_API_KEY: undefined },
      sandbox: undefined,
    });
    expect({ code, requests }).toEqual({ code: 4, requests: [] });
    expect(stderr).toContain("Not logged in");
  });

  it("shows an invite of which only the ID is known", async () => {
    const world = { sandbox: undefined, replies: [{ body: [{ id: "inv_1" }] }] };
    expect((await invites(["list", "--org", "o"], world)).stdout).toBe("\t\t\t\tinv_1\n");
  });

  it("says what a 404 may mean", async () => {
    const spec = { sandbox: sandboxAt(NOW, { specOnly: true }) };
    const { code, stderr } = await invites(["list"], spec);
    expect(code).toBe(3);
    expect(stderr).toContain("or the service does not list invites");
  });

  it("says that organisations may want a token where a key is refused", async () => {
    const world = { sandbox: undefined, replies: [{ status: 403, body: { status: 403 } }] };
    const { code, stderr } = await invites(["list", "--org", "o"], world);
    expect(code).toBe(4);
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain("accepts only a bearer token");
  });
});

describe("amp invites revoke", () => {
  it("asks first, with no as the default answer", async () => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, "grace");
    const question = `Revoke the pending invite ${id} to grace@acme.example of ${ORG}?`;
    const declined = await invites(["revoke", id], { ...someone(ENTER, question), sandbox });
    expect(declined).toMatchObject({ code: 130, stdout: "" });
    expect(deletes(declined)).toEqual([]);
    expect(declined.stderr).toContain("✗ Cancelled\n  Nothing was changed.\n");
    expect(statusOf(sandbox, id)).toBe("pending");

    const agreed = await invites(["revoke", id], { ...someone(true, question), sandbox });
    expect(agreed).toMatchObject({ code: 0 });
    expect(agreed.stderr).toContain(`Acting as sandbox · http://127.0.0.1:4747/v1`);
    expect(agreed.stdout).toContain(`revoked  ${id}`);
    expect(statusOf(sandbox, id)).toBe("revoked");
  });

  it("asks once for several, each counted once", async () => {
    const sandbox = sandboxAt();
    const [one, two] = [idOf(sandbox, "grace"), idOf(sandbox, "linus")];
    const question = `Revoke 2 invites of ${ORG}?`;
    const world = { ...someone(true, question), sandbox };
    const outcome = await invites(["revoke", one, two, one], world);
    expect(outcome.code).toBe(0);
    expect(deletes(outcome)).toEqual([one, two].map((id) => `/orgs/${ORG}/invites/${id}`));
  });

  it("wants --yes where nobody can be asked", async () => {
    for (const world of [
      {},
      { ...TERMINAL, env: { CI: "true" } },
      { ...TERMINAL, env: { AMP_NO_INPUT: "1" } },
      { tty: { out: true, err: true } },
    ]) {
      const outcome = await invites(["revoke", "inv_1"], world);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain("Add --yes");
    }
    const world = { ...TERMINAL, sandbox: sandboxAt() };
    expect(await invites(["revoke", "inv_1", "--no-input"], world)).toMatchObject({ code: 2 });
    const id = idOf(sandboxAt(), "grace");
    expect(await invites(["revoke", id, "--yes"])).toMatchObject({
      code: 0,
      stdout: `revoked\t${id}\t\n`,
    });
  });

  it("may be asked on a machine that says that it is no CI", async () => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, "grace");
    const question = `Revoke the pending invite ${id} to grace@acme.example of ${ORG}?`;
    const world = someone(true, question);
    const env = { NO_COLOR: "1", CI: "false", AMP_NO_INPUT: "0" };
    expect(await invites(["revoke", id], { ...world, sandbox, env })).toMatchObject({ code: 0 });
  });

  it("tries every invite and reports each outcome", async () => {
    const sandbox = sandboxAt();
    const ids = ["former", "grace", "ada"].map((email) => idOf(sandbox, email));
    const [gone, pending, accepted] = ids;
    const outcome = await invites(["revoke", ...ids, "--yes", "--json"], { sandbox });
    expect(outcome).toMatchObject({ code: 9, stdout: "" });
    expect(deletes(outcome)).toHaveLength(3);
    expect(outcome.error()).toMatchObject({
      code: "partial",
      message: "2 of 3 invites revoked",
      done: `Revoked: ${pending}. Already revoked: ${gone}.`,
      suggestion: `amp invites revoke ${accepted} --org ${ORG}`,
      outcomes: [
        { id: gone, outcome: "already_revoked" },
        { id: pending, outcome: "revoked" },
        { id: accepted, outcome: "failed", code: "conflict" },
      ],
    });
    const again = await invites(["revoke", ...ids, "--yes"], { sandbox: sandboxAt() });
    expect(again.code).toBe(9);
    const said = again.stderr.replaceAll(/\s+/gu, " ");
    for (const id of ids) expect(said).toContain(id);
    expect(said).toContain("was already accepted");
  });

  it("ends as the first failure where none was revoked", async () => {
    const sandbox = sandboxAt();
    const one = await invites(["revoke", "inv_nope", "--yes"], { sandbox });
    expect(one).toMatchObject({ code: 3, stdout: "" });
    expect(one.stderr).toContain(`Searched the 5 invites of ${ORG}.\n  Nothing was revoked.\n`);
    expect(one.stderr).not.toContain("Nothing was changed.");
    const both = await invites(["revoke", idOf(sandbox, "ada"), "inv_nope", "--yes", "--json"], {
      sandbox,
    });
    expect(both.code).toBe(5);
    expect(both.error()).toMatchObject({
      done: "Nothing was revoked.",
      outcomes: [{ outcome: "failed" }, { outcome: "failed" }],
    });
  });

  it("is a success for one that was revoked before, and says so", async () => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, "former");
    const again = await invites(["revoke", id, "--yes"], { sandbox });
    expect(again).toMatchObject({
      code: 0,
      stdout: `already revoked\t${id}\t\n`,
      stderr: again.stderr,
    });
    // A service that does not list invites cannot say why it does not find one.
    const replies = [
      { method: "DELETE", status: 404, body: { status: 404 } },
      { method: "GET", path: "/orgs/o/invites", status: 404, body: { status: 404 } },
    ];
    const world = { sandbox: undefined, replies };
    expect(await invites(["revoke", "inv_1", "--org", "o", "-y"], world)).toMatchObject({
      code: 3,
    });
  });

  it("takes the email address of a pending invite, in any case", async () => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, "grace");
    const question = `Revoke the pending invite ${id} to grace@acme.example of ${ORG}?`;
    const outcome = await invites(["revoke", "Grace@acme.example"], {
      ...someone(true, question),
      sandbox,
    });
    expect(outcome.code).toBe(0);
    expect(deletes(outcome)).toEqual([`/orgs/${ORG}/invites/${id}`]);
    const dry = await invites(["revoke", "linus@acme.example", "--dry-run", "--json"]);
    expect(deletes(dry)).toEqual([]);
    expect(dry.json()).toEqual([
      { method: "DELETE", path: `/orgs/${ORG}/invites/${idOf(sandbox, "linus")}` },
    ]);
  });

  it.each([
    ["ada", "was already accepted", "remove them from the organisation"],
    ["never.came", "has expired", "there is nothing to do"],
  ])("says of the invite of %s that it %s", async (email, verb, remedy) => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, email);
    const { code, stderr } = await invites(["revoke", id, "--yes"], { sandbox });
    expect(code).toBe(5);
    expect(stderr).toContain(`✗ Invite ${id} ${verb}, and cannot be revoked`);
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain("conflicts with an existing resource");
  });

  it("means the newest invite of an address, in whatever form the service writes times", async () => {
    const { world } = sandboxAt();
    const invite = world.invites.find(({ invitedEmail }) => invitedEmail?.startsWith("ada"));
    if (invite === undefined) throw new Error("no invite of ada");
    const older = { ...invite, createTime: "2026-11-01T08:00:05Z" };
    const newer = { ...invite, id: "inv_newer", createTime: "2026-11-01T08:00:05.5Z" };
    const others = world.invites.filter((one) => one !== invite);
    // A world of its own: that of the sample is that of other sandboxes, too.
    const sandbox = sandboxAt(NOW, { state: { ...world, invites: [older, ...others, newer] } });
    const { stderr } = await invites(["revoke", "ada@acme.example", "--yes"], { sandbox });
    expect(stderr).toContain("Invite inv_newer was already accepted");
  });

  it("suggests no address that is only of the same organisation", async () => {
    const far = await invites(["revoke", "nobdy@acme.example", "--yes"]);
    expect(far.stderr).not.toContain("Did you mean");
    const near = await invites(["revoke", "grade@acme.exmple", "--yes"]);
    expect(near.stderr).toContain('Did you mean "grace@acme.example"?');
  });

  it("leads from an unknown email address to the nearest", async () => {
    const missed = await invites(["revoke", "grase@acme.example", "--yes"]);
    expect(missed).toMatchObject({ code: 3, stdout: "" });
    expect(deletes(missed)).toEqual([]);
    expect(missed.stderr).toContain('Did you mean "grace@acme.example"?');
    expect(missed.stderr).toContain("Nothing was revoked.");
    expect(missed.stderr).not.toContain("Nothing was changed.");
    expect(missed.stderr).toContain(`Try: amp invites revoke grace@acme.example --org ${ORG}\n`);
  });

  it("revokes none of several to one address, and aligns what tells them apart", async () => {
    const one = { id: "inv_1", invitedEmail: "a@b.example", status: "pending", parentType: "org" };
    const two = { ...one, id: "inv_2", parentType: "project", parentId: "prj_1" };
    const body = [one, two, { ...one, id: "inv_3", status: "revoked" }];
    const listing = { sandbox: undefined, replies: [{ method: "GET", body }] };
    const several = await invites(["revoke", "a@b.example", "--org", "o", "-y"], listing);
    expect(several).toMatchObject({ code: 5, stdout: "" });
    expect(several.stderr).toMatch(
      /inv_1 {2}a@b\.example {2}pending {2}org\n {2}inv_2 .* project prj_1\n/u,
    );
    expect(several.stderr).toContain("Nothing was changed.");
  });

  it("takes 200 and 204 for done, and not 202 where no list shows it", async () => {
    for (const [status, body, code] of [
      [200, { id: "inv_1", status: "revoked" }, 0],
      [204, undefined, 0],
      [202, { status: "queued" }, 9],
    ] as const) {
      const list = { path: "/orgs/o/invites", status: 404, body: { status: 404 } };
      const replies = [{ method: "DELETE", status, body }, ...(code === 0 ? [] : [list])];
      const world = { sandbox: undefined, replies };
      expect(await invites(["revoke", "inv_1", "--org", "o", "-y"], world)).toMatchObject({ code });
    }
  });

  it("reports the invites revoked before an interruption", async () => {
    const controller = new AbortController();
    const fetch = async (request: Request) => {
      if (request.url.endsWith("inv_1")) return new Response(null, { status: 204 });
      controller.abort("SIGINT");
      throw new DOMException("aborted", "AbortError");
    };
    const outcome = await invites(["revoke", "inv_1", "inv_2", "inv_3", "--yes", "--json"], {
      fetch,
      signal: controller.signal,
    });
    expect(outcome).toMatchObject({ code: 130, stdout: "" });
    expect(outcome.error()).toMatchObject({
      done: "Revoked: inv_1. It is unknown whether inv_2 was revoked; revoking it again is safe. Not tried: inv_3.",
      outcomes: [
        { id: "inv_1", outcome: "revoked" },
        { id: "inv_3", outcome: "not_tried" },
      ],
    });
  });

  it("sends nothing in a dry run, and asks nothing", async () => {
    const outcome = await invites(["revoke", "inv_1", "inv_2", "--dry-run", "--json"], TERMINAL);
    expect(outcome).toMatchObject({ code: 0, requests: [] });
    expect(outcome.json()).toEqual([
      { method: "DELETE", path: `/orgs/${ORG}/invites/inv_1` },
      { method: "DELETE", path: `/orgs/${ORG}/invites/inv_2` },
    ]);
  });

  it.each([
    ["ada@acme.example", 5, "was already accepted"],
    ["never.came@acme.example", 5, "has expired"],
    ["former.colleague@acme.example", 0, "already revoked"],
    ["nobody@acme.example", 3, 'No invite matches "nobody@acme.example"'],
    ["inv_nope", 3, 'No invite matches "inv_nope"'],
  ])("answers %s at once, and asks nothing", async (wanted, code, text) => {
    const outcome = await invites(["revoke", wanted], operator([]));
    expect(outcome.code).toBe(code);
    expect(outcome.stdout + outcome.stderr).toContain(text);
    expect(deletes(outcome)).toEqual([]);
  });

  it("takes an address as a mail program copies it, and repeats it in the outcome", async () => {
    const sandbox = sandboxAt();
    const id = idOf(sandbox, "grace");
    const { code, stdout } = await invites(["revoke", "Grace <Grace@acme.example>", "--yes"], {
      sandbox,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `revoked\t${id}\tgrace@acme.example\n` });
  });

  it("revokes nothing by a part of an ID or address, and says what has it", async () => {
    const id = idOf(sandboxAt(), "linus");
    for (const part of ["linus", id.slice(0, 8)]) {
      for (const world of [operator([]), {}]) {
        const words = ["revoke", part, ...("tty" in world ? [] : ["--yes"])];
        const { code, stderr } = await invites(words, world);
        expect({ part, code }).toEqual({ part, code: 3 });
        expect(stderr).toContain(`${id}  linus@acme.example  pending`);
        expect(stderr).toContain("This command needs the full name or the ID.");
        expect(stderr).not.toContain("Request ID");
      }
    }
  });

  it("asks with the ID alone where the service does not list invites", async () => {
    const replies = [
      { method: "GET", status: 404, body: { status: 404 } },
      { method: "DELETE", status: 204 },
    ];
    const world = { ...someone(true, "Revoke invite inv_1 of o?"), sandbox: undefined, replies };
    expect(await invites(["revoke", "inv_1", "--org", "o"], world)).toMatchObject({ code: 0 });
  });
});
