import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { scriptedPrompter } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
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
    expect(plan.json()).toMatchObject({ pending: false });
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
    expect(dry.stdout).toMatch(/^destination\/ops\tupdate\tdst_\w+\tmetadata\.url, routing\n$/u);
    expect([...writes(piped), ...writes(dry)]).toEqual([]);
  });

  it("renames, and moves the address in the state", async () => {
    const world = await applied();
    const outcome = await update("destinations update ops --name alerts --yes", world);
    expect(outcome.code).toBe(0);
    expect(writes(outcome)).toEqual([
      ["PATCH", { updateMask: ["name"], destination: { name: "alerts" } }],
    ]);
    const { json } = await run(["notify", "state", "pull"], world);
    const { records } = json() as { records: object };
    expect(Object.keys(records).sort()).toEqual([
      "destination-route/lifecycle/alerts",
      "destination/alerts",
      "event-route/lifecycle/installation.created",
      "topic/lifecycle",
    ]);
  });

  it("refuses a new name while reads name the old one", async () => {
    const world = await applied(ROUTING.replaceAll("ops", "acme-webhook"));
    const words = "destinations update acme-webhook --name alerts --yes";
    const outcome = await update(words, world);
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).toContain("36 installations deliver to acme-webhook");
    expect(writes(outcome)).toEqual([]);
    expect(await update(`${words} --dry-run`, world)).toMatchObject({ code: 5, stdout: "" });
    const moved = await update(`destinations update acme-webhook --url ${URL} --dry-run`, world);
    expect(moved.code).toBe(0);
    expect(moved.stdout).not.toContain("the file");
    expect((await update(`${words} --break-references`, world)).code).toBe(0);
  });

  it("changes nothing that the state does not hold, and needs a change", async () => {
    const world = await applied();
    const bare = { ...world, cwd: temporaryFolder() };
    const outcome = await update(`destinations update ops --url ${URL} --yes`, bare);
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).toMatch(/amp notify import destination\/ops dst_/u);
    expect(writes(outcome)).toEqual([]);
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
    await update("topics create --name billing", world);
    const refused = await update("topics update lifecycle --name billing --yes", world);
    expect([refused.code, writes(refused)]).toEqual([5, []]);
    expect(refused.stderr).toMatch(
      /topic\/billing: the name is taken: lifecycle is top_\w+, billing is top_\w+\n/u,
    );
    expect(refused.stderr).not.toMatch(/renamed-from|the file/u);
  });

  it("exits 3 for an unknown one, and takes no part of a name", async () => {
    const outcome = await update("topics update life --name x --yes", await applied());
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
  });
});
