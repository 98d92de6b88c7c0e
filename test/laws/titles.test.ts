import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";

/** The titles in a test file that begin with a pronoun instead of their subject. */
function vagueTitles(text: string): string[] {
  const titles = text.matchAll(/\b(?:describe|test|it)\b[^"`;]{0,400}?\(\s*(["`])(.+?)\1/gu);
  return [...titles].flatMap(([, , title = ""]) =>
    /^(?:it|what|the same|they|these|those|this)\b/iu.test(title) ? [title] : [],
  );
}

describe("the title of a test", () => {
  it("names its subject", () => {
    const found = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".test.ts") && path !== "laws/titles.test.ts")
      .flatMap((path) =>
        vagueTitles(readFileSync(join(ROOT, "test", path), "utf8")).map((one) => `${path}: ${one}`),
      );
    expect(found).toEqual([]);
  });

  it.each(['it("what is kept", ', "test(`the same for all`, ", 'describe.each([1])("it ends", '])(
    "is found vague in %s",
    (text) => {
      expect(vagueTitles(text)).toHaveLength(1);
    },
  );
});
