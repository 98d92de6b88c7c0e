import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";

const seeded = (options: Parameters<typeof sandboxAt>[1] = {}) =>
  sandboxAt(undefined, { state: SEED_WORLD, ...options });
const TERMINAL: RunInput = { tty: { out: true }, env: { NO_COLOR: "1" } };

function get(words: string, more: readonly string[] = [], world: RunInput = {}): Promise<Outcome> {
  const [noun = "", wanted = ""] = words.split(" ");
  return run(["notify", noun, "get", wanted, ...more], { sandbox: seeded(), ...world });
}

/** A sandbox of which some paths answer 404, as if it lacked them. */
function without(sandbox: Sandbox, path: RegExp): RunInput {
  const fetch = (request: Request) =>
    path.test(new URL(request.url).pathname)
      ? Promise.resolve(Response.json({ title: "Not found" }, { status: 405 }))
      : sandbox.fetch(request);
  return { sandbox, fetch };
}

describe("amp notify destinations get", () => {
  it("shows the topics that lead to it, and the reads that name it", async () => {
    const { code, stdout } = await get("destinations acme-webhook", [], TERMINAL);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^acme-webhook +dst_45ba7978\n/u);
    expect(stdout).toContain("\nTopics\n  installs       installation.created\n");
    expect(stdout).toMatch(/\nRecords from\n {2}crm-sync {7}19 installations\n/u);
    expect(stdout).toContain("Northwind Traders · contacts, companies, deals · ins_80c1cca5");
    expect(stdout).toContain("and 16 more");
  });

  it("has them in JSON beside the fields of the service", async () => {
    const { json } = await get("destinations dst_45ba7978", ["--json"]);
    expect(json()).toMatchObject({
      metadata: { url: "https://hooks.acme.example/amp" },
      topics: [
        { name: "installs", routeId: expect.any(String), events: expect.any(Array) },
        { name: "sync-problems" },
      ],
      reads: { checked: true, searched: 40, installations: 36, objects: 72 },
    });
  });

  it("shows every field of the metadata, without its credentials", async () => {
    const project = ["--project", "globex-staging"];
    const { stdout } = await get("destinations staging-webhook", project, TERMINAL);
    expect(stdout).toMatch(/headers\.X-Environment +\[redacted\]/u);
    expect(stdout).not.toContain("│");
    expect(stdout).toContain("No read delivers to it (0 installations searched).");
    const json = await get("destinations staging-webhook", [...project, "--json"]);
    expect(json.stdout).not.toMatch(/"staging"/u);
  });

  it("says what it could not check, and succeeds", async () => {
    const world = without(seeded(), /installations$|integrations$/u);
    const page = await get("destinations acme-webhook", [], { ...TERMINAL, ...world });
    expect(page.code).toBe(0);
    expect(page.stdout).toMatch(/Records from\n {2}Could not check +This service does not list/u);
    const { json } = await get("destinations acme-webhook", ["--json"], world);
    expect(json()).toMatchObject({ reads: { checked: false, why: expect.any(String) } });
    const routeless = without(seeded(), /topic-destination-routes$/u);
    const other = await get("destinations acme-webhook", [], { ...TERMINAL, ...routeless });
    expect(other.stdout).toContain("The service does not list destination routes.");
  });

  it("exits 3 where the service has no list, and where there is no such name", async () => {
    const spec = await get("destinations ops", [], { sandbox: seeded({ specOnly: true }) });
    expect(spec).toMatchObject({ code: 3, stdout: "" });
    expect(spec.stderr).toContain("This service does not list destinations");
    const unknown = await get("destinations acme-webhok");
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('Did you mean "acme-webhook"?');
    expect(unknown.stderr).toContain("amp notify destinations get acme-webhook");
  });

  it("lists those of one name with what tells them apart, exit 5", async () => {
    const duplicates = ["a", "b"].map((letter) => ({
      ...{ id: `dst_${letter}`, projectId: "prj_acme0a1b", name: "ops", type: "webhook" },
      ...{ metadata: { url: `https://${letter}.example/in` }, createTime: "2026-01-01T00:00:00Z" },
    }));
    const state = { ...SEED_WORLD, destinations: duplicates };
    const sandbox = seeded({ state, uniqueNames: false });
    const { code, error } = await get("destinations ops", ["--json"], { sandbox });
    expect(code).toBe(5);
    expect(error().candidates).toEqual([
      expect.objectContaining({ id: "dst_a", "delivers to": "https://a.example/in" }),
      expect.objectContaining({ id: "dst_b", "delivers to": "https://b.example/in" }),
    ]);
  });
});

describe("amp notify topics get", () => {
  it("shows its events and destinations", async () => {
    const { stdout } = await get("topics installs", [], TERMINAL);
    expect(stdout).toMatch(/Events +installation\.created\n +installation\.deleted\n/u);
    expect(stdout).toMatch(/Destinations +acme-webhook · webhook\n/u);
    expect((await get("topics installs", ["--json"])).json()).toMatchObject({
      events: ["installation.created", "installation.deleted"],
      destinations: [{ id: "dst_45ba7978", name: "acme-webhook", type: "webhook" }],
    });
  });

  it("says that it connects nothing, or that this is not known", async () => {
    const state = { ...SEED_WORLD, eventRoutes: [], destinationRoutes: [] };
    const bare = await get("topics installs", [], { ...TERMINAL, sandbox: seeded({ state }) });
    expect(bare.stdout).toMatch(/Events +no events\nDestinations +no destinations\n/u);
    const world = without(seeded(), /routes$/u);
    const unknown = await get("topics installs", [], { ...TERMINAL, ...world });
    expect(unknown.stdout).toMatch(/Events +the service does not list these routes\n/u);
    const { json } = await get("topics installs", ["--json"], world);
    expect(Object.keys(json() as object)).not.toContain("events");
  });
});
