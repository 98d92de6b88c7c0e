import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CaseFile } from "../../src/case/case-file.ts";
import { unpackCase } from "../../src/case/case-file.ts";
import type { RULE_NAMES } from "../../src/documents/case.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { sizeText } from "../../src/values/counted.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { scriptedPrompter } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const sandbox = sandboxAt(NOW, { state: largeWorld(200) });

/** The customers of docs/sandbox.md whose case has each verdict. */
const CUSTOMERS = {
  "provider-wide": "Omni Consumer",
  "integration-wide": "Iron Bank",
  "credentials-refused": "Bluth Company",
  "permission-or-field": "Cyberdyne Systems",
  recovering: "Black Mesa",
  retrying: "Gekko & Co",
  "rate-limited": "Rekall",
  "destination-missing": "Sirius Cybernetics",
  "config-just-changed": "Aperture Science",
  "provider-unavailable": "Duff Brewing",
  paused: "Weyland-Yutani",
  "schedule-never": "Nakatomi",
  "not-running": "Sun Times",
  "reads-nothing": "Monsters, Inc.",
  "never-used": "Oscorp",
  "only-them": "Daily Planet",
  stuck: "Pied Piper",
  healthy: "Soylent Corp",
} satisfies Record<(typeof RULE_NAMES)[number], string>;

const INTEGRATION = "113e9685-9a51-42cc-8662-9d9725b17f14";

const withoutProject = async (request: Request) =>
  request.url.endsWith("/acme/installations")
    ? new Response("{}", { status: 503 })
    : sandbox.fetch(request);

describe("amp case create", () => {
  it.each(Object.entries(CUSTOMERS).map(([rule, customer]) => [customer, rule] as const))(
    "says of %s: %s, as docs/sandbox.md does",
    async (customer, rule) => {
      const { code, stderr, json } = await run(["case", "create", customer, "--json"], { sandbox });
      expect(json()).toMatchObject({ rule, missingEvidence: [] });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const table = readFileSync("docs/sandbox.md", "utf8");
      expect(table).toMatch(
        new RegExp(`\\| ${customer.replaceAll(/\W/gu, ".")} \\|.*\`${rule}\``, "u"),
      );
    },
  );

  it("counts the others by what is reported of them, and never itself", async () => {
    const others = async (customer: string) => {
      const { stdout } = await run(["case", "create", customer], { sandbox });
      return /^Others\t(.*)$/mu.exec(stdout)?.[1];
    };
    // The headline has what is counted of the others.
    expect(await others("Daily Planet")).toBeUndefined();
    expect(await others("Bluth Company")).toMatch(
      /^\d+ of \d+ on billing-sync fail too(?:, \d+ of them with refused credentials)?$/u,
    );
    expect(await others("Duff Brewing")).toMatch(/^\d+ of \d+ on billing-sync fail$/u);
  });

  it("leads to the list of the others, where it counts any that fail too", async () => {
    const next = async (customer: string) => {
      const { stderr } = await run(["case", "create", customer], { sandbox });
      return /installations list .*/u.exec(stderr)?.[0];
    };
    const unhealthy = "--filter health=unhealthy";
    expect(await next("Bluth Company")).toContain(`list billing-sync ${unhealthy} --sort-by`);
    expect(await next("Omni Consumer")).toContain(`list ${unhealthy} --filter provider=datadog`);
    expect(await next("Daily Planet")).toBeUndefined();
  });

  it("says each fact of an outage once, the cause of this one first", async () => {
    const { stdout } = await run(["case", "create", "Omni Consumer"], { sandbox });
    expect(stdout).toMatch(
      /^Reads have failed since .*: datadog does not respond, .*; \d+ of \d+ datadog installations in 2 integrations fail in the same state\nCustomer\tOmni Consumer/u,
    );
    expect(stdout.match(/\d+ of \d+ /gu)).toHaveLength(1);
    expect(stdout.match(/does not respond/gu)).toHaveLength(1);
    expect(stdout).not.toMatch(/^(?:Others|Also)\t/mu);
    // The rule holds all the same, for a program that reads it.
    const { json } = await run(["case", "create", "Omni Consumer", "--json"], { sandbox });
    expect(json()).toMatchObject({
      also: expect.arrayContaining([expect.objectContaining({ rule: "integration-wide" })]),
    });
  });

  it("names the objects that it reads and which fail, and judges the one of --object", async () => {
    const objects = async (...args: string[]) => {
      const { stdout } = await run(["case", "create", ...args], { sandbox });
      return /^Objects\t(.*)$/mu.exec(stdout)?.[1];
    };
    expect(await objects("Cyberdyne Systems")).toBe("all fail: contacts, companies, deals");
    expect(await objects("Initech", "--integration", "crm-sync")).toBe(
      "contacts, companies, deals",
    );
    const args = ["case", "create", "Cyberdyne Systems", "--object"];
    const one = await run([...args, "Deals", "--json"], { sandbox });
    expect(one.json()).toMatchObject({
      objects: [
        { object: "contacts", state: "unknown" },
        { object: "companies", state: "unknown" },
        { object: "deals", state: "fails" },
      ],
      since: { failed: 4 },
    });
    const none = await run([...args, "leads"], { sandbox });
    expect({ code: none.code, stderr: none.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("Choose one of: contacts, companies, deals."),
    });
  });

  it("has the local time beside UTC", async () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout } = await run(["case", "create", "Cyberdyne Systems"], { sandbox });
    expect(stdout).toMatch(/^Reads have failed since Sat 29 Aug 09:15 UTC/mu);
    expect(stdout).toMatch(/^Since when\t11:15 GMT\+2 local time · last success /mu);
  });

  it("says of what there was no success", async () => {
    const { stdout } = await run(["case", "create", "Cyberdyne Systems", "--since", "1d"], {
      sandbox,
    });
    expect(stdout).toMatch(/^Since when\tno success in the last \d+ operations, first failure /mu);
  });

  it.each([
    ["Weyland-Yutani", "amp installations resume ins_"],
    ["Pied Piper", "amp installations get ins_"],
  ])("leads from the case of %s to: %s", async (customer, command) => {
    const { stdout } = await run(["case", "create", customer], {
      sandbox,
      tty: { out: true },
    });
    expect(stdout).toContain(command);
  });

  it("counts the lines of the log that it names", async () => {
    const { stdout } = await run(["case", "create", "Bluth Company"], { sandbox });
    const [, operation = "", count] =
      /^Evidence\t(op_\w+) .*\(in \d of its (\d+) log lines\)$/mu.exec(stdout) ?? [];
    const log = await run(["installations", "logs", operation], { sandbox });
    expect(log.stdout.trim().split("\n")).toHaveLength(Number(count));
  });

  it("says which line of a log it quotes where none has a known cause", async () => {
    const { stdout } = await run(["case", "create", "Daily Planet"], { sandbox });
    expect(stdout).toMatch(/: the log says ".*Unexpected end of JSON input"; none of/u);
    expect(stdout).toMatch(/^Evidence\top_\w+ \(the last error in its \d log lines\)$/mu);
  });

  it("says what it reads only once it knows of whom", async () => {
    const { code, stderr } = await run(["case", "create", "Nobody Ltd"], { sandbox, tty: true });
    expect(code).toBe(3);
    expect(stderr).not.toContain("nothing is changed");
  });

  it("says with the verdict of the only one what its log says", async () => {
    const { json } = await run(["case", "create", "Daily Planet", "--json"], { sandbox });
    expect(json()).toMatchObject({
      headline: expect.stringMatching(
        /^Reads have failed since .*: the log says ".*Unexpected end of JSON input"; none of the \d+ other/u,
      ),
    });
  });

  it("claims no notification of refused credentials for a connection without OAuth", async () => {
    const { stdout } = await run(["case", "create", "Bluth Company"], { sandbox });
    expect(stdout).toMatch(/^Notified\tnobody: /mu);
  });

  it("judges an installation beside all of the project, however it was found", async () => {
    const judged = async (...words: readonly string[]) => {
      const { json } = await run(["case", "create", ...words, "--json"], { sandbox });
      const { rule, cohort, installation } = json() as CaseFile["verdict"];
      return { rule, cohort, installation };
    };
    const whole = await judged("Omni Consumer");
    const { id, integration } = whole.installation as Record<string, string>;
    expect(whole.rule).toBe("provider-wide");
    expect(await judged("Omni Consumer", "--integration", String(integration))).toEqual(whole);
    expect(await judged(String(id), "--integration", String(integration))).toEqual(whole);
  });

  it("names the integration that it searched, and those that exist", async () => {
    const create = (...words: string[]) => run(["case", "create", ...words], { sandbox });
    const other = await create("cyberdyne", "--integration", "billing-sync");
    expect(other.code).toBe(3);
    expect(other.stderr).toMatch(
      /Searched the \d+ installations of integration billing-sync of project acme\.\n +Try: amp case create cyberdyne\n/u,
    );
    const none = await create("cyberdyne", "--integration", "nosuch");
    expect(none.code).toBe(3);
    expect(none.stderr).toMatch(/Project acme has (?:\w+-sync, )*crm-sync/u);
  });

  it("suggests a name for its file, also where an ID has signs of a path", async () => {
    const made = await run(["case", "create", "cyberdyne"], { sandbox, tty: { out: true } });
    expect(made.stdout).toContain("amp case create ins_08139571 --save ins_08139571.ampcase");
  });

  it("names a first read that goes on, and counts no success for a newest one in progress", async () => {
    const { stdout } = await run(["case", "create", "Massive Dynamic"], { sandbox });
    expect(stdout).toMatch(/it is reading all records of \w+ for the first time.*%.* left/u);
    expect(stdout).toContain("the latest is in progress");
  });

  it("shows what it means first, then what supports it", async () => {
    const tty = { in: true, out: true };
    const { stdout, stderr, requests } = await run(["case", "create", "cyberdyne"], {
      sandbox,
      tty,
      columns: 100,
    });
    await expect(stdout).toMatchFileSnapshot("golden/case-page.txt");
    expect(stderr).toContain("about 11 requests; nothing is changed");
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    // One page of operations more than is told: an object that is read once a day succeeded long ago.
    expect(requests.length).toBe(12);
  });

  it.each([
    ["Rekall", "no event type says that an installation is failing"],
    ["Pied Piper", "no event type exists for this state"],
  ])("says of %s why nobody was notified", async (customer, why) => {
    const { stdout } = await run(["case", "create", customer], { sandbox });
    expect(stdout).toContain(`Notified\tnobody: ${why}\n`);
  });

  it("keeps what is not a record of a list as it came", async () => {
    const cwd = temporaryFolder();
    const odd = [null, "text", 5, [1]];
    const { code, stderr } = await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], {
      cwd,
      sandbox,
      fetch: async (request) =>
        request.url.endsWith("/destinations") ? Response.json(odd) : sandbox.fetch(request),
    });
    expect(stderr).toContain("4 fields are not as specified");
    expect(code).toBe(0);
    const file = unpackCase(readFileSync(join(cwd, "c.ampcase")), "c");
    expect(bodyOf(file, "/destinations")).toEqual(odd);
  });

  it("names in one line what the service does not provide, and exits 0", async () => {
    const cwd = temporaryFolder();
    const old = sandboxAt(NOW, { state: largeWorld(200), specOnly: true });
    const argv = ["case", "create", "cyberdyne", "--integration", INTEGRATION];
    const made = await run([...argv, "--json", "--save", "c.ampcase"], { sandbox: old, cwd });
    expect(made.code).toBe(0);
    expect(made.json()).toMatchObject({
      rule: "unexplained",
      turn: "unknown",
      missingEvidence: expect.arrayContaining([
        {
          what: "operations",
          reason: "not-supported",
          why: "This service does not show operations",
        },
        { what: "topics", reason: "not-supported", why: "This service does not list topics" },
      ]),
      saved: { file: "c.ampcase" },
    });
    const rules = await run(["case", "show", "c.ampcase", "--rules"], { cwd });
    expect(rules.stdout).toContain("recovering\tnot checked\tmissing: operations: not available");
    const page = await run(argv, { sandbox: old });
    expect(page.stdout).toContain("Since when\tnot available at this service");
    expect(page.stdout.match(/^Not available\t.*/gmu)).toEqual([
      "Not available\tnot provided by this service: names of integrations, destinations, topics, event routes, destination routes, operations",
    ]);
  });

  it.each([
    ["cyberdyne", "logs", 503, 9, "read the log again (amp installations logs op_08139571_1b4)"],
    // Alone with its failure, but why is in its log.
    ["Daily Planet", "logs", 503, 9, "read the log again (amp installations logs op_d2c369bf_io)"],
    ["cyberdyne", "logs", 404, 9, "ask platform support about op_08139571_1b4"],
    [
      "cyberdyne",
      "operations",
      503,
      9,
      "list the operations again (amp installations operations ins_08139571)",
    ],
    ["cyberdyne", "operations", 404, 0, "ask platform support about ins_08139571"],
  ])("blames nobody for %s where its %s answer %i", async (who, list, status, exit, advice) => {
    const { code, stdout } = await run(["case", "create", who], {
      sandbox,
      fetch: async (request) =>
        new URL(request.url).pathname.endsWith(`/${list}`)
          ? new Response("{}", { status })
          : sandbox.fetch(request),
    });
    expect(stdout).toContain(`Who must act\tnot known: ${advice}\n`);
    expect(code).toBe(exit);
  });

  it.each([
    ["in the named integration", ["cyberdyne", "--integration", "crm-sync"]],
    ["by its ID", ["ins_08139571"]],
  ])("finds it %s while the project cannot be listed", async (_, words) => {
    const { code, json } = await run(["case", "create", ...words, "--json"], {
      sandbox,
      env: { AMP_INTEGRATION: undefined },
      fetch: withoutProject,
    });
    expect(json()).toMatchObject({
      installation: { id: "ins_08139571" },
      rule: "permission-or-field",
      missingEvidence: [{ what: "installations of the project", reason: "failed" }],
    });
    expect(code).toBe(9);
  });

  it.each(["nosuch", "ins_00000000"])(
    "does not say of %s that it does not exist while the project cannot be listed",
    async (who) => {
      const { code, stderr } = await run(["case", "create", who], {
        sandbox,
        fetch: withoutProject,
      });
      expect(stderr).toContain("failed to list the installations of the project (503)");
      expect(code).toBe(7);
    },
  );

  it.each([
    ["case", "create", "nosuch"],
    ["case", "create", "nosuch", "--integration", INTEGRATION],
    ["installations", "get", "nosuch"],
    ["installations", "get", JSON.stringify({ installationId: "ins_0" })],
  ])(
    "says what a service by integration searched, and suggests what it has: %s %s %s",
    async (...argv) => {
      const old = sandboxAt(NOW, { state: largeWorld(200), specOnly: true });
      const env = { AMP_INTEGRATION: INTEGRATION };
      const { code, stderr } = await run(argv, { sandbox: old, env });
      expect(code).toBe(3);
      expect(stderr).toContain(`Searched the 98 installations of integration ${INTEGRATION} of`);
      expect(stderr).not.toContain("all of the project is searched");
      const [, next = ""] = /Try: amp (.*)/u.exec(stderr) ?? [];
      expect(next).toBe(`installations list ${INTEGRATION}`);
      expect((await run(next.split(" "), { sandbox: old, env })).code).toBe(0);
    },
  );

  it("says once that requests fail alike, however short the wait of the first", async () => {
    const failing = async (request: Request) => {
      if (!request.url.endsWith("/installations")) return sandbox.fetch(request);
      await setTimeout(300);
      return new Response("{}", { status: 503 });
    };
    const argv = ["case", "create", "cyberdyne"];
    const { code, stderr } = await run(argv, { sandbox, fetch: failing });
    expect(code).toBe(7);
    expect(stderr.match(/Retrying in/gu)).toHaveLength(1);
  });

  it("keeps a failure of one list apart, and passes on an interrupt", async () => {
    const failing = async (request: Request) => {
      if (!request.url.endsWith("/topics")) return sandbox.fetch(request);
      return new Response("{}", { status: 403 });
    };
    const argv = ["case", "create", "cyberdyne", "--json"];
    const { code, json } = await run(argv, { sandbox, fetch: failing });
    expect({
      code,
      what: (json() as { missingEvidence: unknown[] }).missingEvidence,
    }).toMatchObject({
      code: 9,
      what: [{ what: "topics", reason: "refused" }],
    });
    const stopped = await run(argv, { sandbox, signal: AbortSignal.abort("SIGINT") });
    expect(stopped.code).toBe(130);
  });

  it("leaves several installations of one group to the person, or names them", async () => {
    const { code, error } = await run(["case", "create", "Initech", "--json"], { sandbox });
    expect(code).toBe(5);
    expect(error().candidates).toHaveLength(3);
    const asked = await run(["case", "create", "Initech"], {
      sandbox,
      tty: true,
      prompter: scriptedPrompter([['3 installations match "Initech". Which one?', "billing-sync"]]),
    });
    expect(asked.stdout).toContain("stripe · billing-sync");
  });

  it("refuses what is not a time, and reads no logs where none are wanted", async () => {
    const wrong = await run(["case", "create", "x", "--since", "soon"], { sandbox });
    expect({ code: wrong.code, requests: wrong.requests }).toEqual({ code: 2, requests: [] });
    const { json, requests } = await run(["case", "create", "Rekall", "--no-logs", "--json"], {
      sandbox,
    });
    expect(requests.some(({ path }) => path.includes("/logs"))).toBe(false);
    expect(json()).toMatchObject({
      rules: expect.arrayContaining([
        { rule: "rate-limited", holds: null, needs: ["logs: --no-logs was set"] },
      ]),
    });
  });
});

describe("a saved case", () => {
  const cwd = temporaryFolder();
  const path = join(cwd, "c.ampcase");
  const save = (...more: string[]) =>
    run(["case", "create", "cyberdyne", "--save", "c.ampcase", "--overwrite", ...more], {
      sandbox,
      cwd,
    });

  it("is private, and replaces another only with --overwrite", async () => {
    const { stdout } = await save();
    expect(stdout).toMatch(/Saved\tc\.ampcase · 18 responses · [\d.]+ KB · \d+ values redacted/u);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], {
      sandbox,
      cwd,
    });
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 2 });
    expect(again.stderr).toContain("c.ampcase already exists");
    expect(again.requests).toEqual([]);
  });

  it("leads to the commands that show and open it", async () => {
    const words = ["case", "create", "cyberdyne", "--save", "next.ampcase", "--yes"];
    const { stdout } = await run(words, { sandbox, cwd, tty: true, columns: 120 });
    expect(stdout).toContain("amp case show next.ampcase\n");
    expect(stdout).toContain("amp case open next.ampcase\n");
  });

  it("is a ticket whose sentences are text, and of which only names are code", async () => {
    await save();
    const { stdout } = await run(["case", "show", "c.ampcase", "-o", "markdown"], { cwd });
    expect(stdout).toContain(
      '| Who must act | the customer: grant the connected user access to `"deal_stage_x"`, or stop',
    );
  });

  it("suggests commands that run in the case, whose reader may have nothing else", async () => {
    const next = async () =>
      (await run(["case", "show", "c.ampcase"], { cwd, tty: true, columns: 120 })).stdout;
    await save();
    expect(await next()).toContain(
      "amp case open c.ampcase -- amp installations logs op_08139571_1b4\n",
    );
    await save("--no-logs");
    expect(await next()).not.toContain("installations logs");
  });

  it("shows the same verdict, and its parts, without a service", async () => {
    const made = (await save("--json")).json() as object;
    const shown = await run(["case", "show", "c.ampcase", "--json"], { cwd });
    const { saved: _, ...verdict } = made as { saved?: unknown };
    expect(shown.json()).toMatchObject(verdict);
    const parts = ["--redactions", "--requests", "--rules"];
    const texts = [];
    for (const part of parts)
      texts.push((await run(["case", "show", "c.ampcase", part], { cwd })).stdout);
    expect(texts[0]).toContain(
      "consumer name\tinstallations connection.consumer.consumerName (2)\n",
    );
    expect(texts[1]).toContain("200\t1 of 200\tGET /projects/acme/installations");
    expect(texts[2]).toContain("permission-or-field\tapplies\tthe provider refuses a field");
    const whole = await run(["case", "show", "c.ampcase"], { cwd });
    expect(whole.stdout).toContain("Who must act\tthe customer");
    const both = await run(["case", "show", "c.ampcase", "--rules", "--requests"], { cwd });
    expect(both.code).toBe(2);
  });

  it("is shown what was taken out before it is saved on a terminal, and is not saved after a no", async () => {
    const folder = temporaryFolder();
    const size = sizeText(statSync(path).size);
    const question = `Save the rest as c.ampcase (18 responses, ${size})?`;
    const { stdout, stderr } = await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], {
      sandbox,
      cwd: folder,
      tty: true,
      prompter: scriptedPrompter([[question, false]]),
    });
    // The verdict comes first, and once.
    expect(stderr).toMatch(/Reads have failed since .*Customer.* Cyberdyne .*values redacted/su);
    expect(stderr).not.toContain("Redacted");
    expect(stdout).toContain("The case was not saved.");
    expect(stdout).not.toContain("Cyberdyne");
    expect(() => statSync(join(folder, "c.ampcase"))).toThrow("ENOENT");
  });

  it("suggests commands that work where it is shown", async () => {
    await save();
    const next = async (AMP_CASE?: string) => {
      const { stdout } = await run(["case", "show", "c.ampcase"], {
        cwd,
        env: { AMP_CASE },
        tty: true,
      });
      return stdout.split("\n").flatMap((line) => line.match(/amp .*logs.*/u) ?? []);
    };
    expect(await next()).toEqual([
      "amp case open c.ampcase -- amp installations logs op_08139571_1b4",
    ]);
    expect(await next(path)).toEqual(["amp installations logs op_08139571_1b4"]);
    expect(await next("/other.ampcase")).toEqual([]);
  });

  it("has no operation before --since, and says what it does not know", async () => {
    const { json } = await save("--since", "2d", "--json");
    const { results } = bodyOf(unpackCase(readFileSync(path), "c"), "/operations") as {
      results: { createTime: string }[];
    };
    const oldest = results.map(({ createTime }) => createTime).sort()[0] ?? "";
    const hours = (NOW.getTime() - Date.parse(oldest)) / 3_600_000;
    expect(hours).toBeLessThanOrEqual(48);
    expect(hours).toBeGreaterThan(46);
    expect(json()).toMatchObject({
      headline: expect.stringContaining("at least since Mon 31 Aug"),
    });
  });

  it.each(["Soylent Corp", "Sun Times"])(
    "does not say of %s that nothing ran, if all operations are before --since",
    async (customer) => {
      const argv = ["case", "create", customer, "--since", "1m"];
      const { stdout } = await run(argv, { sandbox });
      expect(stdout).not.toMatch(/nothing has run|no read of/u);
      expect(stdout).toContain("Since when\tno operations since the time of --since\n");
    },
  );

  it("uses the failures before --since if none came later", async () => {
    const { json } = await save("--json");
    for (const since of ["5m", "2026-09-02"]) {
      const later = await save("--json", "--since", since);
      const { rule, headline, turn } = json() as Record<string, string>;
      expect(later.json()).toMatchObject({ rule, headline, turn });
    }
    const late = await save("--since", "1m");
    expect(late.stderr).toContain("No operation failed in the time of --since");
  });
});

describe("a project of thousands", () => {
  it("is counted as it arrives, and only the installations of the group are kept", async () => {
    const cwd = temporaryFolder();
    const large = sandboxAt(NOW, { state: largeWorld(2_100) });
    const argv = ["case", "create", "ins_c632979e", "--save", "c.ampcase", "--json"];
    const { json, code } = await run(argv, { sandbox: large, cwd });
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      installation: { group: "Northwind Traders", integration: "billing-sync" },
      cohort: { integration: { total: 523 }, provider: { total: 523 } },
    });
    const file = unpackCase(readFileSync(join(cwd, "c.ampcase")), "c");
    const list = file.answers.find(({ path }) => path.endsWith("/projects/acme/installations"));
    expect(list?.of).toBe(2_100);
    const kept = list?.body as { id: string; config: { content: unknown } }[];
    expect(kept.map(({ id }) => id).sort()).toEqual(["ins_80c1cca5", "ins_c632979e"]);
    expect(kept[0]?.config.content).toHaveProperty("read");
  });
});

function bodyOf({ answers }: CaseFile, end: string): unknown {
  return answers.find(({ path }) => path.endsWith(end))?.body;
}

describe("a name of several words", () => {
  it("needs no quotes", async () => {
    const ids = ["case create", "installations get"].map(async (path) => {
      const { stdout } = await run([...path.split(" "), "Bluth", "Company", "-o", "id"], {
        sandbox,
      });
      return stdout;
    });
    expect(await Promise.all(ids)).toEqual(["ins_cbde36a4\n", "ins_cbde36a4\n"]);
  });

  it.each([
    ["case bluth", "Try: amp case create bluth"],
    ["case Bluth Company", "Try: amp case create 'Bluth Company'"],
    ["search bluth", "Try: amp installations get bluth"],
    ["find bluth", "amp case create bluth"],
    ["customers", "Try: amp installations get <name>"],
    ["customers list", "Try: amp installations list"],
  ])("leads from amp %s to the command that finds it", async (typed, next) => {
    const { code, stderr } = await run(typed.split(" "), { sandbox });
    expect(code).toBe(2);
    expect(stderr).toContain(next);
  });
});
