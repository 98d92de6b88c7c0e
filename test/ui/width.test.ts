import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { displayWidth, pad, sanitize, sanitizeLine, truncate, wrap } from "../../src/ui/text.ts";
import { anyText } from "./hostile.ts";

const shown = anyText.map((text) => sanitizeLine(text));

describe("displayWidth", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["abc…", 4],
    ["東京", 4],
    ["東京…", 5],
    ["👩‍🚀", 2],
    ["e\u0301", 1],
  ])("%j takes %i cells", (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });

  it("displayWidth agrees with string-width", () => {
    const letters = fc.string({
      unit: fc.constantFrom(..."aZ ~éßŁ…«Ωжяひカ東京서한‰"),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(letters, shown), (text) => {
        // The one script in which string-width joins graphemes.
        fc.pre(!/[\u{16d63}-\u{16d6a}]/u.test(text));
        expect(displayWidth(text)).toBe(stringWidth(text));
      }),
    );
  });

  it("agrees with it about each character of the first plane", () => {
    const differing: string[] = [];
    for (let code = 0x20; code <= 0xffff; code += 1) {
      // Half a character is none.
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCharCode(code);
      if (displayWidth(text) !== stringWidth(text)) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });
});

describe("truncate", () => {
  it.each([
    ["installation", 12, "installation"],
    ["installation", 8, "install…"],
    ["Acme Corp", 6, "Acme…"],
    ["東京ガス", 6, "東京…"],
    ["東京ガス", 5, "東京…"],
    ["東京ガス", 4, "東…"],
    ["👩‍🚀👩‍🚀", 3, "👩‍🚀…"],
    ["👩‍🚀👩‍🚀", 2, "…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
  ])("%j in %i cells is %j", (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected);
  });

  it("never exceeds the width and never splits a grapheme", () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: 1, max: 30 }), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (cut === text) return;
        const kept = cut.slice(0, -1);
        const boundaries = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
        expect(text.startsWith(kept)).toBe(true);
        expect(boundaries).toContain(kept.length);
      }),
    );
  });
});

describe("pad", () => {
  it("fills a text up to the width", () => {
    expect(pad("東京", 6)).toBe("東京  ");
    expect(pad("too long", 3)).toBe("too long");
  });
});

describe("wrap", () => {
  it("breaks at words and keeps the line ends and the indentation of its text", () => {
    expect(wrap("one two three four\n  five six seven\n\nend", 9)).toEqual([
      "one two",
      "three",
      "four",
      "  five",
      "  six",
      "  seven",
      "",
      "end",
    ]);
  });

  it("leaves no sign alone at the end of a line", () => {
    expect(wrap("one, + two, + three", 12)).toEqual(["one, + two,", "+ three"]);
    expect(wrap("one, + two, + three", 8)).toEqual(["one,", "+ two,", "+ three"]);
  });

  it("keeps the spacing of a line that fits", () => {
    expect(wrap("If it exists:      amp", 40)).toEqual(["If it exists:      amp"]);
  });

  it("cuts a word that is too long, by graphemes", () => {
    expect(wrap("東京ガス👩‍🚀x", 5)).toEqual(["東京", "ガス", "👩‍🚀x"]);
  });

  it("keeps a URL whole, so that it can be copied", () => {
    expect(wrap("see https://example.com/a/b/c now", 10)).toEqual([
      "see",
      "https://example.com/a/b/c",
      "now",
    ]);
  });

  it("starts no line with a CI command, also where it cuts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(12), (width, before) => {
        const text = sanitize(`${"a".repeat(before)}::warning::owned`);
        for (const line of wrap(text, width)) expect(line).not.toMatch(/^\s*::/u);
      }),
    );
  });

  it("loses nothing but blanks, and respects the width", () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: 4, max: 30 }), (text, width) => {
        fc.pre(!text.includes("://") && !text.includes("::"));
        const lines = wrap(text, width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });

  it("accepts a very long word", () => {
    expect(wrap("é".repeat(20_000), 80)).toHaveLength(250);
  });
});
