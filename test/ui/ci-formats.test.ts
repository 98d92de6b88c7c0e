import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envListWriter, envText } from "../../src/ui/env.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { renderResult } from "../../src/ui/stream.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { id, lines, record, row, rows, table, time, type View } from "../../src/view/view.ts";

const NOW = new Date("2026-09-02T08:30:00Z");

async function markdown<Result>(result: Result, view: View<Result>, fields?: readonly string[]) {
  const options = { tty: false, width: 80, paint: unpainted, now: NOW };
  let text = "";
  for await (const part of renderResult({ ...options, result, view, fields, format: "markdown" })) {
    text += part;
  }
  return text;
}

/** Texts that try to leave their place: line ends, delimiters, Markdown, HTML, mentions. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ..."\n \r \u2028 \u0085 \t = << EOF ghadelimiter :: ##[ ##vso[ ` `` ``` | \\ \\| < > <b> & @acme".split(
          " ",
        ),
        ..."![x](http://x.test) [x](y) # - * _ ~ $x$ {{ }} #12 !12 /close www.x.test <!-- --> a b 1".split(
          " ",
        ),
        " ",
        "\n",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("-o env", () => {
  it("names each value by its path, and items by their address, name or ID", () => {
    const receipt = {
      verified: true,
      baseUrl: "https://api.example.com/v1",
      counts: { create: 2, "no-op": 0 },
      settled: [
        { address: "topic/lifecycle", id: "top_1" },
        { address: "destination/ops", id: null },
      ],
      notes: ["a", "b"],
      next: suggest("notify plan"),
    };
    expect(envText(receipt)).toBe(
      [
        "RESULT_VERIFIED=true",
        "RESULT_BASE_URL=https://api.example.com/v1",
        "RESULT_COUNTS_CREATE=2",
        "RESULT_COUNTS_NO_OP=0",
        "RESULT_SETTLED_COUNT=2",
        "RESULT_SETTLED_TOPIC_LIFECYCLE_ADDRESS=topic/lifecycle",
        "RESULT_SETTLED_TOPIC_LIFECYCLE_ID=top_1",
        "RESULT_SETTLED_DESTINATION_OPS_ADDRESS=destination/ops",
        "RESULT_SETTLED_DESTINATION_OPS_ID=",
        "RESULT_NOTES_COUNT=2",
        "RESULT_NOTES_1=a",
        "RESULT_NOTES_2=b",
        "RESULT_NEXT=amp notify plan",
        "",
      ].join("\n"),
    );
  });

  it("numbers items with the same name, and fields that a name cannot distinguish", () => {
    const odd = { items: [{ name: "a-b" }, { name: "a.b" }], "x-y": 1, x_y: 2, xY: 3 };
    expect(envText(odd)).toBe(
      "RESULT_ITEMS_COUNT=2\nRESULT_ITEMS_1_NAME=a-b\nRESULT_ITEMS_2_NAME=a.b\nRESULT_X_Y=1\nRESULT_X_Y_2=2\nRESULT_X_Y_3=3\n",
    );
  });

  it("numbers only the items whose names collide, and says which, also to the command's reader", async () => {
    const address = (text: string) => ({ address: text });
    const items = ["topic/x-1", "topic/t", "topic/x_1"].map(address);
    const said: string[] = [];
    const text =
      "RESULT_ITEMS_COUNT=3\nRESULT_ITEMS_1_ADDRESS=topic/x-1\nRESULT_ITEMS_TOPIC_T_ADDRESS=topic/t\nRESULT_ITEMS_3_ADDRESS=topic/x_1\n";
    expect(envText({ items }, (warning) => said.push(warning))).toBe(text);
    const why = "numbered, because a variable cannot tell them apart: topic/x-1, topic/x_1";
    expect(said).toEqual([`-o env: ${why}`]);
    const options = { tty: false, width: 80, paint: unpainted, now: NOW, format: "env" as const };
    const warn = (warning: string) => said.push(warning);
    let written = "";
    for await (const part of renderResult({ ...options, warn, result: { items } })) written += part;
    expect([written, said.length]).toEqual([text, 2]);
    // A name that is such a number itself, and names that are equal: all have their numbers.
    for (const names of [
      ["3", "b-1", "b.1"],
      ["a", "a", "b"],
    ]) {
      expect(envText(names.map((name) => ({ name })))).toContain("RESULT_3_NAME");
    }
  });

  it("writes as JSON what is not plain, or could be taken for JSON", () => {
    const values = { a: "one\ntwo", b: '"quoted"', c: " blank", d: "EOF<<x=y", e: "\u001b[2J" };
    expect(envText(values)).toBe(
      String.raw`RESULT_A="one\ntwo"
RESULT_B="\"quoted\""
RESULT_C=" blank"
RESULT_D=EOF<<x=y
RESULT_E="\u001b[2J"
`,
    );
  });

  it("is one line a value with a name of ours, whatever the service sends", () => {
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        hostile,
        fc.integer(),
        fc.constant(null),
        tie("list"),
        tie("map"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      map: fc.dictionary(hostile, tie("value"), { maxKeys: 4 }),
    })).value;
    fc.assert(
      fc.property(tree, (value) => {
        const written = envText(value);
        if (written === "") return;
        const named = written.slice(0, -1).split(/[\n\r\u2028\u2029\u0085]/u);
        for (const line of named) expect(line).toMatch(/^RESULT(?:_[A-Z0-9_]*)?=[^\p{Cc}]*$/u);
        const names = named.map((line) => line.slice(0, line.indexOf("=")));
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it("keeps the values of a list in its order, whatever the service sends", async () => {
    const writer = envListWriter((item) => item);
    const items = [{ id: "a" }, null, { id: "c\n::set", count: 5, "i-d": [{ x: 1 }], iD: null }];
    expect([...(writer.items(items) as string[]), ...((await writer.end?.()) ?? [])].join("")).toBe(
      String.raw`RESULT_COUNT=3
RESULT_ID=["a",null,"c\n::set"]
RESULT_COUNT_2=[null,null,5]
RESULT_I_D=[null,null,[{"x":1}]]
RESULT_I_D_2=[null,null,null]
`,
    );
    expect([...((await envListWriter(String).end?.()) ?? [])]).toEqual(["RESULT_COUNT=0\n"]);
  });

  it("ends with deep and large results too", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 500; level += 1) deep = [deep];
    expect(envText(deep).split("\n").length).toBeLessThan(40);
    const alike = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => ["-".repeat(at), at]),
    );
    expect(envText(alike).split("\n")).toHaveLength(20_001);
  });
});

describe("-o markdown", () => {
  const list = table<{ name: string; at: string }>(["topic", "topics"], {
    Name: "name",
    Created: ({ at }) => time(at),
  });

  it("writes a list as a table with full times, and says what is empty", async () => {
    const items = [
      { name: "lifecycle", at: "2026-08-01T00:00:00Z" },
      { name: "a|b `c`", at: "" },
    ];
    expect(await markdown(items, list)).toBe(
      "| Name | Created |\n| --- | --- |\n| lifecycle | 2026-08-01T00:00:00Z |\n| <code>a&#124;b &#96;c&#96;</code> |  |\n",
    );
    expect(await markdown(items, list, ["name"])).toBe(
      "| name |\n| --- |\n| lifecycle |\n| <code>a&#124;b &#96;c&#96;</code> |\n",
    );
    expect(await markdown([], list)).toBe("No topics.\n");
  });

  it("writes a page as headings, tables, code and prose", async () => {
    const page = record<null>(() => ({
      title: "Applied ops_2",
      aside: "1 s",
      blocks: [
        rows([...row("ID", [id("top_1"), "second"])], "Topic"),
        { kind: "grid", columns: ["A", "B"], rows: [["x", "@acme"]] },
        {
          kind: "routing",
          picture: { topics: [{ name: "t", events: ["e.f"], destinations: [{ name: "d" }] }] },
        },
        { kind: "command", heading: "Next", lines: [suggest("notify plan"), "```"] },
        { kind: "text", text: "See @acme and <b>.\n/close\n- x" },
      ],
    }));
    expect(await markdown(null, page)).toBe(`### Applied \`ops_2\`

1 s

#### Topic

| Field | Value |
| --- | --- |
| ID | \`top_1\`<br>second |

| A | B |
| --- | --- |
| x | \`@acme\` |

| Kind | From | To |
| --- | --- | --- |
| event-route | e.f | t |
| destination-route | t | d |

#### Next

\`\`\`\`
amp notify plan
\`\`\`
\`\`\`\`

See \`@acme\` and \`<b>\`.${"  "}
\`/close\`${"  "}
\`-\` x
`);
  });

  it("links and refers to nothing", async () => {
    const items = ["https://x.test/a", "www.x.test", "deadbeef12", "GH-12", "%12", "read 50% of 7"];
    const view = table<string>(["x", "xs"], { Text: (text) => text }, { id: (text) => text });
    const [, , ...cells] = (await markdown(items, view)).trimEnd().split("\n");
    expect(cells).toEqual([
      ...items.slice(0, -1).map((text) => `| \`${text}\` |`),
      "| read 50% of 7 |",
    ]);
  });

  it("writes lines as code", async () => {
    expect(
      await markdown(
        "x",
        lines(() => "a\n<b>"),
      ),
    ).toBe("```\na\n<b>\n```\n");
  });

  it("keeps text in its cell, code or line", async () => {
    const view = table<{ text: string }>(["x", "xs"], { Text: "text", Again: ({ text }) => text });
    const page = record<string>((text) => ({
      title: text,
      blocks: [
        rows([[text, [text, text]]]),
        { kind: "text", text },
        { kind: "command", lines: [text] },
      ],
    }));
    /** A line with a word for each code in it: what is left is plain text and the marks of ours. */
    const outside = (line: string) =>
      line.replaceAll(/<code>[^<]*<\/code>|`[^`]*`/gu, "code").replaceAll(/<br>/gu, "");
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const [, , cells = ""] = (await markdown([{ text }], view)).split("\n");
        expect(outside(cells).match(/\|/gu)).toHaveLength(3);
        const [before = ""] = (await markdown(text, page)).split(/^`{3,}$/mu);
        for (const line of [cells, ...before.split("\n")]) {
          expect(outside(line)).not.toMatch(/[<>@`[\]!*_~$\\{}&]|^\s*[/>]|\/\/|www\./u);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
