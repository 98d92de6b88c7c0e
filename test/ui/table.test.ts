import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Paint, type RenderOptions, unpainted } from "../../src/ui/paint.ts";
import { type TableColumn, tableWriter, viewColumns } from "../../src/ui/table.ts";
import { type Cell, table } from "../../src/view/view.ts";
import { anyText } from "./hostile.ts";
import { ITEMS, NOW, VIEW } from "./list-fixture.ts";

const marked: Paint = (tone, text) => `<${tone}:${text}>`;

function* renderTable(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  options: RenderOptions,
): Generator<string> {
  const { items: write, heldBack } = tableWriter(columns, { ...options, tty: true, now: NOW });
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

  it("lets a spare column go before others are cut, and only then", () => {
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

  it("shortens identifiers to their beginning where they cannot be whole", () => {
    expect(lines(72)).toMatchInlineSnapshot(`
      "
      GROUP                          PROVIDER    HEALTH     UPDATED  ID
      Acme Corp International Hold…  salesforce  healthy    2h ago   7f3a9685…
      東京ガス株式会社 \\u{1b}[31m    hubspot     unhealthy  3d ago   91c09685…
      (no group)                     zendesk     healthy             02be9685…
      "
    `);
  });

  it("cuts everything to what can still be told apart", () => {
    expect(lines(52)).toMatchInlineSnapshot(`
      "
      GROUP       PROVIDER   HEALTH     UPDATED  ID
      Acme Corp…  salesfor…  healthy    2h ago   7f3a9685…
      東京ガス…   hubspot    unhealthy  3d ago   91c09685…
      (no group)  zendesk    healthy             02be9685…
      "
    `);
  });

  it("becomes cards where columns cannot be told apart, with whole identifiers", () => {
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
      '{"text":"\\u001b[1m","tone":"bad"}',
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
    const options = { width: 80, paint: unpainted, tty: true, now: NOW };
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
