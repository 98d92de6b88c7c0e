import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { UsageError } from "../../src/errors.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../../src/settings.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { type Rendering, renderResult } from "../../src/ui/stream.ts";
import { lines, record, table, time, type View } from "../../src/view/view.ts";
import { anyText, HOSTILE } from "./hostile.ts";
import { ITEMS, NOW, VIEW } from "./list-fixture.ts";
import { readCsv } from "./read-csv.ts";

async function rendered<Result>(
  result: Result,
  view: View<Result> | undefined,
  more: Partial<Rendering<Result>> = {},
): Promise<string> {
  const look = { tty: false, width: 80, paint: unpainted, now: NOW };
  return (await collected(renderResult({ result, view, ...look, ...more }))).join("");
}

async function collected(chunks: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

const PAGE = record<{ id: string; name: string }>(({ id, name }) => ({
  title: name,
  blocks: [
    {
      kind: "rows",
      rows: [
        ["ID", id],
        ["Made", time("2026-08-01T10:00:00Z")],
      ],
    },
  ],
}));

describe("a list", () => {
  it("is a table on a terminal and rows in a pipe", async () => {
    expect(await rendered(ITEMS, VIEW, { tty: true, width: 120 })).toMatch(/^GROUP .*\n.*2h ago/u);
    expect(await rendered(ITEMS, VIEW)).toMatch(/^Acme Corp International Holdings\tsalesforce\t/u);
    expect(await rendered(ITEMS, VIEW)).toBe(await rendered(ITEMS, VIEW, { format: "tsv" }));
  });

  it("is a full table in a pipe where one is asked for", async () => {
    expect(
      `\n${await rendered(ITEMS, VIEW, { format: "table", width: 20 })}`,
    ).toMatchInlineSnapshot(`
      "
      GROUP                             PROVIDER    HEALTH     UPDATED               ID
      Acme Corp International Holdings  salesforce  healthy    2026-08-01T10:00:00Z  7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u{1b}[31m       hubspot     unhealthy  2026-07-29T10:00:00Z  91c09685-9a51-42cc-8662-9d9725b17f14
      (no group)                        zendesk     healthy                          02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
  });

  it("has a JSON form that is the service's own", async () => {
    expect(JSON.parse(await rendered(ITEMS, VIEW, { format: "json" }))).toEqual(ITEMS);
    expect(
      await rendered([{ id: "a", list: [1] }, { id: "b" }], undefined, { format: "json" }),
    ).toBe(`${JSON.stringify([{ id: "a", list: [1] }, { id: "b" }], undefined, 2)}\n`);
    expect(await rendered([], VIEW, { format: "json" })).toBe("[]\n");
  });

  it("is written as NDJSON with one line for each item", async () => {
    const written = (await rendered(ITEMS, VIEW, { format: "ndjson" })).trimEnd().split("\n");
    expect(written.map((line) => JSON.parse(line))).toEqual(ITEMS);
    expect(await rendered([], VIEW, { format: "ndjson" })).toBe("");
  });

  it("is written as YAML", async () => {
    const items = [{ id: "a", none: null, text: "two\nlines\n", flag: "no" }, { id: "b" }];
    const yaml = await rendered(items, undefined, { format: "yaml" });
    expect(`\n${yaml}`).toMatchInlineSnapshot(`
      "
      - id: a
        none: null
        text: |
          two
          lines
        flag: "no"
      - id: b
      "
    `);
    expect(parseYaml(yaml)).toEqual(items);
    expect(parseYaml(yaml, { version: "1.1" })).toEqual(items);
    expect(await rendered([], VIEW, { format: "yaml" })).toBe("[]\n");
  });

  it("has a CSV form with a header, also when it is empty", async () => {
    expect(`\n${await rendered(ITEMS, VIEW, { format: "csv" })}`).toMatchInlineSnapshot(`
      "
      Group,Provider,Health,Updated,ID
      Acme Corp International Holdings,salesforce,healthy,2026-08-01T10:00:00Z,7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u{1b}[31m,hubspot,unhealthy,2026-07-29T10:00:00Z,91c09685-9a51-42cc-8662-9d9725b17f14
      (no group),zendesk,healthy,,02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
    expect(await rendered([], VIEW, { format: "csv" })).toBe("Group,Provider,Health,Updated,ID\n");
  });

  it("is written with -o id as one identifier per line", async () => {
    expect(await rendered(ITEMS, VIEW, { format: "id" })).toBe(
      `${ITEMS.map(({ id }) => id).join("\n")}\n`,
    );
    expect(await rendered([], VIEW, { format: "id" })).toBe("");
  });

  it("writes nothing if it is empty, as a table or in a pipe", async () => {
    for (const tty of [true, false]) expect(await rendered([], VIEW, { tty })).toBe("");
    expect(await rendered([], VIEW, { format: "table" })).toBe("");
  });

  it("comes in chunks that end at line ends, so that the reader sets the pace", async () => {
    const items = Array.from({ length: 10_000 }, () => ITEMS[0]);
    const chunks = await collected(
      renderResult({
        result: items,
        view: VIEW as View<unknown>,
        tty: false,
        width: 80,
        paint: unpainted,
        now: NOW,
      }),
    );
    expect(chunks.length).toBeGreaterThan(10);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThan(70_000);
    expect(chunks.every((chunk) => chunk.endsWith("\n"))).toBe(true);
  });
});

describe("rows in a pipe", () => {
  it("are tab-separated, whole, absolute in time, and harmless", async () => {
    expect((await rendered(ITEMS, VIEW)).trimEnd().split("\n")).toEqual([
      "Acme Corp International Holdings\tsalesforce\thealthy\t2026-08-01T10:00:00Z\t7f3a9685-9a51-42cc-8662-9d9725b17f14",
      "東京ガス株式会社 \\u{1b}[31m\thubspot\tunhealthy\t2026-07-29T10:00:00Z\t91c09685-9a51-42cc-8662-9d9725b17f14",
      "(no group)\tzendesk\thealthy\t\t02be9685-9a51-42cc-8662-9d9725b17f14",
    ]);
  });

  it("have as many cells as columns, whatever the service sends", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (one, two) => {
        const view = table<readonly [string, string]>(["x", "xs"], {
          One: (item) => item[0],
          Two: (item) => ({ text: "shown", raw: item[1] }),
        });
        const line = (await rendered([[one, two] as const], view)).replace(/\n$/u, "");
        expect(line.split("\t")).toHaveLength(2);
        expect(line.split("\n")).toHaveLength(1);
      }),
    );
  });
});

describe("one thing", () => {
  const thing = { id: "t_1", name: "lifecycle" };

  it("is a page on a terminal, label and value in a pipe and in CSV", async () => {
    expect(await rendered(thing, PAGE, { tty: true })).toBe(
      "lifecycle\n\nID    t_1\nMade  2h ago (2026-08-01T10:00:00Z)\n",
    );
    expect(await rendered(thing, PAGE)).toBe("lifecycle\nID\tt_1\nMade\t2026-08-01T10:00:00Z\n");
    expect(await rendered(thing, PAGE, { format: "csv" })).toBe(
      "lifecycle\nID,t_1\nMade,2026-08-01T10:00:00Z\n",
    );
  });

  it("is written in each of the other formats", async () => {
    expect(await rendered(thing, PAGE, { format: "json" })).toBe(
      '{\n  "id": "t_1",\n  "name": "lifecycle"\n}\n',
    );
    expect(await rendered(thing, PAGE, { format: "ndjson" })).toBe(
      '{"id":"t_1","name":"lifecycle"}\n',
    );
    expect(await rendered(thing, PAGE, { format: "yaml" })).toBe("id: t_1\nname: lifecycle\n");
    expect(await rendered(thing, PAGE, { format: "id" })).toBe("t_1\n");
  });

  it("can be plain text, the same everywhere", async () => {
    const view = lines<{ line: string }>(({ line }) => line);
    for (const tty of [true, false]) {
      expect(await rendered({ line: "one\ntwo\n" }, view, { tty })).toBe("one\ntwo\n");
    }
    expect(await rendered({ line: "a" }, view, { format: "json" })).toBe('{\n  "line": "a"\n}\n');
  });

  it("draws the frames of its page", async () => {
    const view = record<unknown>(() => ({
      title: "x",
      blocks: [{ kind: "grid", columns: ["A"], rows: [["b"]], framed: true }],
    }));
    expect(await rendered({}, view, { tty: true })).toContain("│ b │");
  });

  it("shows nothing where there is no view, and nothing where there is no result", async () => {
    expect(await rendered(thing, undefined, { tty: true })).toBe("");
    expect(await rendered(thing, undefined)).toBe("");
    for (const format of ["json", "ndjson", "yaml"] as const) {
      expect(await rendered(undefined, undefined, { format })).toBe("");
    }
  });

  it("has no identifier where the view knows none", async () => {
    await expect(
      rendered(
        { name: "x" },
        record(() => ({ title: "", blocks: [] })),
        { format: "id" },
      ),
    ).rejects.toThrow(UsageError);
    await expect(rendered(thing, undefined, { format: "id" })).rejects.toThrow(UsageError);
  });
});

describe("--fields", () => {
  const fields = ["group.groupName", "id"];

  it("are columns under their own names", async () => {
    expect(`\n${await rendered(ITEMS, VIEW, { tty: true, fields })}`).toMatchInlineSnapshot(`
      "
      group.groupName                   id
      Acme Corp International Holdings  7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u{1b}[31m       91c09685-9a51-42cc-8662-9d9725b17f14
                                        02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
    expect((await rendered(ITEMS, VIEW, { fields })).split("\n")[2]).toBe(`\t${ITEMS[2]?.id}`);
    expect(await rendered(ITEMS, VIEW, { fields, format: "csv" })).toMatch(
      /^group\.groupName,id\n"?Acme/u,
    );
  });

  it("keep their shape in JSON and YAML, and leave out what is missing", async () => {
    const picked = [
      { group: ITEMS[0]?.group, id: ITEMS[0]?.id },
      { group: ITEMS[1]?.group, id: ITEMS[1]?.id },
      { id: ITEMS[2]?.id },
    ];
    expect(JSON.parse(await rendered(ITEMS, VIEW, { fields, format: "json" }))).toEqual(picked);
    expect(parseYaml(await rendered(ITEMS, VIEW, { fields, format: "yaml" }))).toEqual(picked);
  });

  it("show a single item as a table with one row", async () => {
    const thing = { id: "t_1", name: "lifecycle", tags: ["a", "b"], deep: { x: [{}] } };
    const more = { fields: ["tags", "deep"] };
    expect(await rendered(thing, PAGE, more)).toBe('a, b\t{"x":[{}]}\n');
    expect(await rendered(thing, PAGE, { ...more, tty: true })).toBe(
      "tags  deep\na, b  x = ({})\n",
    );
  });

  it("show as nothing where no item has them: optional fields may be absent by chance", async () => {
    expect(await rendered(ITEMS, VIEW, { fields: ["nme"], format: "json" })).toMatch(
      /^\[\n( {2}\{\},?\n)+\]\n$/u,
    );
    expect(await rendered([], VIEW, { fields: ["nme"], format: "json" })).toBe("[]\n");
  });
});

describe("CSV", () => {
  const view = table<{ a: string | number; b: string }>(["x", "xs"], { a: "a", b: "b" });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@x", "'@x"],
    ["\tx", "'\tx"],
    ["\rx", "'\\rx"],
    ["\u0000x", "'\\u{0}x"],
    ["\n=x", `"'\n=x"`],
    ["＝x", "'＝x"],
    ["＠x", "'＠x"],
    ['a "b", c', '"a ""b"", c"'],
    ["two\nlines", '"two\nlines"'],
    ["plain =", "plain ="],
    ["a;=1+1", "a;'=1+1"],
    ["a; \t+1;b;@x;-1", "a; \t'+1;b;'@x;'-1"],
    ["=a;＝b", "'=a;'＝b"],
    ['a;"=1"', `"a;""'=1"""`],
    ["a;b = c", "a;b = c"],
    [-5, "-5"],
  ])("writes %j as %j", async (value, expected) => {
    const csv = await rendered([{ a: value, b: "end" }], view, { format: "csv" });
    expect(csv).toBe(`a,b\n${expected},end\n`);
    expect(readCsv(csv)).toHaveLength(2);
  });

  it("raw is read back as it was, whatever the cells hold", async () => {
    const raw = { format: "csv-raw" } as const;
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1 }), async (texts) => {
        const items = texts.map((text) => ({ a: text, b: "end" }));
        const records = readCsv(await rendered(items, view, raw));
        expect(records).toEqual([["a", "b"], ...texts.map((text) => [text, "end"])]);
      }),
    );
  });

  it("raw is still no danger to a terminal, but for a spreadsheet's formula", async () => {
    const items = [{ a: "=1+1", b: HOSTILE.clearScreen }];
    const raw = { format: "csv-raw", tty: true } as const;
    expect(await rendered(items, view, raw)).toBe("a,b\n=1+1,\\u{1b}[2J\\u{1b}[H\n");
    expect(await rendered(items, view, { format: "csv-raw" })).toContain("\u001b[2J");
  });
});

describe("hostile strings", () => {
  const items = Object.entries(HOSTILE).map(([name, value]) => ({
    id: value,
    name,
    nested: { [value]: value },
  }));
  const view = table<(typeof items)[number]>(["x", "xs"], {
    ID: "id",
    Name: "name",
    Again: (item) => ({ text: item.id, raw: item.id, tone: "bad" }),
  });
  const page = record<typeof items>((all) => ({
    title: all[0]?.id,
    aside: all[1]?.id ?? "",
    blocks: [
      { kind: "rows", rows: all.map(({ id }) => [id, id]) },
      { kind: "grid", columns: all.map(({ id }) => id), rows: [all.map(({ id }) => id)] },
      { kind: "command", lines: all.map(({ id }) => id) },
      { kind: "text", text: all.map(({ id }) => id).join("\n") },
    ],
  }));
  const plain = lines<typeof items>((all) => all.map(({ id }) => id).join("\n"));

  const cases = [undefined, ...OUTPUT_FORMATS].flatMap((format) =>
    // In a file or pipe, csv-raw is for programs.
    (format === "csv-raw" ? [true] : [true, false]).flatMap((tty) =>
      ([view, page, plain] as const).map((shown) => [format, tty, shown.kind, shown] as const),
    ),
  );

  it.each(cases)(
    "reach neither terminal nor CI log as %s (terminal: %s, %s)",
    async (format, tty, _kind, shown) => {
      const output = format === "id" && shown.kind !== "table" ? undefined : format;
      const written = await rendered(items, shown as View<typeof items>, { format: output, tty });
      expect(written).not.toBe("");
      expect(written.replaceAll(/[\n\t]/gu, "")).not.toMatch(/\p{Cc}/u);
      expect(written).not.toMatch(
        /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
      );
      expect(written).not.toMatch(/^\s*::|##\[|##vso\[/imu);
    },
  );

  it.each([" \n", "\n \n", "\t\n", " ", "\n\t\n\n"])(
    "of blanks are read back: %j",
    async (value) => {
      const written = await rendered([{ value }], undefined, { format: "yaml" });
      expect(parseYaml(written)).toEqual([{ value }]);
    },
  );

  it.each(["json", "ndjson", "yaml"] as const satisfies OutputFormat[])(
    "are read back from %s as they were",
    async (format) => {
      const read = (written: string): unknown =>
        format === "yaml" ? parseYaml(written) : JSON.parse(written);
      await fc.assert(
        fc.asyncProperty(anyText, async (value) => {
          const thing = { value, [`${value}!`]: [value, { value }] };
          // YAML has no lone surrogates.
          fc.pre(format !== "yaml" || value.isWellFormed());
          expect(read(await rendered([thing], undefined, { format }))).toEqual(
            format === "ndjson" ? thing : [thing],
          );
        }),
      );
    },
  );
});
