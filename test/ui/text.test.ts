import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText, sanitize, sanitizeLine } from "../../src/ui/text.ts";
import { anyText, HOSTILE } from "./hostile.ts";

const CONTROLS = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;
const CI_LINE = /^\s*::|##\[|##vso\[/imu;

describe("display", () => {
  it.each(Object.entries(HOSTILE))("shows %s and escapes its control characters", (_name, text) => {
    const shown = sanitizeLine(text);
    expect(shown).not.toBe(text);
    expect(shown).not.toMatch(CONTROLS);
    expect(shown).not.toMatch(CI_LINE);
  });

  it("writes each as an escape that can be read", () => {
    const lines = Object.entries(HOSTILE).map(([name, text]) => [name, sanitizeLine(text)]);
    expect(Object.fromEntries(lines)).toMatchInlineSnapshot(`
      {
        "agentCommand": "text \\u{23}#vso[task.setvariable variable=a]b",
        "agentShouting": "\\u{23}#VSO[task.complete]",
        "backspace": "bad\\u{8}\\u{8}\\u{8}good",
        "bell": "a\\u{7}b",
        "c1Strings": "\\u{90}q\\u{9c}\\u{9d}0;owned\\u{9c}\\u{85}next",
        "carriageReturn": "unhealthy\\rhealthy  ",
        "charset": "\\u{e}\\u{1b}(0lqqk\\u{f}",
        "clearScreen": "\\u{1b}[2J\\u{1b}[H",
        "clipboard": "\\u{1b}]52;c;ZXZpbA==\\u{1b}\\",
        "colour": "\\u{1b}[31mred\\u{1b}[0m",
        "command": "\\u{3a}:warning::owned",
        "commandAfterSpace": "  \\u{3a}:error::owned",
        "commandOnLine": "fine\\n::set-output name=a::b",
        "commandsAnywhere": "a \\u{3a}:set-output name=x::y",
        "csiOfC1": "\\u{9b}31mred",
        "delete": "a\\u{7f}b",
        "deviceControl": "\\u{1b}P$q"p\\u{1b}\\ \\u{1b}_app\\u{1b}\\ \\u{1b}^pm\\u{1b}\\",
        "fakeLine": "gone\\n✓ all is well",
        "fakeWindowsLine": "gone\\r\\n::add-mask::a",
        "fillers": "\\u{3164}\\u{115f}\\u{1160}\\u{ffa0}",
        "hyperlink": "\\u{1b}]8;;https://evil.example\\u{7}bank.example\\u{1b}]8;;\\u{7}",
        "invisible": "\\u{34f}\\u{17b4}\\u{180e}\\u{2061}\\u{2062}\\u{fff9}\\u{fffb}",
        "isolate": "a\\u{2066}b\\u{2069}",
        "joinerBetweenLetters": "a\\u{200d}b",
        "lineSeparator": "one\\u{2028}two\\u{2029}three",
        "loneHigh": "a\\u{d83d}",
        "loneLow": "\\u{de00}b",
        "newline": "one\\ntwo",
        "nul": "a\\u{0}b",
        "oldCommand": "text \\u{23}#[error]owned",
        "overrides": "\\u{202a}\\u{202b}\\u{202d}\\u{202e}\\u{202c}\\u{2067}\\u{2068}\\u{2069}\\u{200e}\\u{200f}\\u{61c}",
        "privateUse": "\\u{e000}\\u{f0000}",
        "reset": "\\u{1b}c",
        "rightToLeft": "invoice\\u{202e}fdp.exe",
        "selectors": "a︀\\u{fe01}\\u{fe02}",
        "softHyphen": "pay\\u{ad}pal",
        "tab": "one\\ttwo",
        "tags": "flag\\u{e0061}\\u{e0062}\\u{e007f}",
        "title": "\\u{1b}]0;owned\\u{7}",
        "unassigned": "\\u{378}\\u{e0fff}",
        "zeroWidth": "pay\\u{200b}pal\\u{2060}\\u{feff}",
      }
    `);
  });

  it("keeps the ends of lines and tabs of prose", () => {
    expect(sanitize("a\r\nb\tc\n\u001bd")).toBe("a\nb\tc\n\\u{1b}d");
  });

  it.each([
    "plain text, std::vector and a # b",
    "Zürich · São Paulo · Škoda · 東京ガス · 서울 · القاهرة · हिन्दी",
    "👩‍🚀 🏳️‍🌈 👍🏽 ❤️ 1️⃣ 🇨🇭 👨‍👩‍👧‍👦 🧑🏽‍🚀",
    "cafe\u0301",
    "葛\u{e0100}",
  ])("leaves %j as it is", (text) => {
    expect(sanitizeLine(text)).toBe(text);
  });

  it("keeps a joiner only between pictographs", () => {
    expect(sanitize("👩‍ a‍👩 \u200d")).toBe("👩\\u{200d} a\\u{200d}👩 \\u{200d}");
  });

  it("neutralises commands on every line of prose, and any word that wrapping may move there", () => {
    expect(sanitize("a\n  ::b\nc ::d")).toBe("a\n  \\u{3a}:b\nc \\u{3a}:d");
  });

  it("never lets a control character or a CI command through", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = sanitizeLine(text);
        expect(cell).not.toMatch(CONTROLS);
        expect(cell).not.toMatch(CI_LINE);
        const prose = sanitize(text);
        expect(prose.replaceAll(/[\n\t]/gu, "")).not.toMatch(CONTROLS);
        expect(prose).not.toMatch(CI_LINE);
      }),
    );
  });

  it("lets a format character through only inside an emoji", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = sanitize(text);
        expect(shown.replaceAll("\u200d", "")).not.toMatch(/\p{Cf}/u);
        expect(shown).not.toMatch(/\u200d(?!\p{Extended_Pictographic})/u);
      }),
    );
  });

  it("has nothing to do the second time", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = sanitize(text);
        expect(sanitize(shown)).toBe(shown);
      }),
    );
  });
});

describe("jsonText", () => {
  it("escapes what a terminal or a CI log would obey", () => {
    expect(jsonText(Object.values(HOSTILE))).toMatchInlineSnapshot(
      `"["\\u001b[31mred\\u001b[0m","\\u001b[2J\\u001b[H","\\u001b]8;;https://evil.example\\u0007bank.example\\u001b]8;;\\u0007","\\u001b]0;owned\\u0007","\\u009b31mred","unhealthy\\rhealthy  ","bad\\b\\b\\bgood","a\\u007fb","a\\u0000b","one\\ntwo","one\\ttwo","invoice\\u202efdp.exe","a\\u2066b\\u2069","pay\\u200bpal\\u2060\\ufeff","a‍b","pay\\u00adpal","flag\\udb40\\udc61\\udb40\\udc62\\udb40\\udc7f","one\\u2028two\\u2029three","\\u3164\\u115f\\u1160\\uffa0","󰀀","͸\\udb43\\udfff","a\\ud83d","\\ude00b","a︀︁︂","::warning::owned","  ::error::owned","fine\\n::set-output name=a::b","text \\u0023#[error]owned","text \\u0023#vso[task.setvariable variable=a]b","\\u0023#VSO[task.complete]","\\u001b]52;c;ZXZpbA==\\u001b\\\\","\\u001bP$q\\"p\\u001b\\\\ \\u001b_app\\u001b\\\\ \\u001b^pm\\u001b\\\\","\\u001bc","\\u000e\\u001b(0lqqk\\u000f","\\u0090q\\u009c\\u009d0;owned\\u009c\\u0085next","a\\u0007b","\\u202a\\u202b\\u202d\\u202e\\u202c\\u2067\\u2068\\u2069\\u200e\\u200f\\u061c","\\u034f\\u17b4\\u180e\\u2061\\u2062\\ufff9\\ufffb","gone\\n✓ all is well","gone\\r\\n::add-mask::a","a ::set-output name=x::y"]"`,
    );
  });

  it("reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const whole = { value, text, [text]: text };
        // JSON itself knows no -0.
        const plain: unknown = JSON.parse(JSON.stringify(whole));
        expect(JSON.parse(jsonText(whole))).toEqual(plain);
        expect(JSON.parse(jsonText(whole, 2))).toEqual(plain);
      }),
    );
  });

  it("holds no C1, DEL, bidi, separator or tag character, and no CI command", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = jsonText({ text }, 2);
        expect(json).not.toMatch(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
        expect(json).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
        expect(json).not.toMatch(CI_LINE);
      }),
    );
  });

  it("shows every invisible character, assigned or not, beside those that spelling needs", () => {
    const kept = /[\u200c\u200d]|\p{Variation_Selector}/u;
    const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
    const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
    const hidden = all.filter((one) => invisible.test(one) && !kept.test(one));
    const through = hidden.filter((one) => jsonText(one).includes(one));
    expect(through.map((one) => one.codePointAt(0)?.toString(16))).toEqual([]);
    expect(hidden).toContain("\u{e0000}");
    expect(jsonText(`\u{e0000}\u3164\u034f`)).toBe('"\\udb40\\udc00\\u3164\\u034f"');
    expect(jsonText("葛\u{e0100}❤️‍🔥")).toBe('"葛\u{e0100}❤️‍🔥"');
  });
});
