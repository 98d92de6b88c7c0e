import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manPages } from "../../build/man.ts";
import { fixtureRoutes, HOSTILE } from "../cli/fixture-routes.ts";
import { commandEntries, commandTree } from "../command-tree.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const edition = { version: "1.2.3", date: new Date("2026-11-09T23:59:59Z") };
const pages = manPages(await commandTree(), edition);
const entries = await commandEntries();

const without = spawnSync("mandoc", ["-h"]).error !== undefined;
const why = without ? " (skipped: no mandoc; apt-get install mandoc)" : "";

/** Writes pages where mandoc reads them. */
function saved(these: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, page] of Object.entries(these)) writeFileSync(join(folder, name), page);
  return folder;
}

/** The text of a page as a terminal of any width shows it, without its overstrikes. */
function shown(page: string): string {
  const cwd = saved({ "page.1": page });
  const words = ["-T", "utf8", "-O", "width=400", "page.1"];
  const { stdout } = spawnSync("mandoc", words, { cwd, encoding: "utf8" });
  const parts = stdout.split("\b");
  return parts.map((part, at) => (at < parts.length - 1 ? part.slice(0, -1) : part)).join("");
}

/** The part of the pages about a command. */
function partOf(command: string): string {
  const [, noun = "", ...rest] = command.split(" ");
  const page = pages[noun === "" ? "amp.1" : `amp-${noun}.1`] ?? "";
  if (rest.length === 0) return page;
  const title = `.Ss ${command.replaceAll("-", "\\-")}\n`;
  return page.split(/^(?=\.S[sh] )/mu).find((part) => part.startsWith(title)) ?? "";
}

describe("the man pages", () => {
  it("has a page for amp, each group and topic, and a part for each command with its options", () => {
    expect(Object.keys(pages)).toEqual(
      expect.arrayContaining(["amp.1", "amp-notify.1", "amp-listen.1", "amp-ci.7", "amp-files.5"]),
    );
    for (const { command, options } of entries) {
      const part = partOf(command);
      expect(part, command).not.toBe("");
      for (const { name } of options)
        expect(part, `${command} ${name}`).toMatch(
          new RegExp(
            `^\\.It (?:Fl \\S+ , )?Fl ${name.slice(1).replaceAll("-", "\\\\-")}(?: |$)`,
            "mu",
          ),
        );
    }
  });

  it("is dated by the commit, and the same whenever it is made", async () => {
    expect(pages["amp.1"]?.split("\n").slice(0, 3)).toEqual([
      ".Dd November 9, 2026",
      ".Dt AMP 1",
      ".Os amp\\-admin 1.2.3",
    ]);
    expect(manPages(await commandTree(), edition)).toEqual(pages);
  });

  it("escapes what roff would interpret", async () => {
    const [page = ""] = Object.values(manPages(await commandTree(fixtureRoutes), edition)).slice(1);
    expect(page).toContain(".It Fl \\-unripe\nit\\(aqs \\(dq50%\\(dq \\(gaoff\\(ga");
    expect(page.replaceAll("\n", " ")).toContain("\\en [a:b] #!; | & <x> *");
    expect(page).not.toMatch(/^\.(?![A-Z][a-z]\b)/mu);
  });
});

describe.skipIf(without)(`mandoc${why}`, () => {
  it("has no warning about any page", () => {
    const words = ["-T", "lint", "-W", "warning", ...Object.keys(pages)];
    const { stdout, status } = spawnSync("mandoc", words, { cwd: saved(pages), encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it("shows hostile text as it is", async () => {
    const [page = ""] = Object.values(manPages(await commandTree(fixtureRoutes), edition)).slice(1);
    expect(shown(page)).toContain("--unripe\n");
    expect(shown(page).replaceAll(/\s+/gu, " ")).toContain(HOSTILE.replaceAll(/\s+/gu, " "));
  });

  it("shows every example as it is typed", () => {
    for (const { command, examples } of entries) {
      if (command === "amp") continue;
      const text = shown(pages[`amp-${command.split(" ")[1]}.1`] ?? "");
      for (const { run } of examples) expect(text).toContain(run);
    }
  });
});
