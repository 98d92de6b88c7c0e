import fc from "fast-check";

/** Strings that a server could send to deceive a reader, a terminal or a CI log. */
export const HOSTILE = {
  colour: "\u001b[31mred\u001b[0m",
  clearScreen: "\u001b[2J\u001b[H",
  hyperlink: "\u001b]8;;https://evil.example\u0007bank.example\u001b]8;;\u0007",
  title: "\u001b]0;owned\u0007",
  csiOfC1: "\u009b31mred",
  carriageReturn: "unhealthy\rhealthy  ",
  backspace: "bad\b\b\bgood",
  delete: "a\u007fb",
  nul: "a\u0000b",
  newline: "one\ntwo",
  tab: "one\ttwo",
  rightToLeft: "invoice\u202efdp.exe",
  isolate: "a\u2066b\u2069",
  zeroWidth: "pay\u200bpal\u2060\ufeff",
  joinerBetweenLetters: "a\u200db",
  softHyphen: "pay\u00adpal",
  tags: `flag\u{e0061}\u{e0062}\u{e007f}`,
  lineSeparator: "one\u2028two\u2029three",
  fillers: "\u3164\u115f\u1160\uffa0",
  privateUse: "\ue000\u{f0000}",
  unassigned: "\u0378\u{e0fff}",
  loneHigh: "a\ud83d",
  loneLow: "\ude00b",
  selectors: "a\ufe00\ufe01\ufe02",
  command: "::warning::owned",
  commandAfterSpace: "  ::error::owned",
  commandOnLine: "fine\n::set-output name=a::b",
  oldCommand: "text ##[error]owned",
  agentCommand: "text ##vso[task.setvariable variable=a]b",
  agentShouting: "##VSO[task.complete]",
  clipboard: "\u001b]52;c;ZXZpbA==\u001b\\",
  deviceControl: '\u001bP$q"p\u001b\\ \u001b_app\u001b\\ \u001b^pm\u001b\\',
  reset: "\u001bc",
  charset: "\u000e\u001b(0lqqk\u000f",
  c1Strings: "\u0090q\u009c\u009d0;owned\u009c\u0085next",
  bell: "a\u0007b",
  overrides: "\u202a\u202b\u202d\u202e\u202c\u2067\u2068\u2069\u200e\u200f\u061c",
  invisible: "\u034f\u17b4\u180e\u2061\u2062\ufff9\ufffb",
  fakeLine: "gone\n✓ all is well",
  fakeWindowsLine: "gone\r\n::add-mask::a",
  commandsAnywhere: "a ::set-output name=x::y",
} as const satisfies Record<string, string>;

/** Strings that look alarming, and are to be shown as they are: nothing in them is obeyed or hidden. */
export const STRANGE = {
  zalgo: `H${"\u0300\u0489\u035c".repeat(40)}E`,
  family: "👨\u200d👩\u200d👧\u200d👦",
  rightToLeft: "שלום العربية",
  fullWidth: "＝ＳＵＭ（Ａ１）",
  formula: "=cmd|'/C calc'!A0",
  long: "long".repeat(5_000),
  quotes: `"'\`$(touch x);&|<>\\`,
  markup: "<b>&amp;</b> %s %n {{x}} $HOME",
  yaml: "- a: &b *b !!tag #no",
} as const satisfies Record<string, string>;

/** Any sequence of UTF-16 units, lone surrogates included, with the hostile ones mixed in. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.constantFrom(...Object.values(HOSTILE)),
      fc.constantFrom("::", "##[", "##vso[", " ", "\n", "👩‍🚀", "🏳️‍🌈", "東京", "e\u0301", "-"),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
