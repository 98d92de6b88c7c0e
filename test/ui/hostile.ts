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
