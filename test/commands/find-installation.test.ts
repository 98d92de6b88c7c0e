import { writeFileSync } from "node:fs";
import { join } from "node:path";
import displayWidth from "string-width";
import { describe, expect, it } from "vitest";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { scriptedPrompter } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { answering, BARE, CRM, get, list, OTHER, TERMINAL } from "./installations-at.ts";

const idOf = async (args: readonly string[], world: RunInput = {}) =>
  (await get([...args, "-o", "id"], world)).stdout.trim();

/** A project with these installations, and nothing else. */
const project = (...body: unknown[]): RunInput => ({
  sandbox: undefined,
  replies: [{ method: "GET", path: "/projects/acme/installations", body }],
});
const owned = (id: string, groupName: string) => ({ ...BARE, id, group: { groupName } });

describe("the quotation of a pasted text", () => {
  it("is one line of it", async () => {
    const world = project(owned("ins_11111111", "One"), owned("ins_22222222", "Two"));
    const mail = "Hi support,\n\nsince Monday ins_11111111\nand ins_22222222 fail.\n";
    const { code, stderr } = await get([mail], world);
    expect(code).toBe(5);
    expect(stderr).toContain(
      '2 installations match "Hi support, since Monday ins_11111111 and ins_22222222 fail."',
    );
  });
});

describe("where amp installations get searches", () => {
  it("is the whole project, whatever the default integration", async () => {
    const { requests, json } = await get(["bluth", "--json"]);
    expect(requests.map(({ path }) => path)).toEqual(["/projects/acme/installations"]);
    expect(json()).toMatchObject({ group: { groupName: "Bluth Company" } });
  });

  it("is the integration that the environment or project file names, which it says", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".amp.yaml"), "integration: crm-sync\n");
    for (const [world, source] of [
      [{ env: { AMP_INTEGRATION: "crm-sync" } }, "AMP_INTEGRATION"],
      [{ cwd }, ".amp.yaml"],
    ] as const) {
      for (const noun of [
        "installations get",
        "installations wait --for health=healthy",
        "case create",
      ]) {
        const { code, stderr } = await run([...noun.split(" "), "bluth"], {
          sandbox: sandboxAt(NOW),
          ...world,
        });
        expect(code).toBe(3);
        const text = stderr.replaceAll(/\s+/gu, " ");
        expect(text).toMatch(/^Searching only integration crm-sync of project acme \(/u);
        expect(text).toContain(
          "Searched the 20 installations of integration crm-sync of project acme",
        );
        expect(text).toContain(source);
        const [, next = ""] = /Try: amp (.*)/u.exec(stderr.replaceAll("'", "")) ?? [];
        expect(next).toBe("installations list --all-integrations --filter group~bluth");
        const found = await run([...next.split(" "), "-o", "id"], {
          sandbox: sandboxAt(NOW),
          ...world,
        });
        expect(found.stdout).toMatch(/^ins_\w+\n$/u);
      }
    }
  });

  it("is one integration where that is typed, and is said on a miss", async () => {
    const missed = await get(["bluth", "--integration", CRM]);
    expect(missed).toMatchObject({ code: 3, stdout: "" });
    expect(missed.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `Searched the 20 installations of integration ${CRM} of project acme.`,
    );
    expect(missed.stderr).toContain("Try: amp installations get bluth\n");
    const anywhere = await get(["nobody at all"]);
    expect(anywhere.stderr).toContain("Searched the 40 installations of project acme.");
    expect(anywhere.stderr).toContain("Try: amp installations list --all-integrations");
  });

  it.each(["😀", "*", "x"])(
    "suggests nothing for %j, which is like any short word",
    async (text) => {
      const { code, stderr } = await get([text]);
      expect(code).toBe(3);
      expect(stderr).not.toContain("Did you mean");
    },
  );

  it.each([
    ["installations pause 'Bluth Compny' --object invoices --yes", "--object invoices"],
    ["installations operations 'Bluth Compny' --failed --since 7d", "--failed --since 7d"],
    [
      "case create 'Bluth Compny' --no-logs --save b.ampcase -o json --no-input",
      "--no-logs --save b.ampcase --output json --no-input",
    ],
    [
      "installations get 'Bluth Compny' --project prj_acme0a1b --fields id --jq .id",
      "--fields id --jq .id --project prj_acme0a1b",
    ],
  ])("corrects a name, and keeps each typed option: %s", async (line, options) => {
    const argv = line.replace("'Bluth Compny'", "Bluth_Compny").split(" ");
    const typed = argv.map((word) => word.replace("_Compny", " Compny"));
    const { stderr } = await run(typed.concat(typed.includes("-o") ? [] : "--json"), {
      sandbox: sandboxAt(NOW),
    });
    const { suggestion } = JSON.parse(stderr).error;
    const words = suggestion.split(" ");
    expect(suggestion).toContain(" 'Bluth Company' ");
    expect(words).toEqual(expect.arrayContaining(options.split(" ")));
    expect(words).not.toContain("--logs");
    // A guess is not confirmed beforehand.
    expect(words).not.toContain("--yes");
    expect(words).not.toContain("--color");
  });

  it("is the default integration where the service lists by integration only", async () => {
    const world = { sandbox: sandboxAt(NOW, { specOnly: true }) };
    expect(await idOf(["northwind"], world)).toBe("ins_80c1cca5");
    const narrow = await get(["bluth", "--integration", CRM], world);
    expect(narrow.stderr).toContain(`Try: amp installations list ${CRM}\n`);
    const missed = await get(["bluth"], world);
    expect(missed.code).toBe(3);
    expect(missed.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `of integration ${CRM} of project acme, the default: this service lists installations only by integration.`,
    );
  });

  it("names the integration on the page, and gives a pipe its name and its ID", async () => {
    const page = (await get(["bluth"], TERMINAL)).stdout;
    expect(page).toMatch(/Integration +billing-sync · [0-9a-f-]{36}/u);
    const { stdout, requests } = await get(["bluth"]);
    expect(stdout).toMatch(/^Bluth Company\tstripe · billing-sync · ins_\w+\n/u);
    expect(stdout).toMatch(/Installation\/Integration\tbilling-sync · [0-9a-f-]{36}\n/u);
    expect(requests.map(({ path }) => path).toSorted()).toEqual([
      "/projects/acme/destinations",
      "/projects/acme/installations",
      "/projects/acme/integrations",
    ]);
    expect((await get(["bluth", "--json"])).requests).toHaveLength(1);
  });

  it("names the integration that was typed", async () => {
    for (const typed of ["crm-sync", CRM]) {
      const words = ["northwind", "--integration", typed];
      const page = (await get(words, TERMINAL)).stdout;
      expect(page).toMatch(/Integration +crm-sync · [0-9a-f-]{36}/u);
      const byId = (await get(["ins_80c1cca5", "--integration", typed], TERMINAL)).stdout;
      expect(byId).toMatch(/Integration +crm-sync · [0-9a-f-]{36}/u);
    }
    const missed = await get(["bluth", "--integration", "crm-sync", "--json"]);
    expect(missed.error().detail).toContain(
      "Searched the 20 installations of integration crm-sync of",
    );
  });

  it("shows the page where the service does not list integrations", async () => {
    const { code, stdout } = await get(["ins_1"], {
      ...TERMINAL,
      sandbox: undefined,
      fetch: async ({ url }) =>
        url.endsWith("/installations")
          ? Response.json([BARE])
          : Response.json({ status: 404 }, { status: 404 }),
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Integration +${CRM}\\n`, "u"));
  });
});

describe("an installation found by amp installations get", () => {
  const of = async (wanted: string, ...names: string[]) => {
    const all = names.map((name, at) => owned(`ins_${at}`, name));
    const { code, stdout } = await get([wanted, "-o", "id"], project(...all));
    return code === 0 ? stdout.trim() : code;
  };

  it("is a name of its owner, or the beginnings of its words, in any case", async () => {
    for (const name of [
      "Northwind Traders",
      "northwind",
      "NORTHW",
      "usr-northwind",
      "north trad",
    ]) {
      expect(await idOf([name, "--integration", CRM])).toBe("ins_80c1cca5");
    }
  });

  it("is a name without its accents, and the other way", async () => {
    expect(await idOf(["cafe muller & sohne"])).toBe("ins_7c0940de");
    expect(await of("ACME É", "Acme E")).toBe("ins_0");
    expect(await of("strasse", "Große Straße 5")).toBe("ins_0");
    expect(await of("jorgensen", "Jørgensen A/S")).toBe("ins_0");
    expect(await of("株式会社", "株式会社サンプル商事")).toBe("ins_0");
  });

  it("is a name in any word order", async () => {
    expect(await idOf(["Traders Northwind", "--integration", CRM])).toBe("ins_80c1cca5");
    expect(await of("corp acme", "Acme International Corp", "Acme Ltd")).toBe("ins_0");
    expect(await of("acme corp", "Corp Acme", "Acme International Corp")).toBe("ins_0");
    expect(await of("acme corp", "Acme Corp", "Acme Corp II")).toBe("ins_0");
    expect(await of("!!", "Acme Corp")).toBe(3);
  });

  it("is an ID, its unique beginning, or one whose middle a table has cut", async () => {
    for (const id of ["ins_80c1cca5", "ins_80c1", "ins_80c1…", "ins_80c1...", "ins_…cca5"]) {
      expect(await idOf([id])).toBe("ins_80c1cca5");
    }
    expect(await idOf(["con_fb4285d8"])).toBe("ins_80c1cca5");
    expect(await idOf(["con_fb42"])).toBe("ins_80c1cca5");
    const whole = answering({ ...BARE, id: "ins_12" }, BARE);
    expect(await idOf(["ins_1", "--integration", CRM], whole)).toBe("ins_1");
  });

  it.each([
    "installation ins_80c1cca5 is broken",
    '"ins_80c1cca5"',
    "“ins_80c1cca5”.",
    "ins_80c1cca5...",
    "(ins_80c1cca5),",
    "https://app.example.com/acme/installations/ins_80c1cca5?tab=logs#top",
    "see https://app.example.com/connections/con_fb4285d8/",
    '{"id":"ins_80c1cca5","healthStatus":"unhealthy"}',
    '[{"id":"con_fb4285d8"}]',
    'read failed: {"installationId":"ins_80c1cca5"}',
    '{"installationId": "ins_80c1cca5", "data": {"cut',
  ])("is an ID in a text that was pasted: %s", async (text) => {
    expect(await idOf([text])).toBe("ins_80c1cca5");
    const { stdout } = await get(["-", "-o", "id"], { stdin: `Hello,\n${text}\nThanks` });
    expect(stdout).toBe("ins_80c1cca5\n");
  });

  it.each([
    "INS_80C1CCA5",
    "80c1cca5",
    "80C1CC",
    "Ins_80c1",
    "is 80c1cca5 broken?",
    "con_FB4285D8",
  ])("is an ID in another case, or without its kind: %s", async (text) => {
    expect(await idOf([text])).toBe("ins_80c1cca5");
    const write = await run(["installations", "pause", text, "--yes"], { sandbox: sandboxAt() });
    expect(write.code).toBe(3);
  });

  it.each([
    "ins_80c1cca6",
    "ins_80c1cc5",
    "ins_80c1ccca5",
    "ins_80c1cac5",
    "80c1cca6",
    "INS_80C1CCA4",
  ])("is suggested for an ID that is one character off: %s", async (text) => {
    const { code, stderr } = await get([text]);
    expect(code).toBe(3);
    expect(stderr).toContain('Did you mean "ins_80c1cca5"?');
    expect(stderr).toContain("Try: amp installations get ins_80c1cca5");
  });

  it.each([
    "op_08139571_1b4",
    "OP_08139571_1B4",
    "the read op_08139571_1b4 failed",
    '{"operation_id":"op_08139571_1b4"}',
  ])("is the ID of an operation: %s", async (text) => {
    expect(await idOf([text])).toBe("ins_08139571");
    const piped = { sandbox: sandboxAt(), stdin: text };
    for (const command of [
      ["installations", "operations", "-", "--failed"],
      ["installations", "diff", "-", "ins_80c1cca5"],
      ["installations", "wait", "-", "--for", "health=unhealthy"],
      ["case", "create", "-", "--no-logs"],
    ]) {
      expect((await run([...command, "--json"], piped)).stdout).toContain("ins_08139571");
    }
  });

  it("leads out of a project that has none", async () => {
    for (const command of ["installations get", "case create"]) {
      const { code, stderr } = await run(
        [...command.split(" "), "Globex", "-p", "globex-staging"],
        {
          sandbox: sandboxAt(),
        },
      );
      expect(code).toBe(3);
      expect(stderr).toContain("Project globex-staging has no installations.");
      expect(stderr).toContain("Try: amp projects list\n");
    }
  });

  it("is the whole ID of an operation for a write, and never one in a sentence", async () => {
    const pause = (text: string) =>
      run(["installations", "pause", "-", "--yes", "--json"], {
        sandbox: sandboxAt(),
        stdin: text,
      });
    expect((await pause("op_08139571_1b4\n")).json()).toMatchObject({ id: "ins_08139571" });
    expect(await pause("the read op_08139571_1b4 failed")).toMatchObject({ code: 3, stdout: "" });
  });

  it("says of an operation whose installation is not listed which one it is", async () => {
    const world: RunInput = {
      sandbox: undefined,
      replies: [
        { method: "GET", path: "/projects/acme/installations", body: [BARE] },
        {
          method: "GET",
          path: "/projects/acme/operations/op_9",
          body: { id: "op_9", installationId: "ins_gone" },
        },
      ],
    };
    const gone = await get(["op_9"], world);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("No installation matches the operation op_9");
    expect(gone.stderr).toContain("It belongs to installation ins_gone.");
    const unknown = await get(["op_08139571_zzz1"]);
    expect(unknown.stderr).toContain("No installation matches the operation op_08139571_zzz1");
  });

  it.each([
    ["The Bluth Company's sync stopped on Tuesday", "Bluth Company"],
    ["Dear all,\nthe Bluth Company sync is broken", "Bluth Company"],
    ["we at acme corp ii have a question", "Acme Corp II"],
  ])("is a name in a sentence: %j", async (text, name) => {
    const world = project(
      ...["Acme", "Acme Corp", "Acme Corp II", "Bluth Company", "On", "Sync Works"].map(
        (each, at) => owned(`ins_${at}`, each),
      ),
    );
    expect((await get([text, "--json"], world)).json()).toMatchObject({
      group: { groupName: name },
    });
    // One word of a name, or a short name, is not a mention.
    expect(await idOf(["the works of this week stopped on Tuesday"], world)).toBe("");
  });

  it("is not a customer in whose ref an integration's name is, but leads to its list", async () => {
    const replies = [
      ...(project({ ...BARE, group: { groupName: "Sam", groupRef: "solo-crm-sync" } }).replies ??
        []),
      { path: "/projects/acme/integrations", body: [{ id: CRM, name: "crm-sync" }] },
    ];
    for (const text of ["crm-sync", "CRM sync", "crm-sync stopped"]) {
      const missed = await get([text, "--json"], { sandbox: undefined, replies });
      expect(missed.code, text).toBe(3);
      expect(missed.error()).toMatchObject({
        remedy: "crm-sync is an integration.",
        suggestion: "amp installations list crm-sync",
      });
    }
    const list = replies.slice(0, 1);
    const whole = await get(["solo-crm-sync", "-o", "id"], { sandbox: undefined, replies: list });
    expect(whole.stdout).toBe("ins_1\n");
  });

  it("is the one of the integration that a sentence names, which is said", async () => {
    const text = "crm-sync is broken at Initech";
    const { stdout, stderr } = await get([text, "-o", "id"]);
    expect(stdout).toBe("ins_d3873320\n");
    expect(stderr).toBe('Found by "Initech" in integration crm-sync.\n');
  });

  it("is nothing for a text without a whole ID, of which an error shows the start", async () => {
    for (const text of ["ins_80c1cca50", "xins_80c1cca5", "see ins_80c1cc"]) {
      expect(await idOf([text]), text).toBe("");
    }
    const { stderr } = await get([`nobody ${"at all ".repeat(100)}`, "--json"]);
    expect(stderr).toContain("at …");
    expect(stderr.length).toBeLessThan(500);
  });

  it("is a name with that of an integration, also for a write", async () => {
    for (const verb of ["get", "pause"]) {
      const argv = ["installations", verb, "Hooli crm-sync", "--json"];
      const write = verb === "pause" ? ["--dry-run"] : [];
      const found = await run([...argv, ...write], { sandbox: sandboxAt(NOW) });
      expect(found, verb).toMatchObject({ code: 0 });
      expect(found.stdout, verb).toContain("ins_61980597");
    }
    const missed = await get(["Hoolli crm-sync", "--json"]);
    expect(missed.error()).toMatchObject({
      remedy: 'Did you mean "Hooli"?',
      suggestion: "amp installations get Hooli --json --integration crm-sync",
    });
  });

  it("suggests no name of which only one of two words is like the typed ones", async () => {
    const names = { path: "/projects/acme/integrations", body: [{ id: CRM, name: "crm-sync" }] };
    const { replies = [] } = project(owned("1", "solo-crm-sync"));
    const world = { sandbox: undefined, replies: [...replies, names] };
    const missed = await get(["Hooli crm-snc"], world);
    expect(missed.stderr).not.toContain("Did you mean");
  });

  it("leads to a search of all integrations where it is not in the typed one", async () => {
    const missed = await get(["bluth", "--integration", CRM, "--json"]);
    expect(missed.error()).toMatchObject({ suggestion: "amp installations get bluth" });
  });

  it("suggests the nearest names on a miss", async () => {
    const missed = await get(["Nortwind Tradrs", "--json"]);
    expect(missed.error()).toMatchObject({
      code: "not-found",
      message: 'No installation matches "Nortwind Tradrs"',
      remedy: 'Did you mean "Northwind Traders"?',
      suggestion: "amp installations get 'Northwind Traders' --json",
    });
    expect((await get(["gringots"])).stderr).toContain('Did you mean "Gringotts"?');
    const several = await get(["acne"], project(owned("1", "Acme"), owned("2", "Acre Ltd")));
    expect(several.stderr).toContain('Did you mean "Acme" or "Acre Ltd"?');
  });

  it("suggests a name that a few pasted words have, of names within each other the longest", async () => {
    for (const text of ["Bluth Company sync fails", "ticket 42: bluth company"]) {
      expect((await get([text])).stderr).toContain('Did you mean "Bluth Company"?');
    }
    const world = project(owned("1", "Acme"), owned("2", "Acme Ltd"));
    expect((await get(["acme ltd fails again"], world)).stderr).toContain(
      'Did you mean "Acme Ltd"?',
    );
  });
});

describe("several installations that match", () => {
  it("are asked about on a terminal, with what tells them apart", async () => {
    const message = '2 installations match "northwind". Which one?';
    const prompter = scriptedPrompter([[message, "crm-sync"]]);
    const { code, stdout } = await get(["northwind", "-o", "id"], { ...TERMINAL, prompter });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "ins_80c1cca5\n" });
    expect(prompter.offered[message]?.map(({ label, note }) => [label, note])).toEqual([
      [
        "crm-sync",
        expect.stringMatching(
          /^ins_80c1cca5 · hubspot · unhealthy · hubspot rejects the credentials; .* · Northwind Traders$/u,
        ),
      ],
      ["billing-sync", expect.stringMatching(/^ins_\w+ · stripe · healthy · Northwind/u)],
    ]);
    const other = '2 installations match "sterling". Which one?';
    const named = scriptedPrompter([[other, "Sterling Ltd"]]);
    const items = [owned("1", "Sterling Cooper"), owned("2", "Sterling Ltd")];
    const replies = [
      ...(project(...items).replies ?? []),
      { path: "/projects/acme/integrations", body: [] },
    ];
    const world = { ...TERMINAL, sandbox: undefined, replies, prompter: named };
    expect((await get(["sterling", "-o", "id"], world)).stdout).toBe("2\n");
    // What all of them have in common is not left out: it says how they are.
    expect(named.offered[other]?.[1]).toMatchObject({
      note: expect.stringMatching(/^2 · .* · healthy$/u),
    });
  });

  it("are a page off it, each with its verdict on one line, and exit code 5", async () => {
    const { code, stdout, stderr } = await get(["northwind"]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    await expect(stderr).toMatchFileSnapshot("./golden/installations-several.txt");
    const json = (await get(["northwind", "--json"])).error();
    expect(json).toMatchObject({
      code: "conflict",
      candidates: [
        { id: "ins_80c1cca5", integration: "crm-sync", health: "unhealthy" },
        { integration: "billing-sync", health: "healthy" },
      ],
    });
  });

  it.each([60, 80, 140])("fit %i columns on a terminal without questions", async (columns) => {
    const { stderr } = await get(["northwind", "--no-input"], { ...TERMINAL, columns });
    for (const line of stderr.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stderr).toMatchFileSnapshot(`./golden/installations-several-${columns}.txt`);
  });

  it("are counted where they are too many to list", async () => {
    const { stderr, error } = await get(["ins_", "--json"]);
    expect(stderr).toContain("40 installations match");
    expect(error().candidates).toHaveLength(20);
    expect(error().detail).toBe("and 20 more. Searched the 40 installations of project acme.");
  });

  it("are all offered on a terminal, where a search finds one among them", async () => {
    const all = Array.from({ length: 150 }, (_, at) => owned(`ins_${at}`, `Golden ${at}`));
    const message = '150 installations match "golden". Which one?';
    const prompter = scriptedPrompter([[message, "Golden 149"]]);
    const { stdout } = await get(["golden", "-o", "id"], {
      ...TERMINAL,
      sandbox: undefined,
      replies: [
        ...(project(...all).replies ?? []),
        { path: "/projects/acme/integrations", body: [] },
      ],
      prompter,
    });
    expect(stdout).toBe("ins_149\n");
    expect(prompter.offered[message]).toHaveLength(150);
  });

  it("come with those that have a problem first, by name, and with the command that lists all", async () => {
    const all = Array.from({ length: 30 }, (_, at) => ({
      ...owned(`ins_${at}`, `Golden ${30 - at}`),
      healthStatus: at % 3 === 0 ? "unhealthy" : "healthy",
    }));
    const world = {
      sandbox: undefined,
      replies: [
        ...(project(...all).replies ?? []),
        { path: "/projects/acme/integrations", body: [] },
      ],
    };
    const { error } = await get(["golden", "--json"], world);
    const { candidates } = error() as { candidates: readonly { group: string; health: string }[] };
    const sick = candidates.filter(({ health }) => health === "unhealthy");
    expect(candidates.slice(0, 10)).toEqual(sick);
    const groups = sick.map(({ group }) => Number(group.slice("Golden ".length)));
    expect(groups).toEqual(groups.toSorted((one, other) => one - other));
    expect(error().suggestion).toContain("--filter 'group~golden'");
  });
});

describe("amp installations get -", () => {
  const event = (data: object, type = "connection.error") =>
    JSON.stringify({ notificationType: type, data });
  const piped = (stdin: string, world: RunInput = {}) =>
    get(["-", "-o", "id"], { stdin, ...world });

  it("finds the installation of an event, by the best identifier that it has", async () => {
    const ids = { installationId: "ins_80c1cca5", connectionId: "con_x", groupRef: "initech" };
    expect((await piped(event(ids))).stdout).toBe("ins_80c1cca5\n");
    expect((await piped(event({ connectionId: "con_fb4285d8" }))).stdout).toBe("ins_80c1cca5\n");
    const ofGroup = event({ groupRef: "northwind", integrationId: CRM });
    expect((await piped(ofGroup)).stdout).toBe("ins_80c1cca5\n");
    // A stream receives the data alone, and a person pastes line breaks with it.
    expect((await piped(`\n${JSON.stringify(ids, null, 2)}\n`)).stdout).toBe("ins_80c1cca5\n");
    expect((await get([event(ids), "-o", "id"])).stdout).toBe("ins_80c1cca5\n");
  });

  it.each(["", "\n", "  \n\t"])("says of %j that standard input is empty", async (stdin) => {
    const { code, stdout, stderr, requests } = await piped(stdin);
    expect({ code, stdout, requests }).toEqual({ code: 2, stdout: "", requests: [] });
    expect(stderr).toContain("Standard input is empty");
    expect(stderr).not.toContain("Did you mean");
  });

  it("says by what it was found where the installation is gone", async () => {
    const found = await piped(event({ installationId: "ins_gone", connectionId: "con_fb4285d8" }));
    expect(found).toMatchObject({ code: 0, stdout: "ins_80c1cca5\n" });
    expect(found.stderr).toBe(
      "Installation ins_gone of the event is not listed; it may have been deleted. Found by connection con_fb4285d8.\n",
    );
  });

  it("leads to the project of an event of another one", async () => {
    const other = await piped(event({ installationId: "ins_gone", projectId: "prj_other" }));
    expect(other).toMatchObject({ code: 3, stdout: "" });
    expect(other.stderr).toContain("The event belongs to project prj_other.");
    expect(other.stderr).toContain("Try: amp installations get - --project prj_other");
    const gone = await piped(event({ installationId: "ins_gone", projectId: "prj_acme0a1b" }));
    expect(gone.stderr).toContain("It may have been deleted since then.");
  });

  it("says of what is found that the event is of another project", async () => {
    const ids = { projectId: "prj_other", installationId: "ins_80c1cca5" };
    for (const more of [{}, { integrationId: CRM }]) {
      const found = await piped(event({ ...ids, ...more }));
      expect(found.stdout).toBe("ins_80c1cca5\n");
      expect(found.stderr).toContain("belongs to project prj_other, not to prj_acme0a1b");
    }
    const gone = await piped(event({ ...ids, installationId: "ins_gone", groupRef: "northwind" }));
    expect(gone).toMatchObject({ code: 3, stdout: "" });
    expect(gone.stderr).toContain("The event belongs to project prj_other.");
  });

  it("lists several of an event without a question, for its input was read", async () => {
    const several = await piped(event({ groupRef: "northwind" }), TERMINAL);
    expect(several).toMatchObject({ code: 5, stdout: "" });
    expect(several.stderr).toContain("2 installations match the event's group northwind");
  });

  it("takes an ID or a name too, and refuses what names nobody", async () => {
    expect((await piped("ins_80c1cca5\n")).stdout).toBe("ins_80c1cca5\n");
    expect((await piped("{ nope")).stderr).toContain("The event is not valid JSON");
    expect(await piped(event({ objectName: "x" }))).toMatchObject({ code: 2, stdout: "" });
  });

  it("may be pasted on a terminal", async () => {
    const pasted = await piped(event({ installationId: "ins_80c1cca5" }), TERMINAL);
    expect(pasted.stdout).toBe("ins_80c1cca5\n");
    expect(pasted.stderr).toContain("Paste the text, then press Enter and Ctrl-D.");
  });
});

it("does not colour healthy states", async () => {
  for (const words of ["auth list", "auth status", "installations list", "invites list"]) {
    const { code, stdout } = await run(words.split(" "), { tty: true, sandbox: sandboxAt() });
    expect({ code, painted: stdout.match(/\[32m\P{Cc}*/gu) }).toEqual({
      code: 0,
      painted: null,
    });
    expect(stdout).toMatch(/\[(?:1|2)m/u);
  }
});

describe("amp installations list --all-integrations", () => {
  it("lists every integration by name, whatever the default", async () => {
    const { code, stdout } = await list(["--all-integrations"], { ...TERMINAL, columns: 140 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GROUP .* INTEGRATION$/mu);
    expect(stdout).toMatch(/billing-sync$/mu);
    const { requests } = await list(["--all-integrations", "--json"]);
    expect(requests.map(({ path }) => path)).toEqual(["/projects/acme/installations"]);
  });

  it("cannot be combined with one integration, but with a default", async () => {
    const both = await list([CRM, "--all-integrations"]);
    expect(both).toMatchObject({ code: 2, requests: [] });
    expect(both.stderr).toContain("<integration> and --all-integrations conflict");
  });

  it("is suggested where a setting other than the profile limits the list", async () => {
    const set = { ...TERMINAL, columns: 140, env: { ...TERMINAL.env, AMP_INTEGRATION: CRM } };
    for (const world of [set, { env: set.env }]) {
      expect((await list([], world)).stderr).toContain(
        "Only integration crm-sync of project acme (AMP_INTEGRATION). Add --all-integrations for the whole project.",
      );
    }
    expect((await list([], TERMINAL)).stderr).toMatch(
      /^Showing installations of project acme\.\n/u,
    );
    expect((await list([CRM], TERMINAL)).stderr).not.toContain("--all-integrations");
    expect((await list(["--all-integrations"], TERMINAL)).stderr).toMatch(
      /^Showing installations of project acme\.\n/u,
    );
    const specOnly = sandboxAt(NOW, { specOnly: true });
    const none = await list(["--all-integrations"], { ...TERMINAL, sandbox: specOnly });
    expect(none.stderr).not.toContain("Showing");
    const only = await list([], { ...TERMINAL, columns: 140, sandbox: specOnly });
    expect(only.code).toBe(0);
    expect(only.stderr).toMatch(
      /^Only integration \S+ of project acme \(profile sandbox\): this service lists installations by integration\.\n/u,
    );
  });

  it("shows no column for the integration where rows have only one", async () => {
    expect((await list([OTHER], TERMINAL)).stdout).not.toContain("INTEGRATION");
    const cheers = await list(["--all-integrations", "--group-ref", "cheers"], TERMINAL);
    expect(cheers.stdout).not.toMatch(/^GROUP .*INTEGRATION/mu);
  });
});

describe("3,000 installations over six integrations", () => {
  const names = ["crm", "billing", "support", "marketing", "hr", "warehouse"];
  const uuid = (at: number) => `${at}13e9685-9a51-42cc-8662-9d9725b17f14`;
  const many = Array.from({ length: 3_000 }, (_, at) => ({
    ...BARE,
    id: `ins_${(0x7a3c0000 + at * 7919).toString(16)}`,
    integrationId: uuid(at % 6),
    healthStatus: at % 5 === 0 ? "unhealthy" : "healthy",
    lastOperationStatus: at % 5 === 0 ? "failure" : "in_progress",
    updateTime: "2026-08-30T00:00:00Z",
    connection: {
      id: `con_${at}`,
      provider: at % 6 === 3 ? "salesforceMarketingCloud" : "hubspot",
      status: at % 10 === 0 ? "bad_credentials" : "working",
    },
    group: { groupName: `Café ${at % 7} Holding Company ${at}`, groupRef: `g${at}` },
  }));
  const world = (columns: number): RunInput => ({
    ...TERMINAL,
    columns,
    sandbox: undefined,
    fetch: async ({ url }) =>
      Response.json(
        url.endsWith("/integrations")
          ? names.map((name, at) => ({ id: uuid(at), name: `${name}-sync` }))
          : many,
      ),
  });

  it.each([60, 80, 140])("are a list of %i columns", async (columns) => {
    const { stdout, stderr } = await list([], world(columns));
    const lines = stdout.split("\n");
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    for (const { id } of many) expect(stdout).toContain(id);
    const shown = `${lines.slice(0, 18).join("\n")}\n…\n${stderr}`;
    await expect(shown).toMatchFileSnapshot(`./golden/installations-3000-${columns}.txt`);
  });

  it("are searched by name across all integrations", async () => {
    const { stdout } = await get(["company holding cafe 2999", "-o", "id"], world(80));
    expect(stdout.trim()).toBe(many[2_999]?.id);
    const { code, stderr } = await get(["caffe 3 holding company 2998"], world(80));
    expect(code).toBe(3);
    expect(stderr).toContain("Searched the 3,000 installations of project acme.");
    expect(stderr).toContain("Did you mean");
  });
});

describe("a customer of another project", () => {
  const sandbox = sandboxAt();
  const project = ["--project", "globex-staging"];

  it.each(["installations get", "case create", "installations wait"])(
    "is named by amp %s with its project",
    async (path) => {
      const more = path.endsWith("wait") ? ["--for", "health=healthy", "--within", "1s"] : [];
      const words = [...path.split(" "), "cyberdyne", ...more, ...project];
      const { code, stderr } = await run(words, { sandbox });
      expect(code).toBe(3);
      expect(stderr).toContain("Project acme has one that matches.");
      expect(stderr).toMatch(/Try: amp .* cyberdyne .*--project acme/u);
    },
  );
});
