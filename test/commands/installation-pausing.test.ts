import { describe, expect, it } from "vitest";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { createFaultySandbox } from "../faulty-sandbox.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { operator } from "../scripted-prompter.ts";
import { TERMINAL } from "./installations-at.ts";

const ID = "ins_08139571";
const PATH = `/projects/acme/integrations/${SANDBOX_DEFAULTS.integration}/installations/${ID}`;
const READS = ["contacts", "companies", "deals"];

const amp = (sandbox: Sandbox, argv: readonly string[], world: RunInput = {}) =>
  run(["installations", ...argv], { sandbox, ...world });

const writesOf = ({ requests }: Outcome) => requests.filter(({ method }) => method !== "GET");

/** Which objects of the installation are paused. */
function pausedOf({ world }: Sandbox): string[] {
  const found = world.installations.find(({ id }) => id === ID);
  const objects = Object.entries(found?.config.content?.read?.objects ?? {});
  return objects.flatMap(([name, one]) => ("disabled" in one && one.disabled ? [name] : []));
}

const outcomes = (word: string, names: readonly string[] = READS) =>
  names.map((object) => ({ object, outcome: word }));

describe("pausing and resuming", () => {
  it("prints its result once where both outputs are one", async () => {
    const { stdout, stderr } = await amp(sandboxAt(), ["pause", ID, "--yes"]);
    expect((stdout + stderr).match(/contacts +paused|contacts\tpaused/gu)).toHaveLength(1);
  });

  it("changes disabled of each object in one request, and nothing else", async () => {
    const sandbox = sandboxAt();
    const paused = await amp(sandbox, ["pause", ID, "--yes", "--note", "ticket 4711", "--json"]);
    expect(paused.json()).toEqual({
      ...{ id: ID, integrationId: SANDBOX_DEFAULTS.integration, group: "Cyberdyne Systems" },
      objects: outcomes("paused"),
      note: "ticket 4711",
    });
    const [write, ...more] = writesOf(paused);
    expect(more).toEqual([]);
    expect(write).toMatchObject({
      ...{ method: "PATCH", path: PATH },
      body: { updateMask: READS.map((name) => `config.content.read.objects.${name}.disabled`) },
    });
    expect(pausedOf(sandbox)).toEqual(READS);
    const resumed = await amp(sandbox, [
      "resume",
      ID,
      "--object",
      "deals,contacts",
      "--yes",
      "--json",
    ]);
    expect(resumed.json()).toMatchObject({ objects: outcomes("resumed", ["deals", "contacts"]) });
    expect(pausedOf(sandbox)).toEqual(["companies"]);
  });

  it("says how to resume what it paused", async () => {
    const sandbox = sandboxAt();
    const shown = async (...words: string[]) =>
      (await amp(sandbox, [...words, "--yes"], { ...TERMINAL, columns: 120 })).stdout;
    expect(await shown("pause", ID, "--object", "deals")).toContain(
      `amp installations resume ${ID} --object deals\n`,
    );
    // What was paused before stays so.
    expect(await shown("pause", ID)).toContain(
      `amp installations resume ${ID} --object contacts,companies\n`,
    );
    expect(await shown("pause", ID)).not.toContain("resume");
    expect(await shown("resume", ID)).not.toContain("amp installations");
    expect(await shown("pause", ID)).toContain(
      `amp installations resume ${ID} --object contacts,companies,deals\n`,
    );
  });

  it.each([[], ["--integration", SANDBOX_DEFAULTS.integration]])(
    "names the integration on a terminal: %j",
    async (...integration) => {
      const question = `Pause reading contacts, companies, deals of Cyberdyne Systems (crm-sync · ${ID})?`;
      const world = operator([[question, true]]);
      const { stdout } = await amp(sandboxAt(), ["pause", ID, ...integration], world);
      expect(stdout).toContain(`crm-sync · ${ID}`);
    },
  );

  it("sends nothing, and asks nothing, where all is so already", async () => {
    const sandbox = sandboxAt();
    const again = await amp(sandbox, ["resume", ID, "--json"]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.json()).toMatchObject({ objects: outcomes("not paused") });
    expect(writesOf(again)).toEqual([]);
    await amp(sandbox, ["pause", ID, "--object", "deals", "--yes"]);
    const rest = await amp(sandbox, ["pause", ID, "--yes"]);
    expect(rest.stdout).toBe("contacts\tpaused\ncompanies\tpaused\ndeals\talready paused\n");
    expect(writesOf(rest)).toHaveLength(1);
  });

  it("asks first, and needs --yes where nobody can be asked", async () => {
    const sandbox = sandboxAt();
    const refused = await amp(sandbox, ["pause", ID]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("Add --yes to confirm.");
    expect(writesOf(refused)).toEqual([]);
    const question =
      "Pause reading contacts, companies, deals of Cyberdyne Systems (crm-sync · ins_08139571)?";
    const no = { ...TERMINAL, ...operator([[question, false]]) };
    const cancelled = await amp(sandbox, ["pause", "Cyberdyne Systems"], no);
    expect(cancelled.code).toBe(130);
    expect(cancelled.stderr).toContain("Nothing was changed.");
    expect(pausedOf(sandbox)).toEqual([]);
    const yes = { ...TERMINAL, ...operator([[question, true]]) };
    expect((await amp(sandbox, ["pause", "Cyberdyne Systems"], yes)).code).toBe(0);
    expect(pausedOf(sandbox)).toEqual(READS);
  });

  it("shows the request of a dry run, and sends nothing", async () => {
    const sandbox = sandboxAt();
    const { code, stdout } = await amp(sandbox, ["pause", ID, "--object", "deals", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`PATCH ${PATH}`);
    expect(stdout).toContain('"updateMask":["config.content.read.objects.deals.disabled"]');
    expect(pausedOf(sandbox)).toEqual([]);
  });

  it.each([
    [["pause", "Cyberdyne"], 3, "No installation has exactly the name or ID"],
    [["pause", "ins_0813"], 3, "No installation has exactly the name or ID"],
    [["pause", "Northwind Traders"], 5, "2 installations match"],
    [["pause", ID, "--object", "dealz"], 2, "Did you mean deals?"],
    [["resume", ID, "--object", "contacts,leads"], 2, "It reads contacts, companies, deals."],
    [["pause", "Vandelay Industries"], 2, "reads nothing"],
  ])("refuses %j", async (argv, code, text) => {
    const sandbox = sandboxAt();
    const refused = await amp(sandbox, [...argv, "--yes"]);
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(text);
    expect(writesOf(refused)).toEqual([]);
  });

  it.each([
    [{ content: { read: "all" } }, "The configuration is not as specified."],
    [{}, "The service does not report the configuration."],
  ])("says of a config %j that it is unknown what is read", async (config, detail) => {
    const sandbox = sandboxAt();
    const fetch: RunInput["fetch"] = async (request) => {
      const answer = await sandbox.fetch(request);
      if (!answer.ok) return answer;
      const records: unknown = await answer.json();
      const isOurs = (one: { readonly id?: string }) => one.id === ID;
      return Response.json(
        Array.isArray(records)
          ? records.map((one) => (isOurs(one) ? { ...one, config } : one))
          : records,
      );
    };
    const { stderr, ...refused } = await amp(sandbox, ["pause", ID, "--yes"], { fetch });
    expect(refused.code).toBe(2);
    expect(stderr).toContain(`It is unknown what installation ${ID} reads`);
    expect(stderr).toContain(detail);
    expect(stderr).not.toMatch(/reads nothing|does not read/u);
  });

  it("lists the installations that a part of a name means, and pauses none", async () => {
    const refused = await amp(sandboxAt(), ["pause", "cyberdyn", "--yes"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('No installation has exactly the name or ID "cyberdyn"');
    expect(refused.stderr).toContain("This command needs the full name or the ID.");
    expect(refused.stderr).toMatch(/ins_08139571 +Cyberdyne Systems +crm-sync/u);
    expect(refused.stderr).toContain(ID);
    expect(writesOf(refused)).toEqual([]);
    const several = await amp(sandboxAt(), ["pause", "northwin", "--yes"]);
    expect(several.code).toBe(3);
    // One of those that match would be a guess.
    expect(several.stderr).not.toMatch(/Did you mean|Try: /u);
  });

  it.each([404, 405, 501])(
    "says of a service that answers %d that it does not do it",
    async (status) => {
      const sandbox = sandboxAt();
      const fetch: RunInput["fetch"] = async (request) =>
        request.method === "PATCH" ? Response.json({ status }, { status }) : sandbox.fetch(request);
      const { code, stderr } = await amp(sandbox, ["pause", ID, "--yes"], { fetch });
      expect(code).toBe(3);
      expect(stderr).toContain("This service does not update installations");
    },
  );
});

describe("a lost answer", () => {
  const lose =
    (sandbox: Sandbox, takesEffect: boolean) =>
    async (request: Request): Promise<Response> => {
      if (request.method === "GET") return sandbox.fetch(request);
      if (takesEffect) await sandbox.fetch(request);
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    };

  it("is settled by looking at the service", async () => {
    const sandbox = sandboxAt();
    const fetch = lose(sandbox, true);
    const lost = await amp(sandbox, ["pause", ID, "--yes"], { fetch });
    expect(lost.code).toBe(0);
    expect(lost.stderr).toContain("The response was lost; the service shows the reads as paused.");
    expect(writesOf(lost)).toHaveLength(1);
  });

  it.each([202, 204, 200])(
    "is done where %d is empty, and the service shows it",
    async (status) => {
      const script = { faults: [{ on: "PATCH *", do: "empty", status } as const] };
      const sandbox = createFaultySandbox({ script });
      const run = await amp(sandbox, ["pause", ID, "--yes"]);
      expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining("lost")]);
      expect(pausedOf(sandbox)).toEqual(READS);
    },
  );

  it.each([202, 204])("is unknown where %d has no effect", async (status) => {
    const faults = [{ on: "PATCH *", do: "empty", status, commit: false } as const];
    const sandbox = createFaultySandbox({ script: { faults } });
    const run = await amp(sandbox, ["pause", ID, "--yes", "--json"]);
    expect([run.code, run.stdout]).toEqual([9, ""]);
    expect(run.error()).toMatchObject({
      message: expect.stringContaining("It is unknown whether"),
      done: "It is unknown whether the request took effect. It was not sent again.",
    });
    expect(writesOf(run)).toHaveLength(1);
  });

  it("is settled by the list where the service fails to show the installation alone", async () => {
    const sandbox = sandboxAt();
    const cut = lose(sandbox, true);
    let isLost = false;
    const lost = await amp(sandbox, ["pause", ID, "--yes"], {
      env: { AMP_RETRIES: "0" },
      fetch: (request: Request) => {
        if (request.method !== "GET") isLost = true;
        const isSingle = request.url.endsWith(`/installations/${ID}`);
        if (isLost && request.method === "GET" && isSingle) {
          return Promise.resolve(new Response("", { status: 500 }));
        }
        return cut(request);
      },
    });
    expect(lost.stderr).toContain("The response was lost; the service shows the reads as paused.");
    expect(lost.code).toBe(0);
  });

  it("leaves the outcome unknown where the service shows nothing of it", async () => {
    const sandbox = sandboxAt();
    const lost = await amp(sandbox, ["pause", ID, "--yes", "--json"], {
      fetch: lose(sandbox, false),
    });
    expect(lost.code).toBe(9);
    expect(lost.error()).toMatchObject({
      done: "It is unknown whether the request took effect. It was not sent again.",
      remedy: "Run the command again: reads that are paused stay unchanged.",
    });
    expect(writesOf(lost)).toHaveLength(1);
  });
});

describe("pausing what was deleted meanwhile", () => {
  it.each([404, 410])("says of a %i that the installation is gone", async (status) => {
    const sandbox = sandboxAt();
    let isGone = false;
    const { code, stderr } = await run(["installations", "pause", "ins_08139571", "--yes"], {
      sandbox,
      fetch: async (request) => {
        isGone ||= request.method === "PATCH";
        if (!isGone) return sandbox.fetch(request);
        if (request.url.endsWith("/installations")) return Response.json([]);
        return Response.json({ title: "Not found", status }, { status });
      },
    });
    expect(stderr).toContain("Installation ins_08139571 no longer exists");
    expect(code).toBe(3);
  });
});
