import { describe, expect, it } from "vitest";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";

const ID = "ins_08139571";
const CRM = SANDBOX_DEFAULTS.integration;
const SINGLE = `/projects/acme/integrations/${CRM}/installations/${ID}`;
const EVENT = JSON.stringify({
  notificationType: "read.schedule.paused",
  data: { projectId: "prj_acme0a1b", integrationId: CRM, installationId: ID },
});

const get = (argv: readonly string[], world: RunInput = {}) =>
  run(["installations", "get", ...argv, "--json"], { sandbox: sandboxAt(), ...world });

const paths = ({ requests }: { requests: readonly { path: string }[] }) =>
  requests.map(({ path }) => path);

describe("an installation that is named with its integration", () => {
  it.each([
    ["an ID beside the ID of the integration", [ID, "--integration", CRM], ""],
    ["an event", ["-"], EVENT],
  ])("is asked for alone: %s", async (_, argv, stdin) => {
    const alone = await get(argv, { stdin });
    expect(alone.code).toBe(0);
    expect(paths(alone)).toEqual([SINGLE]);
    const listed = await get([ID]);
    expect(paths(listed)).not.toContain(SINGLE);
    expect(alone.json()).toEqual(listed.json());
  });

  it.each([404, 405, 501])("is found in the list of a service that answers %d", async (status) => {
    const sandbox = sandboxAt();
    const fetch: RunInput["fetch"] = async (request) =>
      request.url.endsWith(ID) ? Response.json({ status }, { status }) : sandbox.fetch(request);
    const listed = await get([ID, "--integration", CRM], { fetch });
    expect(listed.json()).toMatchObject({ id: ID });
    expect(paths(listed)).toEqual([SINGLE, SINGLE.replace(`/${ID}`, "")]);
  });

  it("is looked for by a name, or by the beginning of its ID, in the list", async () => {
    const byName = await get(["Cyberdyne", "--integration", CRM]);
    expect(paths(byName)).toEqual([SINGLE.replace(`/${ID}`, "")]);
    expect((await get(["ins_08139", "--integration", CRM])).json()).toMatchObject({ id: ID });
    expect((await get([ID, "--integration", "crm-sync"])).json()).toMatchObject({ id: ID });
  });

  it("is not looked for in a list of thousands by the other commands", async () => {
    const amp = (...argv: string[]) =>
      run(["installations", ...argv, ID, "--integration", CRM], { sandbox: sandboxAt() });
    for (const argv of [
      ["operations", "--limit", "1"],
      ["pause", "--yes"],
    ]) {
      const outcome = await amp(...argv);
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(paths(outcome)[0]).toBe(SINGLE);
      expect(paths(outcome)).not.toContain(SINGLE.replace(`/${ID}`, ""));
    }
  });

  it("is not another one that a service answers there", async () => {
    const sandbox = sandboxAt();
    const other = sandbox.world.installations[1];
    const fetch: RunInput["fetch"] = async (request) =>
      request.url.endsWith(ID) ? Response.json(other) : sandbox.fetch(request);
    expect((await get([ID, "--integration", CRM], { fetch })).json()).toMatchObject({ id: ID });
  });
});
