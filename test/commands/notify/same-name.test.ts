import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const OTHER = ROUTING.replaceAll("ops", "billing").replaceAll("lifecycle", "invoices");
const NOTHING = "version: 1\ndestinations: {}\ntopics: {}\n";
const SAYS = "Another file was applied under the name routing";

function apply(folder: string, more = "") {
  return `apply -f ${folder}/routing.yaml --yes${more}`;
}

function folders() {
  const place = placeWith();
  for (const folder of ["t1", "t2"]) mkdirSync(join(place.cwd, folder));
  place.write("t1/routing.yaml", ROUTING);
  return place;
}

/** Two folders with different routings in files of the same name, the first of them applied. */
async function twoFolders() {
  const place = folders();
  place.write("t2/routing.yaml", OTHER);
  const first = await place.notify(apply("t1", " --prune"));
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).not.toContain(SAYS);
  return place;
}

describe("two files of one name", () => {
  it("do not prune what the other one made", async () => {
    const place = await twoFolders();
    for (const command of [
      apply("t2", " --prune"),
      apply("t2", " --prune --dry-run"),
      "plan -f t2/routing.yaml --prune",
      "plan -f t2/routing.yaml --prune --out plan.json",
    ]) {
      const refused = await place.notify(command);
      expect(refused).toMatchObject({ code: 5 });
      expect(refused.stderr).toMatch(/under the name routing: \S*t1\/routing\.yaml/u);
      expect(refused.stderr).toContain("Give each file a name of its own");
      expect(writesOf(refused)).toEqual([]);
    }
    expect(place.has("plan.json")).toBe(false);
  });

  it("are named by paths that can be opened, wherever the state is", async () => {
    const place = await twoFolders();
    const { stderr } = await place.notify("plan -f t2/routing.yaml");
    const [, path = ""] =
      /under the name routing: (\/\S+\/t1\/routing\.yaml)\./u.exec(stderr) ?? [];
    expect(path).not.toContain("..");
    expect(existsSync(path)).toBe(true);
  });

  it("are both applied without --prune, which says so, and are told apart in both directions", async () => {
    const place = await twoFolders();
    const plan = await place.notify("plan -f t2/routing.yaml");
    expect(plan).toMatchObject({ code: 0 });
    expect(plan.stderr).toContain(SAYS);
    const second = await place.notify(apply("t2"));
    expect(second).toMatchObject({ code: 0 });
    expect(second.stderr).toContain(SAYS);
    for (const folder of ["t1", "t2"]) {
      const refused = await place.notify(apply(folder, " --prune"));
      expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    }
  });

  it("prune nothing of each other once each has a name", async () => {
    const place = await twoFolders();
    await place.notify(apply("t2"));
    for (const folder of ["t1", "t2"]) {
      const text = folder === "t1" ? ROUTING : OTHER;
      place.write(`${folder}/routing.yaml`, `${text}name: ${folder}\n`);
      expect(await place.notify(apply(folder))).toMatchObject({ code: 0 });
    }
    for (const folder of ["t1", "t2"]) {
      const pruned = await place.notify(apply(folder, " --prune"));
      expect([pruned.code, writesOf(pruned)]).toEqual([0, []]);
    }
  });

  it("prune where the file has moved and has its earlier name as its own", async () => {
    const place = await twoFolders();
    place.write("t2/routing.yaml", NOTHING);
    expect((await place.notify(apply("t2", " --prune"))).code).toBe(5);
    place.write("t2/routing.yaml", `${NOTHING}name: routing\n`);
    const pruned = await place.notify(apply("t2", " --prune"));
    expect(pruned.code).toBe(0);
    expect(pruned.stderr).toContain(SAYS);
    expect(writesOf(pruned)).toHaveLength(5);
    expect((await place.notify("plan -f t2/routing.yaml")).stderr).not.toContain(SAYS);
  });

  it("say nothing of a file that has its name as its own, unless a prune deletes something", async () => {
    const place = folders();
    const named = `${ROUTING}name: hand\n`;
    place.write("t1/routing.yaml", named);
    place.write("t2/routing.yaml", named);
    await place.notify(apply("t1"));
    for (const command of ["plan -f t2/routing.yaml", apply("t2")]) {
      const quiet = await place.notify(command);
      expect([quiet.code, quiet.stderr.includes("Another file")]).toEqual([0, false]);
    }
    place.write("t1/routing.yaml", named.replace(", connection.error", ""));
    const pruned = await place.notify(apply("t1", " --prune"));
    expect([pruned.code, writesOf(pruned).length]).toEqual([0, 1]);
    expect(pruned.stderr).toContain("--prune deletes what only that file contains.");
    expect(pruned.stderr).not.toContain("Give each file a name");
  });

  it("are one file by whatever path it is typed, and in a saved plan", async () => {
    const place = await twoFolders();
    place.write("t1/routing.yaml", ROUTING.replace(", connection.error", ""));
    const planned = await place.notify("plan -f t1/../t1/routing.yaml --prune --out plan.json");
    expect(planned.code).toBe(0);
    const applied = await place.notify("apply -f t1/routing.yaml --prune --plan plan.json");
    expect(applied.code).toBe(0);
    expect(writesOf(applied)).toHaveLength(1);
    expect((await place.notify(apply("t1", " --prune"))).stderr).not.toContain(SAYS);
  });
});
