import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/api/schemas/installation.ts";
import { run, sandboxAt } from "../harness.ts";
import { answering, BARE, CRM, list, TERMINAL } from "./installations-at.ts";

const UNHEALTHY = ["--filter", "health=unhealthy"];
const ids = (text: string) => text.trimEnd().split("\n").filter(Boolean);

describe("the options of every list", () => {
  it("leave the same items in each format", async () => {
    const wanted = ["ins_80c1cca5"];
    const query = [...UNHEALTHY, "--filter", "group~northwind"];
    const as = async (...words: string[]) => (await list([CRM, ...query, ...words])).stdout;
    expect(ids(await as("-o", "id"))).toEqual(wanted);
    expect((JSON.parse(await as("--json")) as Installation[]).map(({ id }) => id)).toEqual(wanted);
    expect(ids(await as("-o", "ndjson"))).toHaveLength(1);
    expect(ids(await as("-o", "csv"))).toHaveLength(2);
    expect(ids(await as())).toHaveLength(1);
    expect(await as("-o", "count")).toBe("1\n");
    expect(await as("-o", "markdown")).toContain("`ins_80c1cca5`");
  });

  it("say in a pipe that no item meets the filters, and print nothing else", async () => {
    const none = ["--filter", "group~nowhere"];
    for (const format of ["table", "tsv", "id", "csv"]) {
      const { code, stderr } = await list([CRM, ...none, "-o", format]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: "No installation matches the filters (20 searched).\n",
      });
    }
    expect(await list([CRM, ...none])).toMatchObject({ stdout: "" });
    expect(await list([CRM, ...none, "-q"])).toMatchObject({ stdout: "", stderr: "" });
    expect(await list([CRM, ...none, "--json"])).toMatchObject({ stdout: "[]\n", stderr: "" });
    // A mistyped value has a line of its own.
    const mistyped = await list([CRM, "--filter", "health=purple"]);
    expect(mistyped.stderr).toBe("No item has health=purple; seen: healthy, unhealthy.\n");
    expect((await list([CRM, ...UNHEALTHY])).stderr).toBe("");
  });

  it("show the field that a list was sorted by, on a terminal alone", async () => {
    const sorted = [CRM, "--sort-by", "createTime", "--limit", "2"];
    const { stdout } = await list(sorted, TERMINAL);
    expect(stdout).toMatch(/^GROUP +createTime /mu);
    expect(stdout).toMatch(/^\w+ +\d+\w+ ago /mu);
    const nested = await list([CRM, "--sort-by", "config.revisionId"], {
      ...TERMINAL,
      columns: 140,
    });
    expect(nested.stdout).toMatch(/^GROUP +config\.revisionId /mu);
    const columns = (text: string) => text.split("\n")[0]?.split("\t").length;
    expect(columns((await list(sorted)).stdout)).toBe(columns((await list([CRM])).stdout));
    const known = await list([CRM, "--sort-by", "updated"], {
      ...TERMINAL,
      columns: 140,
    });
    expect(known.stdout.match(/updated/giu)).toHaveLength(1);
  });

  it("select before they count, sort and cut", async () => {
    expect((await list([CRM, "-o", "count", ...UNHEALTHY])).stdout).toBe("3\n");
    expect((await list([CRM, "-o", "count", "--limit", "2"])).stdout).toBe("2\n");
    const sorted = await list([CRM, "--sort-by=-updated", "--limit", "3", "-o", "tsv"]);
    const times = ids(sorted.stdout).map((line) => line.split("\t")[5]);
    expect(times).toEqual(times.toSorted().reverse());
    expect(times).toHaveLength(3);
  });

  it("close the list on a terminal with what was left out", async () => {
    expect((await list([CRM, ...UNHEALTHY], TERMINAL)).stderr).toContain(
      "3 of 20 installations · 3 unhealthy",
    );
    expect((await list([CRM, "--limit", "2"], TERMINAL)).stderr).toContain(
      "2 installations · 1 unhealthy · --limit reached",
    );
    const none = await list([CRM, "--filter", "group=nobody"], TERMINAL);
    expect([none.code, none.stdout]).toEqual([0, ""]);
    expect(none.stderr).toContain("\n\n0 of 20 installations\n");
    const noneAsJson = await list([CRM, "--filter", "group=nobody", "--json"]);
    expect([noneAsJson.stdout, noneAsJson.stderr]).toEqual(["[]\n", ""]);
  });

  it("take the names of columns for --fields, and keep fields as they were", async () => {
    const one = [
      CRM,
      "--filter",
      "id=ins_80c1cca5",
      "--fields",
      "Health,id,last-op,connection.status",
    ];
    expect((await list([...one, "--json"])).json()).toEqual([
      {
        Health: "unhealthy",
        id: "ins_80c1cca5",
        "last-op": "failure",
        connection: { status: "bad_credentials" },
      },
    ]);
    expect((await list(one)).stdout).toBe("unhealthy\tins_80c1cca5\tfailure\tbad_credentials\n");
    expect((await list([...one, "-o", "csv"])).stdout).toMatch(
      /^Health,id,last-op,connection\.status\n/u,
    );
    const fields = [CRM, "--limit", "1", "--json", "--fields", "connection"];
    expect((await list(fields)).json()).toEqual([{ connection: expect.any(Object) }]);
  });

  it("show an object by the column of its name, or as text, and whole for one thing", async () => {
    const one = ["--filter", "id=ins_80c1cca5", "--fields", "group,health,config.content.read"];
    const { stdout } = await list([CRM, ...one], TERMINAL);
    expect(stdout).toMatch(/^group +Northwind Traders\n/u);
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain("objects.contacts.schedule = */15 * * * *");
    expect(stdout).not.toContain("…");
    const piped = (await list([CRM, ...one])).stdout;
    expect(piped).toMatch(/^Northwind Traders\tunhealthy\t\{"objects":/u);
    const many = await list([CRM, "--fields", "id,group"], TERMINAL);
    expect(many.stdout).toMatch(/^ins_80c1cca5 +Northwind Traders$/mu);
  });

  it("read what the service sent, not what the views corrected", async () => {
    const odd = { ...BARE, id: "ins_2", updateTime: 5, group: { groupName: "Acme" } };
    const world = () => answering(odd, BARE);
    const only = async (filter: string) =>
      ids((await list([CRM, "--filter", filter, "-o", "id"], world())).stdout);
    expect(await only("updateTime=5")).toEqual(["ins_2"]);
    expect(await only("group.groupName=Acme")).toEqual(["ins_2"]);
    expect(await only("group=Acme")).toEqual(["ins_2"]);
    expect(await only("group=")).toEqual(["ins_1"]);
  });

  it("find an integration by its name in a pipe, as on a terminal", async () => {
    const all = ["--all-integrations", "--filter", "integration=crm-sync", "-o", "count"];
    expect(Number((await list(all)).stdout)).toBeGreaterThan(0);
    expect((await list(all)).stdout).toBe((await list(all, TERMINAL)).stdout);
  });

  it.each([
    { words: ["--filter", "helth=x"], message: /"helth" is not a field or column/u },
    { words: ["--filter", "health"], message: /"health" is not a valid filter/u },
    { words: ["--sort-by", "-helth"], message: /"helth" is not a field or column/u },
    { words: ["--sort-by", ","], message: /--sort-by contains an empty name/u },
    { words: ["--limit", "0"], message: /"0" is not a whole number from 1 to/u },
    { words: ["--limit", "many"], message: /"many" is not a whole number/u },
  ])("refuse $words before anything is sent", async ({ words, message }) => {
    const { code, stdout, stderr, requests } = await list([CRM, ...words]);
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toMatch(message);
  });

  it("are refused where there is no list", async () => {
    const refused = async (...command: string[]) =>
      run([...command, "--filter", "a=b", "--limit", "1"], { sandbox: sandboxAt() });
    const { code, stderr } = await refused("projects", "get");
    expect(code).toBe(2);
    expect(stderr).toMatch(/--filter, --limit have no effect on amp projects get/u);
    // A filter would seem to choose what is deleted.
    expect((await refused("invites", "revoke", "--yes", "x")).code).toBe(2);
  });

  it("name the values that are there where none is the wanted one", async () => {
    const { code, stderr } = await list([CRM, "--filter", "health=unhealty"]);
    expect(code).toBe(0);
    expect(stderr).toContain("No item has health=unhealty; seen: healthy, unhealthy.");
    const json = await list([CRM, "--filter", "health=unhealty", "--json"]);
    expect([json.code, json.stdout, json.stderr]).toEqual([0, "[]\n", ""]);
  });

  it.each([
    ["--filter", "connection.staus=working", "connection.status"],
    ["--filter", "group.grupName!=x", "group.groupName"],
    ["--filter", "config.content.read.objects.leads.disabld=true", "objects.leads.disabled"],
    ["--filter", "config.content.raed.objects=x", "config.content.read.objects"],
    ["--sort-by", "-connection.staus", "connection.status"],
  ])("refuse %s %s, a path that no item has, in each format", async (option, typed, meant) => {
    const { code, stdout, stderr } = await list([CRM, `${option}=${typed}`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/: unknown field (?:connection|group|config)\./u);
    expect(stderr).toContain(meant);
    // What holds for a missing field was written before the end of the list.
    if (!typed.includes("!=")) expect(stdout).toBe("");
    const json = await list([CRM, `${option}=${typed}`, "--json"]);
    expect([json.code, json.error()]).toMatchObject([2, { code: "usage" }]);
    if (!typed.includes("!=")) expect(json.stdout).toBe("");
    expect((await list([CRM, `${option}=${typed}`, "-o", "count"])).code).toBe(2);
  });

  it("refuse a mistyped field of a record, too", async () => {
    for (const format of ["json", "env"]) {
      const line = ["notify", "plan", "-f", "routing.yaml", "-o", format, "--fields", "count"];
      const { code, stdout, stderr, requests } = await run(line, {});
      expect([code, stdout, requests]).toEqual([2, "", []]);
      expect(stderr).toContain("is not a field of the result");
      expect(stderr).toContain("Choose one of: counts");
    }
  });

  it("take the fields of a plan where --dry-run prints one", async () => {
    const line = ["notify", "apply", "-f", "missing.yaml", "--dry-run", "--json"];
    const { stderr } = await run([...line, "--fields", "items"], {});
    expect(stderr).toContain("missing.yaml");
    expect(stderr).not.toContain("--fields");
  });

  it.each([
    // A map may have any name, and an object that nobody describes anything.
    "config.content.read.objects.leads.disabled=true",
    "config.content.write.any.thing=1",
    '"connection.staus"=working',
  ])("warn of %s, which no item has but another may", async (typed) => {
    const { code, stdout, stderr } = await list([CRM, "--filter", typed]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("no item has a field");
    expect((await list([CRM, "--filter", typed, "--json"])).stdout).toBe("[]\n");
  });

  it("say where an integration is given, for an option that there is elsewhere", async () => {
    const { code, stderr } = await list(["--integration", "crm-sync"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Give it as an argument: amp installations list <integration>.");
  });

  it("take a path of which amp knows nothing where an item has it", async () => {
    const path = "connection.oauth2AuthorizationCode.scopes=oauth";
    const { code, stdout } = await list([CRM, "--filter", path, "--limit", "1", "-o", "id"]);
    expect([code, ids(stdout).length]).toEqual([0, 1]);
  });
});

describe("a list with pages", () => {
  const page = (from: number, next?: string) => ({
    method: "GET",
    body: {
      results: [0, 1].map((at) => ({ ...BARE, id: `ins_${from + at}` })),
      pagination: next === undefined ? { done: true } : { done: false, nextPageToken: next },
    },
  });

  it("is requested no further than its limit", async () => {
    const args = ["installations", "list", CRM, "-o", "id", "--limit"];
    const first = await run([...args, "2"], { replies: [page(1, "a")] });
    expect([first.stdout, first.requests.length]).toEqual(["ins_1\nins_2\n", 1]);
    const more = await run([...args, "3"], { replies: [page(1, "a"), page(3, "b")] });
    expect([more.stdout, more.requests.length]).toEqual(["ins_1\nins_2\nins_3\n", 2]);
  });
});

it.each(["1 Sep", "yesterday", "tue 00:00", "1 day 9 h", "2026-09-01 02:00 GMT+2 (00:00 UTC)"])(
  "filters by the time %s as --since does",
  async (time) => {
    const sandbox = sandboxAt();
    const filtered = ["installations", "operations", "cyberdyne", "--limit", "1000", "-o", "id"];
    const [since, filter] = await Promise.all([
      run([...filtered, "--since", time], { sandbox }),
      run([...filtered, "--filter", `createTime>=${time}`], { sandbox }),
    ]);
    expect(since.code).toBe(0);
    expect(since.stdout.split("\n").length).toBeGreaterThan(5);
    expect(filter.stdout).toBe(since.stdout);
  },
);
