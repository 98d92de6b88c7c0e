import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { scriptedPrompter } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const seeded = (options: Parameters<typeof sandboxAt>[1] = {}) =>
  sandboxAt(undefined, { state: SEED_WORLD, ...options });

function remove(words: string, more: readonly string[] = [], world: RunInput = {}) {
  const [noun = "", ...wanted] = words.split(" ");
  return run(["notify", noun, "delete", ...wanted, ...more], { sandbox: seeded(), ...world });
}

const deletes = ({ requests }: Outcome) =>
  requests.filter(({ method }) => method === "DELETE").map(({ path }) => path.split("/").at(-1));

const ROUTING = `version: 1
name: routing
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;

/** A routing that was applied, so that a state holds it. */
async function applied(): Promise<{ cwd: string; sandbox: Sandbox }> {
  const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
  writeFileSync(join(world.cwd, "routing.yaml"), ROUTING);
  const { code } = await run(["notify", "apply", "-f", "routing.yaml", "--yes"], world);
  expect(code).toBe(0);
  return world;
}

async function addresses(world: RunInput): Promise<string[]> {
  const { json } = await run(["notify", "state", "pull"], world);
  return Object.keys((json() as { entries: object }).entries).sort();
}

describe("a resource in use", () => {
  it("is refused with the routes and the reads, and nothing is sent", async () => {
    const outcome = await remove("destinations acme-webhook", ["--yes", "--json"]);
    expect(outcome.code).toBe(5);
    expect(deletes(outcome)).toEqual([]);
    const { message, detail, done, remedy, references } = outcome.error();
    expect(message).toBe("The destination acme-webhook is in use");
    expect(detail).toContain("Routes: installs → acme-webhook");
    expect(detail).toContain("36 installations deliver to acme-webhook: crm-sync 19 (Northwind");
    expect({ done, remedy }).toEqual({
      done: "Nothing was deleted.",
      remedy: "Add --accept references to delete it anyway.",
    });
    expect(references).toMatchObject([{ name: "acme-webhook", reads: { installations: 36 } }]);
  });

  it("is refused where this could not be checked, which is said", async () => {
    const state = { ...SEED_WORLD, destinationRoutes: [] };
    const sandbox = seeded({ state });
    const fetch = (request: Request) =>
      /(?:installations|integrations)$/u.test(new URL(request.url).pathname)
        ? Promise.resolve(Response.json({ title: "Down" }, { status: 405 }))
        : sandbox.fetch(request);
    const outcome = await remove("destinations acme-webhook", ["--yes"], { sandbox, fetch });
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).toContain("The destination acme-webhook may be in use");
    expect(outcome.stderr).toContain("Could not check which reads use acme-webhook");
    expect(deletes(outcome)).toEqual([]);
  });

  it("is deleted with --accept references, its routes first", async () => {
    const sandbox = seeded();
    const outcome = await remove(
      "topics installs",
      ["--accept", "references", "--yes", "-o", "tsv"],
      {
        sandbox,
      },
    );
    expect(outcome.code).toBe(0);
    expect(outcome.stdout.split("\n").map((line) => line.split("\t")[1])).toEqual([
      "event-route/installs/installation.created",
      "event-route/installs/installation.deleted",
      "destination-route/installs/acme-webhook",
      "topic/installs",
      undefined,
    ]);
    expect(sandbox.world.topics.some(({ name }) => name === "installs")).toBe(false);
    expect(sandbox.world.eventRoutes).toHaveLength(SEED_WORLD.eventRoutes.length - 2);
  });
});

describe("the question", () => {
  it("lists the resources to delete, with No as the default", async () => {
    const prompter = scriptedPrompter([["Delete topic/installs and 3 routes?", false]]);
    const world = { tty: true, env: { NO_COLOR: "1" }, prompter };
    const outcome = await remove("topics installs", ["--accept", "references"], world);
    expect(outcome.code).toBe(130);
    expect(outcome.stderr).toContain("Delete topic/installs");
    expect(outcome.stderr).toContain("Nothing was deleted.");
    expect(deletes(outcome)).toEqual([]);
    prompter.verify();
  });

  it("needs --yes where nobody can be asked", async () => {
    const outcome = await remove("routes --topic installs --event installation.created");
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("Add --yes.");
    expect(deletes(outcome)).toEqual([]);
  });

  it("takes no part of a name, and suggests no delete of a guess", async () => {
    const outcome = await remove("topics install", ["--yes", "--accept", "references"]);
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('Did you mean "installs"?');
    expect(outcome.stderr).not.toContain("topics delete");
    expect(deletes(outcome)).toEqual([]);
    const byPrefix = await remove("topics top_f9c", ["--yes", "--accept", "references"]);
    expect(byPrefix.code).toBe(3);
  });
});

describe("the state", () => {
  it("no longer has what was deleted, and apply creates it again", async () => {
    const world = await applied();
    const options = ["--accept", "references"];
    const dry = await remove("destinations ops", [...options, "--dry-run"], world);
    expect(dry.stderr).toMatch(/Declared by +routing: the next apply creates it again/u);
    expect(deletes(dry)).toEqual([]);
    const outcome = await remove("destinations ops", [...options, "--yes"], world);
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toMatch(/Declared by +routing: the next apply creates it again/u);
    expect(await addresses(world)).toEqual([
      "event-route/lifecycle/installation.created",
      "topic/lifecycle",
    ]);
    const again = await run(["notify", "apply", "-f", "routing.yaml", "--yes"], world);
    expect(again.code).toBe(0);
    expect(await addresses(world)).toHaveLength(4);
  });

  it("has no entry, but a mark, of what it did not hold", async () => {
    const world = { cwd: temporaryFolder(), sandbox: seeded() };
    const words = "routes --topic installs --event installation.created";
    expect((await remove(words, ["--yes"], world)).code).toBe(0);
    const { json } = await run(["notify", "state", "pull"], world);
    const { entries, marks } = json() as Record<"entries" | "marks", object>;
    expect(entries).toEqual({});
    expect(Object.values(marks)).toMatchObject([{ was: "deleted" }]);
  });

  it("is left alone by a dry run, which shows each request", async () => {
    const world = await applied();
    const { stdout, code } = await remove(
      "topics lifecycle",
      ["--accept", "references", "--dry-run"],
      {
        ...world,
        tty: { out: true },
      },
    );
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}DELETE /gmu)).toHaveLength(3);
    expect(await addresses(world)).toHaveLength(4);
  });

  it("is the source of routes that the service cannot list", async () => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt(undefined, { specOnly: true });
    writeFileSync(join(cwd, "routing.yaml"), ROUTING);
    await run(["notify", "apply", "-f", "routing.yaml", "--yes"], { cwd, sandbox });
    const refused = await remove("topics lifecycle", ["--yes"], { cwd, sandbox });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("Routes: installation.created → lifecycle");
    expect(refused.stderr).toContain("Could not check which routes use the topic");
    const all = await remove("topics lifecycle", ["--yes", "--accept", "references"], {
      cwd,
      sandbox,
    });
    expect(all.code).toBe(3);
    expect(all.stderr).toContain("Nothing was deleted.");
    expect(await addresses({ cwd, sandbox })).toHaveLength(4);
  });
});

describe("an answer that never comes", () => {
  it("is settled by looking", async () => {
    const world = await applied();
    const fetch = async (request: Request) => {
      const answer = await world.sandbox.fetch(request);
      if (request.method !== "DELETE") return answer;
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    };
    const words = "routes --topic lifecycle --event installation.created";
    // A list that is behind would not show either what was made just before.
    const soon = ["--yes", "--json", "AMP_COMMIT_HORIZON=500ms"];
    const outcome = await remove(words, soon, { ...world, fetch });
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toMatchObject([{ outcome: "deleted" }]);
    expect(await addresses(world)).not.toContain("event-route/lifecycle/installation.created");
  });

  it("is said of a service that refuses: exit 5, nothing deleted", async () => {
    const world = await applied();
    const fetch = async (request: Request) =>
      request.method === "DELETE"
        ? Response.json(
            { title: "In use", detail: "A workflow uses it." },
            { status: 409, headers: { "content-type": "application/problem+json" } },
          )
        : world.sandbox.fetch(request);
    const words = "routes --topic lifecycle --event installation.created";
    const outcome = await remove(words, ["--yes", "--json"], { ...world, fetch });
    expect(outcome.code).toBe(5);
    expect(outcome.error()).toMatchObject({
      detail: "A workflow uses it.",
      done: "Nothing was deleted.",
    });
    expect(await addresses(world)).toHaveLength(4);
  });
});

describe("with --quiet", () => {
  it("says nothing but the result of what nothing depends on", async () => {
    const world = await applied();
    await run(["notify", "topics", "create", "spare"], world);
    const quiet = await remove("topics spare", ["--yes", "--quiet"], world);
    expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
  });

  it("says what a delete breaks, and asks no question without what it is about", async () => {
    const world = await applied();
    const prompter = scriptedPrompter([["Delete topic/lifecycle and 2 routes?", false]]);
    const asked = ["--quiet", "--accept", "references"];
    const no = await remove("topics lifecycle", asked, {
      ...world,
      prompter,
      tty: true,
      env: { NO_COLOR: "1" },
    });
    expect(no.stderr).toContain("Routes: installation.created → lifecycle");
    const yes = await remove("topics lifecycle", [...asked, "--yes"], world);
    expect(yes.stderr).toContain("Routes: installation.created → lifecycle");
  });
});
