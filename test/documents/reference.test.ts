import { describe, expect, it } from "vitest";
import { readTree } from "../../src/cli/tree.ts";
import { EXIT } from "../../src/errors.ts";
import { SETTINGS } from "../../src/settings.ts";
import { fixtureRoutes, HOSTILE } from "../cli/fixture-routes.ts";
import { reference } from "./reference.ts";

const page = reference(await readTree(fixtureRoutes));

/** What stands below a heading, up to the next. */
function section(heading: string): string {
  return page.split(/^(?=#{2,3} )/mu).find((part) => part.startsWith(`${heading}\n`)) ?? "";
}

describe("the reference", () => {
  it("describes a command as its help does", () => {
    expect(section("### amp fruit pick")).toMatchInlineSnapshot(`
      "### amp fruit pick

      Pick some.

      \`\`\`text
      amp fruit pick <kind> [basket]… --pieces <n> [options]
      \`\`\`

      Arguments:
      - \`kind\`: what to pick (one of apple, apricot, pear)
      - \`basket\`: where to put it

      Options:
      - \`--pieces <n>\`: how many \\| at least
      - \`--dry-run\`: print the requests without sending them

      \`\`\`sh
      amp fruit pick apple basket.txt --pieces 3
      \`\`\`

      "
    `);
  });

  it("sets the lines of a description apart that are set in", () => {
    expect(section("### amp fruit list")).toContain(
      "The fruit of one orchard.\n\nWith tags:\n\n```text\nripe  now\nraw   later\n```\n\nAlso:",
    );
  });

  it("lists aliases and the notes of examples", () => {
    expect(section("### amp fruit list")).toContain("Also: `ls`");
    expect(section("### amp fruit list")).toContain(
      "# oldest first\namp fruit list north --sort age",
    );
  });

  it("lets no text of the tree be read as Markdown", () => {
    expect(section("### amp fruit list")).toContain(
      `- \`--unripe\`: ${HOSTILE.replace(/[\\`[\]<|*]/gu, "\\$&")}`,
    );
  });

  it("lists every command in its contents, each link leading to a heading", () => {
    const anchors = [...page.matchAll(/\]\(#([^)]+)\)/gu)].map((match) => match[1]);
    const headings = [...page.matchAll(/^#{2,3} (.+)$/gmu)].map((match) =>
      match[1]?.toLowerCase().replaceAll(" ", "-"),
    );
    expect(new Set(anchors)).toEqual(new Set(headings));
    expect(headings).toContain("amp-fruit-press-turn");
  });

  it("lists every global option, variable and exit code", () => {
    for (const setting of Object.values(SETTINGS)) {
      if ("flags" in setting && !("hidden" in setting))
        expect(page).toContain(`- \`${setting.flags}\`: `);
      if ("env" in setting) expect(section("## Environment")).toContain(`| \`${setting.env}\` |`);
    }
    for (const { code, meaning } of Object.values(EXIT)) {
      expect(section("## Exit codes")).toContain(`| ${code} | ${meaning} |`);
    }
  });
});
