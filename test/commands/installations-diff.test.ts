import { writeFileSync } from "node:fs";
import { join } from "node:path";
import displayWidth from "string-width";
import { describe, expect, it } from "vitest";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { HOSTILE } from "../ui/hostile.ts";
import { list, TERMINAL } from "./installations-at.ts";

const diff = (args: readonly string[], world: RunInput = {}) =>
  run(["installations", "diff", ...args], { sandbox: sandboxAt(), ...world });

/** Cyberdyne, which the tests change in a saved list. */
const CYBERDYNE = "ins_08139571";

interface Saved {
  id: string;
  healthStatus: string;
  lastOperationStatus?: string;
  connection: Record<string, unknown>;
  config: { content: { read: { objects: Record<string, Record<string, unknown>> } } };
}

/** A folder with monday.json: the list of the sandbox, changed. */
async function monday(change: (all: Saved[]) => unknown = (all) => all): Promise<string> {
  const cwd = temporaryFolder();
  const all = (await list(["--all-integrations", "--json"])).json() as Saved[];
  const text = change(all);
  writeFileSync(join(cwd, "monday.json"), typeof text === "string" ? text : JSON.stringify(text));
  return cwd;
}

function cyberdyneThen(all: Saved[]): Saved[] {
  for (const one of all.filter(({ id }) => id === CYBERDYNE)) {
    const { objects } = one.config.content.read;
    const { contacts = {} } = objects;
    const { email: _, ...fields } = contacts.selectedFields as Record<string, boolean>;
    one.healthStatus = "healthy";
    one.lastOperationStatus = "success";
    one.connection.apiKey = "key-in-a-file";
    objects.contacts = {
      ...contacts,
      schedule: "@daily",
      selectedFields: { ...fields, old: true },
    };
    delete objects.deals;
  }
  return all;
}

describe("amp installations diff <installation> --since", () => {
  it.each([60, 80, 140])("says what changed by object and field at %d columns", async (columns) => {
    const cwd = await monday(cyberdyneThen);
    const world = { ...TERMINAL, cwd, columns };
    const { code, stdout, stderr } = await diff(["Cyberdyne", "--since", "monday.json"], world);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/installations-diff-${columns}.txt`);
  });

  it("finds nothing in the list of now, also one of lines or of one installation", async () => {
    for (const change of [
      (all: Saved[]) => all,
      (all: Saved[]) => all.map((one) => JSON.stringify(one)).join("\n"),
      (all: Saved[]) => all.find(({ id }) => id === CYBERDYNE),
    ]) {
      const cwd = await monday(change);
      const args = [CYBERDYNE, "--since", "monday.json", "--exit-code"];
      const { code, stdout, stderr } = await diff(args, { cwd });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toContain("Configuration: the same");
    }
  });

  it("ends with 8 on request alone, with the reason as JSON where stderr is for programs", async () => {
    const cwd = await monday(cyberdyneThen);
    const args = [CYBERDYNE, "--since", "monday.json"];
    expect(await diff(args, { cwd })).toMatchObject({ code: 0 });
    expect(await diff([...args, "--exit-code"], { cwd })).toMatchObject({ code: 8 });
    const failed = await diff([...args, "--exit-code", "--json"], { cwd });
    expect(failed.code).toBe(8);
    expect(failed.error()).toMatchObject({ code: "check", exitCode: 8 });
  });

  it("shows no secret of a saved list, in any format", async () => {
    const cwd = await monday(cyberdyneThen);
    for (const format of [
      "table",
      "json",
      "ndjson",
      "yaml",
      "csv",
      "tsv",
      "markdown",
      "env",
      "id",
    ]) {
      const args = [CYBERDYNE, "--since", "monday.json", "-o", format];
      const { code, stdout, stderr } = await diff(args, { cwd });
      expect({ format, code }).toEqual({ format, code: 0 });
      expect(stdout + stderr).not.toContain("key-in-a-file");
    }
  });

  it("is rows of what changed in a pipe, with the rest on stderr", async () => {
    const cwd = await monday(cyberdyneThen);
    const { stdout, stderr } = await diff([CYBERDYNE, "--since", "monday.json"], { cwd });
    expect(stdout.split("\n")).toContain("changed\tread\tcontacts\tschedule\t@daily\t*/15 * * * *");
    expect(stderr).toMatch(
      /^\n?Configuration: 4 differences +Cyberdyne Systems \(ins_08139571\) since monday/u,
    );
    expect(stderr).not.toContain("@daily");
  });

  it("says that one was added or uninstalled since, which is a difference", async () => {
    const added = await monday((all) => all.filter(({ id }) => id !== CYBERDYNE));
    const args = ["--since", "monday.json", "--exit-code"];
    const fresh = await diff(["Cyberdyne", ...args], { ...TERMINAL, cwd: added });
    expect(fresh.code).toBe(8);
    expect(fresh.stdout).toContain("Cyberdyne Systems is not in monday.json");
    const gone = await monday((all) => [
      ...all,
      { ...all[0], id: "ins_gone", group: { groupName: "Gone Inc" }, connection: {} },
    ]);
    const removed = await diff(["Gone", ...args], { ...TERMINAL, cwd: gone });
    expect(removed.code).toBe(8);
    expect(removed.stdout.replaceAll("\n", " ")).toContain(
      "Gone Inc is in monday.json, but no longer listed",
    );
    const neither = await diff(["Nobody", ...args], { cwd: gone });
    expect(neither).toMatchObject({ code: 3, stdout: "" });
    expect(neither.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "monday.json does not have it either",
    );
  });

  it("compares only the fields of a list that was saved with --fields", async () => {
    const cwd = await monday((all) => all.map(({ id }) => ({ id, healthStatus: "healthy" })));
    const { stdout } = await diff([CYBERDYNE, "--since", "monday.json", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      changes: [{ field: "healthStatus", before: "healthy", after: "unhealthy" }],
      leftOut: expect.stringContaining("connection"),
    });
  });

  it("does not compare the columns of a list that was saved with --fields", async () => {
    const cwd = await monday((all) => all.map(({ id }) => ({ id, health: "unhealthy" })));
    const { stdout } = await diff([CYBERDYNE, "--since", "monday.json", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ changes: [] });
  });

  it("refuses what is not a saved list before anything is sent", async () => {
    for (const [text, words] of [
      ["", "is not valid JSON"],
      ["[{", "is not valid JSON"],
      ['{"id":"a"}\n{"id":', "Line 2 is not valid JSON"],
      ["7", "neither a list nor an object"],
      ['[1, null, {"id": 7}]', "no record with an id"],
      [`[${"{},".repeat(2_100_000)}{}]`, "too many values"],
      ["[".repeat(300_000), "too many values, fields or levels"],
    ] as const) {
      const cwd = await monday(() => text);
      const { code, stderr, requests } = await diff([CYBERDYNE, "--since", "monday.json"], { cwd });
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain("monday.json is not a saved list of installations");
      expect(stderr).toContain(words);
    }
    expect((await diff([CYBERDYNE, "--since", "none.json"])).stderr).toContain(
      "Cannot read none.json",
    );
  });

  it("shows hostile names and values of a saved list harmless", async () => {
    const cwd = await monday((all) =>
      all.map((one) => ({
        ...one,
        ...HOSTILE,
        group: { groupName: HOSTILE.clearScreen },
        config: {
          content: {
            read: {
              objects: Object.fromEntries(
                Object.values(HOSTILE).map((name) => [name, { schedule: name }]),
              ),
            },
          },
        },
      })),
    );
    for (const world of [{}, TERMINAL, { ...TERMINAL, columns: 30 }]) {
      const { code, stdout, stderr } = await diff([CYBERDYNE, "--since", "monday.json"], {
        ...world,
        cwd,
      });
      expect(code).toBe(0);
      expect((stdout + stderr).replaceAll(/[\n\t]/gu, "")).not.toMatch(/\p{Cc}|\u202e|\u2066/u);
    }
  });
});

describe("amp installations diff <installation> <other>", () => {
  it("omits fields that always differ, and says so", async () => {
    const result = await diff(["ins_483f5d58", "ins_0488dbb8", "--json"]);
    expect(result.json()).toMatchObject({
      before: { id: "ins_483f5d58", group: "Stark Industries" },
      after: { id: "ins_0488dbb8", group: "Stark Industries" },
      leftOut: "IDs, times, creators, group, consumer and secrets",
    });
    const { changes } = result.json() as { changes: { area: string; field: string }[] };
    const fields = changes.map(({ area, field }) => `${area}/${field}`);
    expect(fields).toContain("connection/authScheme");
    for (const field of ["installation/id", "connection/id", "config/revisionId"]) {
      expect(fields).not.toContain(field);
    }
    const all = (await diff(["ins_483f5d58", "ins_0488dbb8", "--all", "--json"])).json();
    expect(all).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ field: "id" })]),
    });
    expect(all).not.toHaveProperty("leftOut");
  });

  it("leaves out secrets, unless every field is wanted", async () => {
    // One has an API key, the other OAuth tokens.
    const two = ["ins_80c1cca5", "ins_a628d58a", "--json"];
    const { stdout, json } = await diff(two);
    expect(stdout).not.toContain("[redacted]");
    expect(json()).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ field: "authScheme" })]),
    });
    expect((await diff([...two, "--all"])).stdout).toContain("[redacted]");
  });

  it("asks which of several matches is meant, or lists them", async () => {
    const { code, stderr } = await diff(["Initech", "Umbrella Corp"]);
    expect(code).toBe(5);
    expect(stderr).toContain("3 installations match");
    expect((await diff(["Bluth", "Nobody"])).code).toBe(3);
  });

  it("chooses the only integration that both names have in common", async () => {
    const { json } = await diff(["Bluth Company", "Stark Industries", "--json"]);
    expect(json()).toMatchObject({ before: { id: "ins_cbde36a4" }, after: { id: "ins_0488dbb8" } });
  });

  it("says the configuration first, and by --config nothing else", async () => {
    const args = ["Initech", "Cyberdyne", "--exit-code"];
    const whole = await diff(args, TERMINAL);
    expect(whole.code).toBe(8);
    expect(whole.stdout).toMatch(/^Configuration: the same\n.*\n\nStatus\n +~ Health/u);
    const config = await diff([...args, "--config"], TERMINAL);
    expect(config.code).toBe(0);
    expect(config.stdout).not.toContain("Health");
    expect((await diff(["Bluth", "Stark", "--config", "--exit-code"])).code).toBe(0);

    expect((await diff(["Cyberdyne", "Gringotts", "--config", "--exit-code"])).code).toBe(8);
  });

  it("leads from a mistyped name to the same comparison", async () => {
    const first = await diff(["Cyberdin", "Initech"]);
    expect(first.stderr).toContain("Try: amp installations diff 'Cyberdyne Systems' Initech");
    const other = await diff(["Gringotts", "Cyberdin", "--config"]);
    expect(other.stderr).toContain(
      "Try: amp installations diff Gringotts 'Cyberdyne Systems' --config",
    );
  });

  it("refuses arguments that cannot be compared", async () => {
    for (const [args, words] of [
      [["a"], "Nothing to compare with"],
      [["a", "b", "--since", "x.json"], "<other> and --since conflict"],
      [["a", "--since", "x.json", "--all"], "--all has no effect with --since"],
    ] as const) {
      const { code, stderr, requests } = await diff(args);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(words);
    }
    const same = await diff([CYBERDYNE, "Cyberdyne"]);
    expect(same.code).toBe(2);
    expect(same.stderr).toContain(`Both arguments match the installation ${CYBERDYNE}`);
  });

  it("works where installations are listed by integration only", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { code } = await diff(["Hooli", "Cyberdyne", "--json"], { sandbox });
    expect(code).toBe(0);
  });
});
