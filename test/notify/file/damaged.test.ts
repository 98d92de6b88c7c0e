import { expect, it } from "vitest";
import type { UsageError } from "../../../src/errors.ts";
import { reading } from "./reading.ts";

const FILE = `version: 1
destinations:
  ops:
    type: webhook
    metadata:
      url: https://hooks.example.com/amp
topics:
  lifecycle:
    events: [installation.created, installation.deleted]
    destinations: [ops]
`;

/** The file with a part replaced, as a slip of the hand does. */
function damaged(part: string, by: string): string {
  expect(FILE).toContain(part);
  return FILE.replace(part, by);
}

/** What is said of a file: line, column and message of each error. */
async function said(text: string): Promise<readonly string[]> {
  const error = await reading(text).catch((thrown: UsageError) => thrown);
  if (!(error instanceof Error)) return [];
  const problems = error.facts.data?.problems as {
    line: number;
    column: number;
    severity?: string;
    message: string;
  }[];
  return problems.map(
    ({ line, column, severity, message }) =>
      `${line}:${column} ${severity ? `${severity}: ` : ""}${message}`,
  );
}

it.each<[slip: string, text: string, said: readonly string[]]>([
  [
    "unclosed quote in brackets",
    damaged("[ops]", '["ops]'),
    ['10:20 this quote (") is not closed: add another at the end of the value'],
  ],
  [
    "unclosed inner bracket",
    damaged("type: webhook", "x: { y: [a, b }"),
    ['4:13 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "unclosed bracket",
    damaged("installation.deleted]", "installation.deleted"),
    ['9:13 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "unclosed brace",
    damaged(
      "    type: webhook\n    metadata:\n      url: https://hooks.example.com/amp",
      "    { type: webhook, metadata: { url: https://a.b }",
    ),
    ['4:5 this "{" is not closed: add "}" after its last value'],
  ],
  [
    "unclosed bracket end",
    damaged("destinations: [ops]", "destinations: [ops"),
    ['10:19 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "unclosed brace 2",
    damaged(
      "metadata:\n      url: https://hooks.example.com/amp",
      "metadata: { url: https://hooks.example.com/amp",
    ),
    ['5:15 this "{" is not closed: add "}" after its last value'],
  ],
  [
    "missing colon key",
    damaged("  ops:\n", "  ops\n"),
    ["3:3 a colon is missing on this line: write key: value"],
  ],
  [
    "missing colon value",
    damaged("type: webhook", "type webhook"),
    ["4:5 a colon is missing on this line: write key: value"],
  ],
  [
    "colon no space",
    damaged("type: webhook", "type:webhook"),
    ["4:5 a space is missing after the colon: write key: value"],
  ],
  [
    "tab indent",
    damaged("    type: webhook", "\ttype: webhook"),
    ["4:1 indent with spaces, not with tabs"],
  ],
  [
    "two tabs, and a list",
    damaged("    type: webhook", "\ttype: webhook\n\tname: x\n\t- y"),
    ["4:1 indent with spaces, not with tabs"],
  ],
  [
    "tab after a key with a list",
    "version: 1\ntopics:\n  a:\n    events:\n\t- x\n",
    ["5:1 indent with spaces, not with tabs"],
  ],
  [
    "tab after spaces",
    damaged("    type: webhook", "  \ttype: webhook"),
    ["4:3 indent with spaces, not with tabs"],
  ],
  [
    "unclosed dq",
    damaged("url: https://hooks.example.com/amp", 'url: "https://hooks.example.com/amp'),
    ['6:12 this quote (") is not closed: add another at the end of the value'],
  ],
  [
    "unclosed sq",
    damaged("url: https://hooks.example.com/amp", "url: 'https://hooks.example.com/amp"),
    ["6:12 this quote (') is not closed: add another at the end of the value"],
  ],
  [
    "duplicate key",
    damaged("    type: webhook\n", "    type: webhook\n    type: slack\n"),
    ['5:5 duplicate key "type", also in line 4: keep one'],
  ],
  [
    "duplicate topic",
    `${FILE}  lifecycle:\n    events: [x]\n`,
    ['11:3 duplicate key "lifecycle", also in line 8: keep one'],
  ],
  [
    "wrong type",
    damaged("destinations: [ops]", "destinations: { ops: true }"),
    ['10:19 topic "lifecycle": destinations must be a list, not a mapping; for example: [ops]'],
  ],
  [
    "misspelt key",
    damaged("metadata:", "metdata:"),
    ['5:5 destination "ops": unknown key "metdata": did you mean metadata?'],
  ],
  [
    "misspelt top",
    damaged("topics:", "topcis:"),
    ['7:1 unknown key "topcis": did you mean topics?'],
  ],
  [
    "list for map",
    damaged(
      "  ops:\n    type: webhook\n    metadata:\n      url: https://hooks.example.com/amp",
      "  - name: ops\n    type: webhook",
    ),
    ["3:3 destinations must be a mapping, not a list; for example: ops: { id: 1f0c… }"],
  ],
  [
    "map for list",
    damaged(
      "events: [installation.created, installation.deleted]",
      "events:\n      installation.created: true",
    ),
    [
      '10:7 topic "lifecycle": events must be a list, not a mapping; for example: [installation.created]',
    ],
  ],
  [
    "scalar for list",
    damaged("destinations: [ops]", "destinations: ops"),
    [
      '10:19 topic "lifecycle": destinations must be a list, not a single value; for example: [ops]',
    ],
  ],
  [
    "unknown alias",
    damaged("destinations: [ops]", "destinations: *ops"),
    [
      "10:19 unknown alias (*): no earlier anchor (&) has this name; put text that begins with * in quotes",
    ],
  ],
  [
    "alias circular",
    damaged("  lifecycle:\n", "  lifecycle: &a\n    x: *a\n"),
    [
      '9:5 topic "lifecycle": unknown key "x": use id, renamed-from, events, destinations',
      "9:8 the alias contains itself",
    ],
  ],
  [
    "merge",
    damaged("    destinations: [ops]", "    <<: *x"),
    [
      "10:5 merge keys (<<) are not supported: write the keys out, or use an alias as a whole value",
    ],
  ],
  [
    "crlf err",
    FILE.replaceAll("\n", "\r\n").replace("type:", "tpye:"),
    ['4:5 destination "ops": unknown key "tpye": did you mean type?'],
  ],
  ["empty", "", ["1:1 a routing file must not be empty; for example: version: 1"]],
  ["comments", "# a\n# b\n", ["1:1 a routing file must not be empty; for example: version: 1"]],
  [
    "json missing comma",
    '{"version": 1 "topics": {"a": {}}}\n',
    ["1:13 a comma is missing after this value"],
  ],
  [
    "json unclosed",
    '{"version": 1,\n "topics": {"a": {"events": ["x"]}\n',
    [
      '1:1 this "{" is not closed: add "}" after its last value',
      '2:12 this "{" is not closed: add "}" after its last value',
    ],
  ],
  [
    "extra close",
    damaged("installation.deleted]", "installation.deleted]]"),
    ['9:57 "]" has no opening bracket: remove it'],
  ],
  [
    "paren",
    damaged("installation.deleted]", "installation.deleted)"),
    ['9:13 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "wrong indent",
    damaged("    events:", "   events:").replace(
      "    destinations: [ops]",
      "     destinations: [ops]",
    ),
    ["10:6 wrong indentation: align the line with those that it belongs to"],
  ],
  [
    "dash nospace",
    damaged(
      "events: [installation.created, installation.deleted]",
      "events:\n      -installation.created\n      -installation.deleted",
    ),
    [
      '10:7 topic "lifecycle": events must be a list, not a single value (write "- " with a space before each of its values); for example: [installation.created]',
    ],
  ],
  [
    "two docs",
    `${FILE}---\n${FILE}`,
    ["11:1 a second document begins here: the file must be one document"],
  ],
  [
    "version missing",
    damaged("version: 1\n", ""),
    ['1:1 version is missing: begin the file with "version: 1"'],
  ],
  [
    "version 2",
    damaged("version: 1", "version: 2"),
    ["1:10 version must be 1, the only one that this version of amp supports"],
  ],
  [
    "type missing",
    damaged("    type: webhook\n", ""),
    [
      '3:3 destination "ops": type is missing; for example: { type: webhook, metadata: { url: https://… } }, or { id: … } for an existing destination',
    ],
  ],
  [
    "unresolved",
    damaged("[ops]", "[osp]"),
    ['10:20 topic "lifecycle": no destination "osp" in this file: did you mean "ops"?'],
  ],
  [
    "url colon space",
    damaged("url: https://hooks.example.com/amp", "url: https: //hooks.example.com"),
    ["6:12 the value has a colon and a space: put it in quotes"],
  ],
  [
    "at value",
    damaged("url: https://hooks.example.com/amp", "url: @hooks"),
    ["6:12 a value cannot begin with this character: put it in quotes"],
  ],
  [
    "backtick",
    damaged("url: https://hooks.example.com/amp", "url: `x`"),
    ["6:12 a value cannot begin with this character: put it in quotes"],
  ],
  [
    "percent",
    `%YAML 1.2\n${FILE}`,
    ["2:1 remove the line that begins with %, which a routing file does not need"],
  ],
  [
    "escape",
    damaged("url: https://hooks.example.com/amp", 'url: "C:\\dir"'),
    ["6:15 unknown escape: write \\\\ for a backslash, or use single quotes"],
  ],
  [
    "html",
    "<!DOCTYPE html>\n<html><body>404</body></html>\n",
    ["1:1 a routing file must be a mapping, not a single value; for example: version: 1"],
  ],
  [
    "conflict markers",
    damaged(
      "    type: webhook\n",
      "<<<<<<< HEAD\n    type: webhook\n=======\n    type: slack\n>>>>>>> main\n",
    ),
    ["4:1 unresolved merge conflict: keep one side, and remove <<<<<<<, =======, >>>>>>>"],
  ],
  [
    "star pattern",
    damaged("[installation.created, installation.deleted]", "[installation.*, *.error]"),
    [
      "9:30 unknown alias (*): no earlier anchor (&) has this name; put text that begins with * in quotes",
    ],
  ],
  [
    "missing comma flow",
    damaged(
      "[installation.created, installation.deleted]",
      '["installation.created" "installation.deleted"]',
    ),
    ["9:37 a comma is missing before this value"],
  ],
  [
    "unclosed multiline",
    damaged(
      "events: [installation.created, installation.deleted]",
      "events: [\n      installation.created,\n      installation.deleted",
    ),
    ['9:13 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "brace bracket mix",
    damaged("installation.deleted]", "installation.deleted}"),
    ['9:56 "}" cannot close the "[" of line 9: write "]"'],
  ],
  [
    "template",
    damaged("url: https://hooks.example.com/amp", "url: {{ hook_url }}"),
    [
      '6:12 destination "ops": metadata.url of a webhook destination must be a string (or pass --allow unknown)',
      "6:13 a key must be text: put a template such as {{ name }} in quotes",
    ],
  ],
  [
    "no value destination",
    damaged("    type: webhook\n    metadata:\n      url: https://hooks.example.com/amp\n", ""),
    [
      '3:7 destination "ops" must not be empty; for example: { type: webhook, metadata: { url: https://… } }, or { id: … } for an existing destination',
    ],
  ],
  [
    "top list",
    "- version: 1\n",
    ["1:1 a routing file must be a mapping, not a list; for example: version: 1"],
  ],
  [
    "value with hash colon",
    damaged("type: webhook", "type: webhook: slack"),
    ["4:11 the value has a colon and a space: put it in quotes"],
  ],
  [
    "comma list no brackets",
    damaged(
      "[installation.created, installation.deleted]",
      "installation.created, installation.deleted",
    ),
    [
      '9:13 topic "lifecycle": events must be a list, not a single value; for example: [installation.created]',
    ],
  ],
  [
    "block in flow",
    damaged("destinations: [ops]", "destinations: [\n - ops\n ]"),
    ['11:2 indent this line further than line 10, where the "[" before it opens'],
  ],
  [
    "nbsp",
    damaged("    type: webhook", "\u00a0\u00a0\u00a0\u00a0type: webhook"),
    ["4:1 indent with ordinary spaces: this is another kind (a no-break space?)"],
  ],
  [
    "unclosed nested",
    damaged(
      "events: [installation.created, installation.deleted]",
      "events: [installation.created, [installation.deleted]",
    ),
    ['9:13 this "[" is not closed: add "]" after its last value'],
  ],
  [
    "unclosed then anchor",
    damaged(
      "installation.deleted]\n    destinations: [ops]",
      "installation.deleted\n    destinations: *x",
    ),
    ['9:13 this "[" is not closed: add "]" after its last value'],
  ],
])("%s", async (_slip, text, expected) => {
  expect(await said(text)).toEqual(expected);
});

it("a misspelt key of the destinations is one error, not one for each reference", async () => {
  expect(await said(damaged("destinations:\n  ops", "destnations:\n  ops"))).toEqual([
    '2:1 unknown key "destnations": did you mean destinations?',
  ]);
});

it("errors of every kind, and what a service may refuse, are reported in one run", async () => {
  const text = `version: 1
projct: acme
destinations:
  ops: { type: webhok, metadata: { url: env:NOT_SET } }
  mq: { type: kinesis, metadata: { streamName: s, regoin: x }, secrets: { awsKeyId: env:NOT_SET } }
  hook: { type: webhook, metadata: { url: "${"$"}{HOOK_URL}" } }
  bad_name: { id: d_1, metdata: {} }
topics:
  t: { events: [installation.creatd, "a b"], destinations: [osp, mq], evnts: [] }
`;
  expect(await said(text)).toMatchInlineSnapshot(`
    [
      "2:1 unknown key "projct": did you mean project?",
      "4:16 destination "ops": Unknown destination type "webhok": did you mean webhook? (or pass --allow unknown)",
      "4:41 destination "ops": metadata.url: variable NOT_SET is not set",
      "5:59 destination "mq": metadata.regoin is not a field of a kinesis destination: did you mean region? (or pass --allow unknown)",
      "5:64 destination "mq": A kinesis destination needs secrets.awsSecretKey (AWS secret access key) (or pass --allow incomplete)",
      "5:85 destination "mq": secret "awsKeyId": variable NOT_SET is not set",
      "6:43 warning: destination "hook": metadata.url: \${HOOK_URL} is not replaced with the variable: write env:HOOK_URL",
      "7:24 destination "bad_name": unknown key "metdata": did you mean metadata?",
      "9:17 Unknown event type "installation.creatd": did you mean installation.created? (or pass --allow unknown)",
      "9:38 topic "t": "a b" is not a valid event type: it has a comma or a space",
      "9:61 topic "t": no destination "osp" in this file: did you mean "ops"?",
      "9:71 topic "t": unknown key "evnts": did you mean events?",
    ]
  `);
});

it.each([
  ["a byte order mark", `\uFEFF${FILE}`],
  ["line ends of Windows", FILE.replaceAll("\n", "\r\n")],
  ["a space before a colon", damaged("  ops:", "  ops :")],
  ["a comma after the last value", damaged("installation.deleted]", "installation.deleted,]")],
])("%s is not an error", async (_what, text) => {
  const { model } = await reading(text);
  expect(model).toEqual((await reading(FILE)).model);
});
