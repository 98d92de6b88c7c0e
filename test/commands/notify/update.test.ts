import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { scriptedPrompter } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
name: routing
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp, headers: { X-A: one } } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;

async function applied(file = ROUTING) {
  const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
  writeFileSync(join(world.cwd, "routing.yaml"), file);
  expect((await run(["notify", "apply", "-f", "routing.yaml", "--yes"], world)).code).toBe(0);
  return world;
}

const update = (words: string, world: RunInput): Promise<Outcome> =>
  run(["notify", ...words.split(" ")], world);

const writes = ({ requests }: Outcome) =>
  requests.filter(({ method }) => method !== "GET").map(({ method, body }) => [method, body]);

const URL = "https://hooks.acme.com/v2";

describe("amp notify destinations update", () => {
  it("sends only the named field, and the state follows", async () => {
    const world = await applied();
    const outcome = await update(`destinations update ops --url ${URL} --yes`, world);
    expect(outcome.code).toBe(0);
    expect(writes(outcome)).toEqual([
      ["PATCH", { updateMask: ["metadata.url"], destination: { metadata: { url: URL } } }],
    ]);
    const [ops] = world.sandbox.world.destinations.filter(({ name }) => name === "ops");
    expect(ops?.metadata).toEqual({ url: URL, headers: { "X-A": "one" } });
    writeFileSync(join(world.cwd, "routing.yaml"), ROUTING.replace("/amp,", "/v2,"));
    const plan = await run(["notify", "plan", "-f", "routing.yaml", "--json"], world);
    expect(plan.json()).toMatchObject({ pending: false, counts: { in_place: 4 } });
  });

  it("shows old and new, and asks", async () => {
    const world = await applied();
    const prompter = scriptedPrompter([["Apply these changes?", false]]);
    const given = { ...world, tty: true, env: { NO_COLOR: "1" }, prompter };
    const outcome = await update(`destinations update ops --url ${URL}`, given);
    expect(outcome.code).toBe(130);
    expect(outcome.stderr).toContain("https://hooks.acme.com/amp");
    expect(outcome.stderr).toContain(URL);
    expect(writes(outcome)).toEqual([]);
    const piped = await update(`destinations update ops --url ${URL}`, world);
    expect(piped).toMatchObject({ code: 2, stdout: "" });
    const dry = await update(`destinations update ops --url ${URL} --dry-run`, world);
    expect(dry.code).toBe(0);
    // Data for a program, as the plan of an apply.
    expect(dry.stdout).toMatch(/^destination\/ops\tupdate\tdst_\w+\tmetadata\.url\n$/u);
    expect([...writes(piped), ...writes(dry)]).toEqual([]);
  });

  it("renames, and says that the file that declares it puts the name back", async () => {
    const world = await applied();
    const dry = await update("destinations update ops --name alerts --dry-run", world);
    expect(dry.stderr).toContain("The next apply of routing puts it back.");
    const json = await update("destinations update ops --name alerts --dry-run --json", world);
    expect(json.json()).toMatchObject({ warnings: ["The next apply of routing puts it back."] });
    const outcome = await update("destinations update ops --name alerts --yes", world);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain("The next apply of routing puts it back.");
    expect(writes(outcome)).toEqual([
      ["PATCH", { updateMask: ["name"], destination: { name: "alerts" } }],
    ]);
    const pulled = await run(["notify", "state", "pull"], world);
    const { entries } = pulled.json() as { entries: object };
    expect(entries).toMatchObject({
      "destination/ops": { owner: "file:routing", key: ["alerts"] },
    });
    const again = await update("apply -f routing.yaml --yes", world);
    expect([again.code, writes(again)]).toEqual([
      0,
      [["PATCH", { updateMask: ["name"], destination: { name: "ops" } }]],
    ]);
  });

  it("refuses a new name while reads name the old one", async () => {
    const world = await applied(ROUTING.replaceAll("ops", "acme-webhook"));
    const words = "destinations update acme-webhook --name alerts --yes";
    const outcome = await update(words, world);
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).toContain("36 installations deliver to acme-webhook");
    expect(writes(outcome)).toEqual([]);
    const planned = await update(`${words} --dry-run`, world);
    expect(planned.code).toBe(5);
    expect(planned.stdout).toMatch(/^destination\/alerts\tconflict\tdst_\w+\tin_reads\n$/u);
    expect(writes(planned)).toEqual([]);
    const moved = await update(`destinations update acme-webhook --url ${URL} --dry-run`, world);
    expect(moved.code).toBe(0);
    expect(moved.stdout).not.toContain("the file");
    expect((await update(`${words} --accept references`, world)).code).toBe(0);
  });

  it("changes what no state has, says no word of one, and needs a change", async () => {
    const world = await applied();
    const bare = { ...world, cwd: temporaryFolder() };
    const outcome = await update(`destinations update ops --url ${URL} --yes`, bare);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).not.toContain("state");
    expect(writes(outcome).map(([method]) => method)).toEqual(["PATCH"]);
    expect(await update("destinations update ops --yes", world)).toMatchObject({ code: 2 });
  });
});

describe("amp notify topics update", () => {
  it("renames a topic", async () => {
    const world = await applied();
    const outcome = await update("topics update lifecycle --name customers --yes --json", world);
    expect(outcome.code).toBe(0);
    expect(writes(outcome)).toEqual([["PATCH", { name: "customers" }]]);
    expect(world.sandbox.world.topics.some(({ name }) => name === "customers")).toBe(true);
  });

  it("refuses a name that is taken, and speaks of no file", async () => {
    const world = await applied();
    await update("topics create billing", world);
    const refused = await update("topics update lifecycle --name billing --yes", world);
    expect([refused.code, writes(refused)]).toEqual([5, []]);
    expect(refused.stderr).toMatch(/The name billing is taken: top_\w+ has it\n/u);
    expect(refused.stderr).not.toMatch(/renamed-from|the file/u);
  });

  it("exits 3 for an unknown one, and takes no part of a name", async () => {
    const outcome = await update("topics update life --name x --yes", await applied());
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("a resource that was renamed by hand", () => {
  async function renamed(kind: "destination" | "topic", name: string) {
    const world = await applied();
    const listed = world.sandbox.world[`${kind}s`];
    const one = listed.findLast((each) => each.name === name);
    if (one === undefined) throw new Error(`no ${name}`);
    one.name = `${name}-x`;
    return { ...world, id: one.id };
  }
  // The name is newer than what amp did.
  const LATER = "AMP_COMMIT_HORIZON=1ms";
  const plan = (world: RunInput) =>
    update(`plan -f routing.yaml --exit-code --json ${LATER}`, world);

  it.each([
    ["destination", "ops"],
    ["topic", "lifecycle"],
  ] as const)("gets its name back by the next apply, or by update: a %s", async (kind, name) => {
    const world = await renamed(kind, name);
    const drift = await plan(world);
    expect(drift.code).toBe(8);
    expect(drift.json()).toMatchObject({ counts: { update: 1, in_place: 3 } });
    const back = await update(`${kind}s update ${world.id} --name ${name} --yes`, world);
    expect(back.code).toBe(0);
    expect(writes(back).map(([method]) => method)).toEqual(["PATCH"]);
    const named = world.sandbox.world[`${kind}s`].find(({ id }) => id === world.id);
    expect(named?.name).toBe(name);
    const after = await plan(world);
    expect([after.code, after.json()]).toMatchObject([0, { pending: false, unmanaged: [] }]);
  });

  it("is found by its name at the service, too, and sends the name alone", async () => {
    const world = await renamed("destination", "ops");
    const back = await update("destinations update ops-x --name ops --yes", world);
    expect(back.code).toBe(0);
    expect(writes(back)).toEqual([
      ["PATCH", { updateMask: ["name"], destination: { name: "ops" } }],
    ]);
  });

  it("does not get its name back while another one has it", async () => {
    const world = await renamed("topic", "lifecycle");
    await update("topics create lifecycle", { ...world, cwd: temporaryFolder() });
    const refused = await update(`topics update ${world.id} --name lifecycle --yes`, world);
    expect([refused.code, writes(refused)]).toEqual([5, []]);
    expect(refused.stderr).toContain("The name lifecycle is taken: top_");
  });

  it("keeps its new name where the file has it, with renamed-from", async () => {
    const world = await renamed("destination", "ops");
    const file = ROUTING.replace("ops: {", "ops-x: { renamed-from: ops,").replace(
      "[ops]",
      "[ops-x]",
    );
    writeFileSync(join(world.cwd, "routing.yaml"), file);
    const kept = await update(`apply -f routing.yaml --yes ${LATER}`, world);
    expect([kept.code, writes(kept)]).toEqual([0, []]);
    expect((await plan(world)).code).toBe(0);
  });
});
