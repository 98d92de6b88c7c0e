import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Paint, type RenderOptions, unpainted } from "../../src/ui/paint.ts";
import { type TableColumn, tableWriter, viewColumns } from "../../src/ui/rows.ts";
import { type Cell, sentence, table } from "../../src/view/view.ts";
import { anyText } from "./hostile.ts";
import { ITEMS, NOW, VIEW } from "./list-fixture.ts";

const marked: Paint = (tone, text) => `<${tone}:${text}>`;

function* renderTable(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  options: RenderOptions,
  onHidden?: (labels: readonly string[]) => void,
): Generator<string> {
  const { items: write, heldBack } = tableWriter(columns, {
    ...options,
    onHidden,
    view: undefined,
    tty: true,
    now: NOW,
  });
  for (const line of write(items)) yield line.replace(/\n$/u, "");
  for (const line of heldBack()) yield line.replace(/\n$/u, "");
}

function lines(width: number, paint: Paint = unpainted): string {
  return `\n${[...renderTable(viewColumns(VIEW), ITEMS, { width, paint })].join("\n")}\n`;
}

describe("a table on a terminal", () => {
  it("shows everything where there is room", () => {
    expect(lines(120)).toMatchInlineSnapshot(`
      "
      GROUP                             PROVIDER    HEALTH     UPDATED  ID
      Acme Corp International Holdings  salesforce  healthy    2h ago   7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u{1b}[31m       hubspot     unhealthy  3d ago   91c09685-9a51-42cc-8662-9d9725b17f14
      (no group)                        zendesk     healthy             02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
  });

  it("cuts no name and no identifier, and leaves out columns from the right", () => {
    const hidden: string[][] = [];
    const at = (width: number) =>
      [
        ...renderTable(viewColumns(VIEW), ITEMS, { width, paint: unpainted }, (labels) =>
          hidden.push([...labels]),
        ),
      ].map((line) => line.trimEnd());
    expect(at(88)).toEqual([
      "GROUP                             PROVIDER    ID",
      "Acme Corp International Holdings  salesforce  7f3a9685-9a51-42cc-8662-9d9725b17f14",
      "東京ガス株式会社 \\u{1b}[31m       hubspot     91c09685-9a51-42cc-8662-9d9725b17f14",
      "(no group)                        zendesk     02be9685-9a51-42cc-8662-9d9725b17f14",
    ]);
    expect(hidden).toEqual([["Health", "Updated"]]);
  });

  it("cuts the cells of other columns where they are long", () => {
    const view = table<{ name: string; id: string; scopes: string }>(["x", "xs"], {
      Name: "name",
      Scopes: "scopes",
      Note: () => "n".repeat(30),
      ID: ({ id }) => ({ text: id, kind: "id" }),
    });
    const items = [{ name: "the name", id: "id_1", scopes: "s".repeat(60) }];
    const at = (width: number) => [
      ...renderTable(viewColumns(view), items, { width, paint: unpainted }),
    ];
    expect(at(64)[1]).toBe(`the name  ${"s".repeat(25)}…  ${"n".repeat(19)}…  id_1`);
    expect(at(50)).toEqual([
      `NAME      SCOPES${" ".repeat(30)}ID`,
      `the name  ${"s".repeat(33)}…  id_1`,
    ]);
  });

  it("gives a long name a line of its own", () => {
    const view = table<{ name: string; id: string }>(["x", "xs"], {
      Name: "name",
      Kind: () => "webhook",
      ID: ({ id }) => ({ text: id, kind: "id" }),
    });
    const items = [
      { name: "a name", id: "id_1" },
      { name: "the name of a customer that goes on and on", id: "id_2" },
    ];
    expect([...renderTable(viewColumns(view), items, { width: 40, paint: unpainted })]).toEqual([
      "NAME    KIND     ID",
      "a name  webhook  id_1",
      "the name of a customer that goes on and",
      "on",
      "        webhook  id_2",
    ]);
  });

  it("becomes cards with all columns where fewer than three would be left", () => {
    expect(lines(44)).toMatchInlineSnapshot(`
      "
      Group     Acme Corp International Holdings
      Provider  salesforce
      Health    healthy
      Updated   2h ago
      ID        7f3a9685-9a51-42cc-8662-9d9725b17f14

      Group     東京ガス株式会社 \\u{1b}[31m
      Provider  hubspot
      Health    unhealthy
      Updated   3d ago
      ID        91c09685-9a51-42cc-8662-9d9725b17f14

      Group     (no group)
      Provider  zendesk
      Health    healthy
      ID        02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
  });

  it("paints text, not the space around it, and measures without the paint", () => {
    expect(lines(110, marked)).toMatchInlineSnapshot(`
      "
      <heading:GROUP>                             <heading:PROVIDER>    <heading:HEALTH>     <heading:UPDATED>  <heading:ID>
      Acme Corp International Holdings  salesforce  <good:healthy>    2h ago   7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u{1b}[31m       hubspot     <bad:unhealthy>  3d ago   91c09685-9a51-42cc-8662-9d9725b17f14
      <dim:(no group)>                        zendesk     <good:healthy>             02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
    const unmarked = lines(110, marked).replaceAll(/<\w+:([^>]*)>/gu, "$1");
    expect(unmarked).toBe(lines(110));
  });

  it("drops empty columns on a terminal", () => {
    const view = table<{ name: string; id: string; note?: string }>(["x", "xs"], {
      Name: "name",
      Kind: () => "webhook",
      Note: "note",
      ID: ({ id }) => ({ text: id, kind: "id" }),
    });
    const items = [{ name: "a name", id: "id_1" }];
    const options = { width: 80, paint: unpainted };
    const [head] = renderTable(viewColumns(view), items, options);
    expect(head).toMatch(/^NAME +KIND +ID$/u);
    const piped = tableWriter(viewColumns(view), { ...options, view, tty: false, now: NOW });
    expect([...piped.items(items), ...piped.heldBack()][0]).toMatch(/^NAME +KIND +NOTE +ID\n$/u);
  });

  it("wraps the sentences of the last column, and cuts none", () => {
    const noted = table<{ id: string; note: string }>(["x", "xs"], {
      ID: ({ id }) => ({ text: id, kind: "id" }),
      Note: ({ note }) => sentence(note),
    });
    const items = [
      { id: "ins_1", note: "differs from the file at two places" },
      { id: "ins_2", note: "missing" },
    ];
    const options = { width: 27, paint: unpainted };
    expect([...renderTable(viewColumns(noted), items, options)]).toEqual([
      "ID     NOTE",
      "ins_1  differs from the",
      "       file at two places",
      "ins_2  missing",
    ]);
  });

  it("puts numbers to the right", () => {
    const view = table<{ name: string; count: number }>(["topic", "topics"], {
      Name: "name",
      Events: "count",
      Done: () => true,
    });
    const items = [
      { name: "a", count: 7 },
      { name: "b", count: 12_000 },
    ];
    expect([...renderTable(viewColumns(view), items, { width: 80, paint: unpainted })]).toEqual([
      "NAME  EVENTS  DONE",
      "a          7  yes",
      "b      12000  yes",
    ]);
  });

  it("takes no value from an object that the service sent as a rich cell", () => {
    const view = table<{ name: object }>(["x", "xs"], { Name: "name" as never });
    const items = [{ name: { text: "\u001b[1m", tone: "bad" } }];
    expect([...renderTable(viewColumns(view), items, { width: 80, paint: marked })]).toEqual([
      "<heading:NAME>",
      "text = \\u{1b}[1m, tone = bad",
    ]);
  });

  it("is never wider than the terminal, whatever the service sends", () => {
    const cell: fc.Arbitrary<Cell> = fc.oneof(
      anyText.filter((text) => !text.includes("://")),
      fc.integer(),
      fc.boolean(),
      fc.constant(undefined),
    );
    const rows = fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { maxLength: 6 });
    const width = fc.integer({ min: 20, max: 120 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), width, (items, count, columns) => {
        const read = Array.from({ length: count }, (_, at) => ({
          heading: `HEADING ${at}`,
          label: `Heading ${at}`,
          read: (item: unknown) => (item as Cell[])[at],
        }));
        for (const line of renderTable(read, items, { width: columns, paint: unpainted })) {
          expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });

  it("reads each cell once, and the second batch as it is written", () => {
    let reads = 0;
    const view = table<number>(["x", "xs"], {
      A: (item) => {
        reads += 1;
        return item;
      },
      B: (item) => `item ${item}`,
    });
    const options = { view, width: 80, paint: unpainted, tty: true, now: NOW };
    const writer = tableWriter(viewColumns(view), options);
    const items = Array.from({ length: 10_000 }, (_, at) => at);
    expect([...writer.items(items)]).toHaveLength(items.length + 1);
    expect(reads).toBe(items.length);
    const second = writer.items(items);
    second.next();
    expect(reads).toBe(items.length + 1);
    expect([...second]).toHaveLength(items.length - 1);
    expect(reads).toBe(2 * items.length);
  });
});
