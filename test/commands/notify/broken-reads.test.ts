import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { type RunInput, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const WEBHOOK = "{ type: webhook, metadata: { url: https://hooks.acme.com/amp } }";
/** The reads of the sandbox name this destination. */
const BEFORE = `version: 1\nname: hooks\ndestinations:\n  acme-webhook: ${WEBHOOK}\ntopics: { own: {} }\n`;
const WITHOUT = "version: 1\nname: hooks\ndestinations: {}\ntopics: { own: {} }\n";
const RENAMED = BEFORE.replace("acme-webhook: {", "ops: { renamed-from: acme-webhook,");
const USED = "36 installations deliver to acme-webhook";

async function world(after: string) {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  const file = join(cwd, "routing.yaml");
  writeFileSync(file, BEFORE);
  const { code } = await notify(["apply", "--yes"], { cwd, sandbox });
  expect(code).toBe(0);
  writeFileSync(file, after);
  return { cwd, sandbox };
}

const notify = (words: readonly string[], input: RunInput) =>
  run(["notify", ...words, "-f", "routing.yaml"], input);

describe.each([
  ["a prune", WITHOUT, "DELETE"],
  ["a rename", RENAMED, "PATCH"],
])("%s of a destination that reads name", (_, after, method) => {
  it.each([["plan"], ["apply", "--yes"], ["apply", "--dry-run"]])(
    "is refused with the reads: %s",
    async (...words) => {
      const outcome = await notify([...words, "--prune", "--json"], await world(after));
      expect(outcome.code).toBe(5);
      // Where nothing was sent, there is no receipt.
      if (words.includes("--yes")) expect(outcome.stdout).toBe("");
      expect(outcome.error()).toMatchObject({
        conflicts: [{ reason: "in_reads", uses: [expect.stringContaining(USED)] }],
        remedy: expect.stringContaining("--accept references"),
        done: words[0] === "plan" ? "Nothing was sent." : "Nothing was changed.",
      });
      expect(outcome.requests.every((one) => one.method === "GET")).toBe(true);
    },
  );

  it("is done with --accept references", async () => {
    const given = await world(after);
    const words = ["apply", "--prune", "--yes", "--accept", "references"];
    const { code, requests } = await notify(words, given);
    expect(code).toBe(0);
    expect(requests.map((one) => one.method)).toContain(method);
    const { destinations, projects } = given.sandbox.world;
    const own = destinations.filter(({ projectId }) => projectId === projects[0]?.id);
    expect(own.map(({ name }) => name)).not.toContain("acme-webhook");
  });

  it("is done with a warning where the reads cannot be searched", async () => {
    const given = await world(after);
    const fetch = (request: Request) =>
      /(?:installations|integrations)$/u.test(new URL(request.url).pathname)
        ? Promise.resolve(Response.json({ title: "Down" }, { status: 405 }))
        : given.sandbox.fetch(request);
    const { code, stderr } = await notify(["apply", "--prune", "--yes"], { ...given, fetch });
    expect(code).toBe(0);
    expect(stderr).toContain("Could not check which reads use acme-webhook: This service does not");
  });
});

const ADOPTED = RENAMED.replace("ops: {", "acme-hook: {");

describe("a destination that reads name, and that the state does not have", () => {
  const adopting = async (words: readonly string[], text = ADOPTED) => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt(undefined, { state: SEED_WORLD });
    writeFileSync(join(cwd, "routing.yaml"), text);
    const outcome = await notify([...words, "--accept", "adopt"], { cwd, sandbox });
    return { ...outcome, sandbox };
  };

  it.each([["plan"], ["apply", "--yes"], ["apply", "--dry-run"]])(
    "is not renamed while it is adopted: %s",
    async (...words) => {
      const outcome = await adopting([...words, "--json"]);
      expect(outcome.code).toBe(5);
      // Where nothing was sent, there is no receipt.
      if (words.includes("--yes")) expect(outcome.stdout).toBe("");
      expect(outcome.error()).toMatchObject({
        conflicts: [{ reason: "in_reads", uses: [expect.stringContaining(USED)] }],
        remedy: expect.stringContaining("--accept references"),
      });
      expect(outcome.requests.every((one) => one.method === "GET")).toBe(true);
    },
  );

  it("is renamed with --accept references", async () => {
    const { code, sandbox } = await adopting(["apply", "--yes", "--accept", "references"]);
    expect(code).toBe(0);
    expect(sandbox.world.destinations.map(({ name }) => name)).toContain("acme-hook");
  });

  it("is updated without a question of reads under its own name", async () => {
    const moved = BEFORE.replace("https://hooks.acme.com/amp", "https://hooks.acme.com/moved");
    expect(await adopting(["apply", "--yes"], moved)).toMatchObject({ code: 0 });
  });
});
