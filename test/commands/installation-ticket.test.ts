import { describe, expect, it } from "vitest";
import { LEAST_INSTALLATIONS } from "../../src/sandbox/defaults.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { TERMINAL } from "./installations-at.ts";

const state = largeWorld(LEAST_INSTALLATIONS);
const get = (wanted: string, world: RunInput = {}, ...more: string[]) =>
  run(["installations", "get", wanted, ...more], {
    sandbox: sandboxAt(undefined, { state }),
    ...world,
  });
/** The screen as one line for each of its lines, without the spaces around. */
const squeezed = (text: string) => text.replaceAll(/[^\S\n]{2,}/gu, "  ");

describe("the page of an installation", () => {
  it.each([60, 80, 140])("shows all of it in %d columns", async (columns) => {
    const { stdout } = await get("Virtucon", { ...TERMINAL, columns });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installation-virtucon-${columns}.txt`);
  });

  it.each([60, 80, 140])("has wide characters in %d columns", async (columns) => {
    const { stdout } = await get("株式会社サンプル商事", { ...TERMINAL, columns });
    expect(stdout).toContain("株式会社サンプル商事");
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  it("shows what is paused as paused, and no next run of it", async () => {
    const { stdout } = await get("Weyland-Yutani", TERMINAL);
    expect(squeezed(stdout)).toContain("  contacts  paused\n  every 15 minutes (*/15 * * * *)");
    expect(stdout).not.toContain("next run");
    expect(stdout).toContain("Paused in the configuration");
  });

  it("marks a destination that does not exist, where the service lists them", async () => {
    const lost = "to acme-legacy: no destination has this name";
    expect((await get("Sirius Cybernetics", TERMINAL)).stdout).toContain(lost);
    expect((await get("Sirius Cybernetics", {})).stdout).toContain(lost);
    expect((await get("Virtucon", TERMINAL)).stdout).toContain("to acme-webhook\n");
    const sandbox = sandboxAt(undefined, { state });
    const fetch: RunInput["fetch"] = async (request) =>
      request.url.endsWith("/destinations")
        ? new Response(null, { status: 405 })
        : sandbox.fetch(request);
    const unlisted = await get("Sirius Cybernetics", { ...TERMINAL, fetch });
    expect(unlisted.stdout).toContain("(*/15 * * * *) · to acme-legacy\n");
  });

  it("says of a schedule that it never comes", async () => {
    const { stdout } = await get("Nakatomi", TERMINAL);
    expect(stdout).toContain("its schedule never occurs");
  });

  it("says first, in a pipe too, why nothing is read of what is reported as healthy", async () => {
    const nakatomi = /Diagnosis\s+The schedule of \w+ never occurs/u;
    for (const world of [{}, { ...TERMINAL, columns: 140 }]) {
      expect((await get("Nakatomi", world)).stdout).toMatch(nakatomi);
      expect((await get("Monsters", world)).stdout).toMatch(
        /Diagnosis\s+The configuration reads nothing/u,
      );
    }
  });

  it("names the integration in a ticket, as on a terminal", async () => {
    const named = /hubspot · crm-sync · `?ins/u;
    expect((await get("Nakatomi", {}, "-o", "markdown")).stdout).toMatch(named);
    expect((await get("Nakatomi", { ...TERMINAL, columns: 140 })).stdout).toMatch(named);
  });

  it("names a first read that stands still, and one that goes on", async () => {
    const diagnosis = async (name: string) =>
      /Diagnosis +(.*(?:\n {5,}.*)*)/u
        .exec((await get(name, { ...TERMINAL, columns: 140 })).stdout)?.[1]
        ?.replaceAll(/\s+/gu, " ");
    const stuck = await diagnosis("Pied Piper");
    expect(stuck).toMatch(
      /is reading all records of \w+ for the first time, .*no progress for 1 day 22 h/u,
    );
    expect(stuck).not.toContain("recovering");
    expect(await diagnosis("Massive Dynamic")).toMatch(
      /^Is reading all records of \w+ for the first time, started .* ago, \d+%, .* left/u,
    );
  });

  it("shows the next run in the local zone, too", async () => {
    const env = { ...TERMINAL.env, TZ: "America/New_York" };
    const { stdout } = await get("Virtucon", { ...TERMINAL, env });
    expect(stdout).toContain("next run 2026-09-02 04:45 GMT-4 (08:45 UTC)");
  });

  it("shows states that amp does not know as they are", async () => {
    const sandbox = sandboxAt(undefined, { state });
    const fetch: RunInput["fetch"] = async (request) => {
      const response = await sandbox.fetch(request);
      if (!request.url.endsWith("/installations")) return response;
      const text = (await response.text()).replaceAll('"healthy"', '"half_well"');
      return new Response(text, { headers: { "content-type": "application/json" } });
    };
    const { stdout } = await get("Virtucon", { ...TERMINAL, fetch });
    expect(squeezed(stdout)).toContain("Health  half_well\n");
    expect(stdout).not.toContain("Diagnosis");
  });

  it("asks for nothing more where a program reads it", async () => {
    expect((await get("Virtucon", {}, "--json")).requests).toHaveLength(1);
  });
});

describe("the block for a ticket", () => {
  const markdown = (wanted: string, world: RunInput = {}) => get(wanted, world, "-o", "markdown");

  it("has schedules and destinations as the page, and no name of a user", async () => {
    const { stdout } = await markdown("Sirius Cybernetics");
    expect(stdout).toContain("### Sirius Cybernetics\n");
    expect(stdout).toContain("no destination has this name");
    expect(stdout).toContain("every 15 minutes");
    expect(stdout).not.toContain("Admin of");
    expect((await get("Sirius Cybernetics", TERMINAL)).stdout).toContain("Admin of");
  });

  it("has the ID in place of a group that is one person", async () => {
    const { stdout } = await markdown("ins_26e37a36");
    expect(stdout).toContain("### `ins_26e37a36`");
    expect(stdout).not.toContain("Sam Solo");
  });

  it("has no address and no secret that a value quotes", async () => {
    const sandbox = sandboxAt(undefined, { state });
    const fetch: RunInput["fetch"] = async (request) => {
      const response = await sandbox.fetch(request);
      if (!request.url.endsWith("/installations")) return response;
      const found = (await response.json()) as {
        config: { content: object };
        connection: object;
      }[];
      const changed = found.map((one) => ({
        ...one,
        config: {
          ...one.config,
          content: { ...one.config.content, later: "mail ada@acme.example, api_key=0123456789" },
        },
      }));
      return Response.json(changed);
    };
    const { stdout } = await markdown("Virtucon", { fetch });
    expect(stdout).not.toContain("ada@acme.example");
    expect(stdout).not.toContain("0123456789");
    expect(stdout).toContain("[name removed]");
    const shown = await get("Virtucon", { ...TERMINAL, fetch });
    expect(shown.stdout).toContain("ada@acme.example");
  });
});
