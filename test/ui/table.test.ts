import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Paint, type RenderOptions, unpainted } from "../../src/ui/paint.ts";
import { fieldColumns, type TableColumn, tableWriter, viewColumns } from "../../src/ui/rows.ts";
import { type Cell, sentence, table } from "../../src/view/view.ts";
import { anyText } from "./hostile.ts";
import { ITEMS, NOW, VIEW } from "./list-fixture.ts";

const marked: Paint = (tone, text) => `<${tone}:${text}>`;

function* renderTable(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  options: RenderOptions,
): Generator<string> {
  const { items: write, heldBack } = tableWriter(columns, {
    ...options,
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

  it("cuts the widest column first and keeps identifiers whole", () => {
    expect(lines(90)).toMatchInlineSnapshot(`
      "
      GROUP                 PROVIDER    HEALTH     UPDATED  ID
      Acme Corp Internati…  salesforce  healthy    2h ago   7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス株式会社 \\u…  hubspot     unhealthy  3d ago   91c09685-9a51-42cc-8662-9d9725b17f14
      (no group)            zendesk     healthy             02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
  });

  it("omits a spare column before it shortens others", () => {
    const columns = viewColumns({ ...VIEW, spare: ["Updated", "Provider"] });
    const at = (width: number) =>
      [...renderTable(columns, ITEMS, { width, paint: unpainted })].map((line) => line.trimEnd());
    expect(`\n${at(120).join("\n")}\n`).toBe(lines(120));
    expect(at(98)[0]).toMatch(/^GROUP +PROVIDER +HEALTH +UPDATED +ID$/u);
    expect(at(90)).toEqual([
      "GROUP                          PROVIDER    HEALTH     ID",
      "Acme Corp International Hold…  salesforce  healthy    7f3a9685-9a51-42cc-8662-9d9725b17f14",
      "東京ガス株式会社 \\u{1b}[31m    hubspot     unhealthy  91c09685-9a51-42cc-8662-9d9725b17f14",
      "(no group)                     zendesk     healthy    02be9685-9a51-42cc-8662-9d9725b17f14",
    ]);
    expect(at(80)[0]).toMatch(/^GROUP +HEALTH +ID$/u);
    // Cards have the room.
    expect(at(20).join("\n")).toContain("Updated");
  });

  it("cuts the middle of identifiers where they cannot be whole", () => {
    expect(lines(72)).toMatchInlineSnapshot(`
      "
      GROUP                          PROVIDER    HEALTH     UPDATED  ID
      Acme Corp International Hold…  salesforce  healthy    2h ago   7f3a…7f14
      東京ガス株式会社 \\u{1b}[31m    hubspot     unhealthy  3d ago   91c0…7f14
      (no group)                     zendesk     healthy             02be…7f14
      "
    `);
  });

  it("shortens cells, but keeps them distinct", () => {
    expect(lines(52)).toMatchInlineSnapshot(`
      "
      GROUP       PROVIDER   HEALTH     UPDATED  ID
      Acme Corp…  salesfor…  healthy    2h ago   7f3a…7f14
      東京ガス…   hubspot    unhealthy  3d ago   91c0…7f14
      (no group)  zendesk    healthy             02be…7f14
      "
    `);
  });

  it("becomes cards with full identifiers if shortened columns would not be distinct", () => {
    expect(lines(45)).toMatchInlineSnapshot(`
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
    expect(lines(80, marked)).toMatchInlineSnapshot(`
      "
      <heading:GROUP>       <heading:PROVIDER>    <heading:HEALTH>     <heading:UPDATED>  <heading:ID>
      Acme Corp…  salesforce  <good:healthy>    2h ago   7f3a9685-9a51-42cc-8662-9d9725b17f14
      東京ガス…   hubspot     <bad:unhealthy>  3d ago   91c09685-9a51-42cc-8662-9d9725b17f14
      <dim:(no group)>  zendesk     <good:healthy>             02be9685-9a51-42cc-8662-9d9725b17f14
      "
    `);
    const unmarked = lines(80, marked).replaceAll(/<\w+:([^>]*)>/gu, "$1");
    expect(unmarked).toBe(lines(80));
  });

  it("drops empty columns, and those that are the same in all rows before it cuts names", () => {
    const view = table<{ name: string; id: string; note?: string }>(["x", "xs"], {
      Name: "name",
      Kind: () => "webhook",
      Note: "note",
      ID: ({ id }) => ({ text: id, kind: "id" }),
    });
    const items = [
      { name: "the first of all names", id: "id_1" },
      { name: "another", id: "id_2" },
    ];
    const at = (width: number, given: readonly unknown[] = items) => [
      ...renderTable(viewColumns(view), given, { width, paint: unpainted }),
    ];
    expect(at(80)).toEqual([
      "NAME                    KIND     ID",
      "the first of all names  webhook  id_1",
      "another                 webhook  id_2",
    ]);
    expect(at(30)).toEqual([
      "All rows: Kind webhook",
      "NAME                    ID",
      "the first of all names  id_1",
      "another                 id_2",
    ]);
    // A single row is not a repetition.
    expect(at(30, items.slice(0, 1))[0]).toBe("NAME             KIND     ID");
    const piped = tableWriter(viewColumns(view), {
      view,
      width: 30,
      paint: unpainted,
      tty: false,
      now: NOW,
    });
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
    const options = { width: 22, paint: unpainted };
    expect([...renderTable(viewColumns(noted), items, options)]).toEqual([
      "ID     NOTE",
      "ins_1  differs from",
      "       the file at two",
      "       places",
      "ins_2  missing",
    ]);
  });

  it("hides columns of a long table in place of cards, and says how many", () => {
    const named = table<{ name: string; id: string }>(["x", "xs"], {
      Name: "name",
      Provider: ({ id }) => `provider of ${id}`,
      State: ({ id }) => `state of ${id}`,
      ID: ({ id }) => ({ text: id, kind: "id" }),
    });
    const items = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        name: `a customer with number ${at}`,
        id: `ins_${`${at}`.padStart(8, "0")}`,
      }));
    const at = (width: number, count: number) => [
      ...renderTable(viewColumns(named), items(count), { width, paint: unpainted }),
    ];
    const hint = "hidden: widen the terminal or use --fields/--json";
    expect(at(38, 7)[1]).toMatch(/^Provider +provider of/u);
    for (const count of [8, 1_000]) {
      expect(at(38, count).slice(0, 5)).toEqual([
        "2 columns hidden: widen the terminal",
        "or use --fields/--json",
        "NAME                      ID",
        "a customer with number 0  ins_00000000",
        "a customer with number 1  ins_00000001",
      ]);
      expect(at(62, count)[0]).toBe(`1 column ${hint}`);
      expect(at(62, count)[1]).toMatch(/^NAME +PROVIDER +ID$/u);
    }
    expect(at(120, 20)[0]).toMatch(/^NAME +PROVIDER +STATE +ID$/u);
    // Cards are left where even the name and the ID have no room, and for the fields of --fields.
    expect(at(16, 20)[0]).toMatch(/^Name /u);
    const asked = fieldColumns(["name", "id", "name", "id"]);
    const cards = [...renderTable(asked, items(20), { width: 24, paint: unpainted })];
    expect(cards[0]).toMatch(/^name /u);
    expect(cards[1]).toMatch(/^ /u);
  });

  it("keeps all columns of a list whose end it has not seen", () => {
    const view = table<number>(["x", "xs"], { A: () => "a".repeat(40), B: () => "b".repeat(40) });
    const items = Array.from({ length: 1_000 }, (_, at) => at);
    const [head] = renderTable(viewColumns(view), items, { width: 60, paint: unpainted });
    expect(head).toMatch(/^A +B$/u);
  });

  it("never cuts identifiers or addresses so that two look alike", () => {
    const view = (kind: "id" | "address") =>
      table<string>(["x", "xs"], { Name: () => "n".repeat(30), ID: (text) => ({ text, kind }) });
    const uuid = (middle: string) => `7f3a9685-${middle}-42cc-8662-9d9725b17f14`;
    for (const kind of ["id", "address"] as const) {
      for (let width = 20; width < 80; width += 1) {
        const items = [
          uuid("9a51"),
          uuid("9a52"),
          "event-route/a/x.created",
          "event-route/b/x.created",
        ];
        const rows = [...renderTable(viewColumns(view(kind)), items, { width, paint: unpainted })];
        const shown = rows.flatMap((row) => /(?:7f3a|even)\S*$/u.exec(row)?.[0] ?? []);
        if (rows[0]?.startsWith("NAME")) expect(new Set(shown).size).toBe(items.length);
        // A card wraps what is not an identifier.
        else expect(rows.join("").replaceAll(/\s/gu, "")).toContain(items[1]);
      }
    }
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
