import { describe, expect, it } from "vitest";
import { type Outcome, run, sandboxAt } from "../harness.ts";

const TERMINAL = { tty: { out: true }, env: { NO_COLOR: "1" } };
const amp = (words: readonly string[], more: object = {}): Promise<Outcome> =>
  run(["connections", ...words], { sandbox: sandboxAt(), ...more });

describe("amp connections list", () => {
  it("shows whose they are, and whether they work", async () => {
    const { code, stdout } = await amp(["list"], { ...TERMINAL, columns: 340 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GROUP +STATUS +PROVIDER +CONSUMER +SCHEME +CREATED +ID/u);
    expect(stdout).toMatch(/bad credentials/u);
    expect(stdout.trimEnd().split("\n")).toHaveLength(41);
  });

  it("shows on any width whether they work", async () => {
    for (const columns of [60, 80]) {
      const { stdout } = await amp(["list"], { ...TERMINAL, columns });
      expect(stdout).toMatch(/^Bluth Company +bad credentials /mu);
    }
  });

  it.each([
    ["provider", "hubspot", 20],
    ["group-ref", "initech", 3],
    ["consumer-ref", "usr-initech", 3],
  ])("is limited by --%s", async (option, value, count) => {
    const { requests, json } = await amp(["list", `--${option}`, value, "--json"]);
    const [query] = requests.map(({ path }) => path.split("?")[1]);
    expect(query).toBe(`${option.replace(/-r/u, "R")}=${value}`);
    expect(json()).toHaveLength(count);
  });

  it.each([
    ["connections list", "--group-ref", "Initech", "group ref", "initech"],
    ["connections list", "--provider", "hubspt", "provider", "hubspot"],
    ["connections list", "--consumer-ref", "Admin of Initech", "consumer ref", "usr-initech"],
    ["installations list", "--group-ref", "Umbrela", "group ref", "umbrella"],
  ])("of a value that none has leads to the nearest: amp %s %s %s", async (...row) => {
    const [command, option, typed, field, near] = row;
    const list = (value: string, ...more: string[]) =>
      run([...command.split(" "), option, value, ...more], { sandbox: sandboxAt() });
    const { code, stdout, stderr } = await list(typed);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain(`has the ${field} "${typed}". Did you mean ${near}?`);
    expect(stderr).toContain(` ${option} ${near}\n`);
    expect((await list(near)).stdout).not.toBe("");
    const json = await list(typed, "--json");
    expect(json).toMatchObject({ stdout: "[]\n", stderr: "" });
    expect(json.requests).toHaveLength(1);
    expect((await list("zzzzz")).stderr).toMatch(/^No \w+ has the .* "zzzzz"\.\n/mu);
  });

  it("of two values says only of the one that none has that none has it", async () => {
    const both = ["list", "--group-ref", "initech", "--provider"];
    expect((await amp([...both, "hubspt"])).stderr).toContain(
      "Did you mean hubspot?  amp connections list --provider hubspot --group-ref initech\n",
    );
    const apart = ["list", "--group-ref", "initech", "--consumer-ref", "usr-northwind"];
    expect(await amp(apart)).toMatchObject({ stdout: "", stderr: "" });
  });

  it("never asks for credentials, and hides those that come", async () => {
    const body = [{ id: "con_1", apiKey: "hush-hush-1", oauth2: { accessToken: "hush-hush-2" } }];
    for (const words of [["list"], ["get", "con_1"]]) {
      const { requests, stdout, stderr } = await amp([...words, "--json"], {
        sandbox: undefined,
        replies: [{ path: "/projects/acme/connections", body }],
      });
      expect(requests).toHaveLength(1);
      expect(stdout).toContain('"apiKey": "[redacted]"');
      expect(stdout + stderr).not.toContain("hush-hush");
    }
  });

  it("says so where the service has no list", async () => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const { code, stderr } = await amp(["list"], { sandbox });
    expect(code).toBe(3);
    expect(stderr).toContain("This service does not list connections");
  });
});

describe("amp connections get", () => {
  it("finds one by ID, prefix, group and consumer, and shows it as a page", async () => {
    const all = (await amp(["list", "--json"])).json() as {
      id: string;
      group: { groupName: string };
      consumer: { consumerRef: string };
    }[];
    const counts = Map.groupBy(all, ({ group }) => group.groupName);
    const only = all.find(({ group }) => counts.get(group.groupName)?.length === 1);
    if (only === undefined) throw new Error("the seed has changed");
    const { id, group, consumer } = only;
    for (const wanted of [id, id.slice(0, 9), group.groupName, consumer.consumerRef]) {
      const { code, json } = await amp(["get", wanted, "--json"]);
      expect({ wanted, code }).toEqual({ wanted, code: 0 });
      expect(json()).toMatchObject({ id });
    }
    const { stdout } = await amp(["get", id], TERMINAL);
    expect(stdout).toMatch(new RegExp(`^${group.groupName} +\\w+ · ${id}\\n`, "u"));
    expect(stdout).toMatch(/^Status +\w+/mu);
    expect(stdout).toContain(`ref ${consumer.consumerRef}`);
    const [next] = /amp installations get con_\w+/u.exec(stdout) ?? [];
    expect(next).toBe(`amp installations get ${id}`);
    const its = await run([...String(next).split(" ").slice(1), "--json"], {
      sandbox: sandboxAt(),
    });
    expect(its.json()).toMatchObject({ connection: { id } });
  });

  it("lists several with what tells them apart, exit 5", async () => {
    const { code, error } = await amp(["get", "Initech", "--json"]);
    expect(code).toBe(5);
    const { candidates } = error() as { candidates: { provider: string; status: string }[] };
    expect(candidates.map(({ provider }) => provider).sort()).toEqual([
      "hubspot",
      "stripe",
      "zendesk",
    ]);
  });

  it("exits 3 for an unknown one, with the nearest", async () => {
    const { code, stderr } = await amp(["get", "Northwynd"]);
    expect(code).toBe(3);
    expect(stderr).toContain('Did you mean "Northwind Traders"?');
  });
});
