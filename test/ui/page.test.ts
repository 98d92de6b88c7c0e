import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { drawFrame } from "../../src/ui/frame.ts";
import { pageRows, renderPage } from "../../src/ui/page.ts";
import { type Paint, unpainted } from "../../src/ui/paint.ts";
import { renderResult } from "../../src/ui/stream.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { addressCell, id, type Page, record, time, toned } from "../../src/view/view.ts";
import { anyText, HOSTILE } from "./hostile.ts";
import { NOW } from "./list-fixture.ts";

const HUBSPOT: Page = {
  title: "HubSpot (hubspot)",
  aside: "oauth2 · https://api.hubapi.com",
  blocks: [
    {
      kind: "rows",
      rows: [
        [
          "Supports",
          [
            "read  write  subscribe  proxy  search:equals",
            toned("dim", "no bulk write · no delete"),
          ],
        ],
        [
          "Batch write",
          "create 100 · update 100 · upsert 100 (contacts 50) · delete not supported by this provider",
        ],
        ["Absent", undefined],
        ["Added", time("2026-08-01T10:00:00Z")],
      ],
    },
    {
      kind: "rows",
      heading: "OAuth",
      rows: [
        ["Address", "https://app.hubspot.com/oauth/authorize"],
        ["ID", id("7f3a9685-9a51-42cc-8662-9d9725b17f14")],
      ],
    },
    { kind: "rows", heading: "Nothing here", rows: [["Absent", []]] },
    { kind: "text", text: "" },
    {
      kind: "text",
      text: "Reads nothing, and this sentence says so at a length that must be wrapped.",
    },
  ],
};

const RECEIPT: Page = {
  title: "Routing",
  blocks: [
    {
      kind: "grid",
      heading: "Made",
      columns: ["Kind", "Name", "Shared"],
      rows: [
        ["topic", "customer-lifecycle", true],
        ["destination", "東京 👩‍🚀 x", false],
        ["route", toned("bad", HOSTILE.colour), undefined],
      ],
      framed: true,
    },
    { kind: "grid", columns: ["", ""], rows: [["plain", 1]] },
    {
      kind: "routing",
      heading: "This was made:",
      picture: {
        topics: [{ name: "t", events: ["a", "b"], destinations: [{ name: "d", note: "webhook" }] }],
      },
    },
    {
      kind: "command",
      heading: "The same without questions:",
      lines: [
        "amp notify setup --destination-name ops-webhook --destination-type webhook --topic lifecycle \\",
        "  --yes",
      ],
    },
  ],
};

function drawn(page: Page, width = 80, paint: Paint = unpainted): string {
  return `\n${[...renderPage(page, { width, paint, now: NOW, frame: drawFrame })].join("\n")}\n`;
}

async function piped(page: Page): Promise<string> {
  const options = { tty: false, width: 80, paint: unpainted, now: NOW };
  let text = "\n";
  for await (const chunk of renderResult({ result: {}, view: record(() => page), ...options })) {
    text += chunk;
  }
  return text;
}

describe("a page on a terminal", () => {
  it("aligns labels across sections, wraps values, leaves out what is not there", () => {
    expect(drawn(HUBSPOT)).toMatchInlineSnapshot(`
      "
      HubSpot (hubspot)                                oauth2 · https://api.hubapi.com

      Supports     read  write  subscribe  proxy  search:equals
                   no bulk write · no delete
      Batch write  create 100 · update 100 · upsert 100 (contacts 50) · delete not
                   supported by this provider
      Added        2h ago (2026-08-01T10:00:00Z)

      OAuth
        Address    https://app.hubspot.com/oauth/authorize
        ID         7f3a9685-9a51-42cc-8662-9d9725b17f14

      Reads nothing, and this sentence says so at a length that must be wrapped.
      "
    `);
  });

  it("puts the aside below the title where it does not fit, and never breaks URLs and ids", () => {
    expect(drawn(HUBSPOT, 40)).toMatchInlineSnapshot(`
      "
      HubSpot (hubspot)
      oauth2 · https://api.hubapi.com

      Supports     read write subscribe proxy
                   search:equals
                   no bulk write · no delete
      Batch write  create 100 · update 100 ·
                   upsert 100 (contacts 50) ·
                   delete not supported by
                   this provider
      Added        2h ago
                   (2026-08-01T10:00:00Z)

      OAuth
        Address    https://app.hubspot.com/oauth/authorize
        ID         7f3a9685-9a51-42cc-8662-9d9725b17f14

      Reads nothing, and this sentence says so
      at a length that must be wrapped.
      "
    `);
  });

  it("folds a suggested command to the width, and leaves it out of the rows for a program", () => {
    const command = suggest("notify setup", [], {
      destinationName: "ops-webhook",
      url: "https://hooks.example.com",
      yes: true,
    });
    const page: Page = { title: "x", blocks: [{ kind: "command", lines: [command] }] };
    const drawn = [...renderPage(page, { width: 44, paint: unpainted, now: NOW })];
    expect(drawn.slice(2)).toEqual([
      "  amp notify setup \\",
      "    --destination-name ops-webhook \\",
      "    --url https://hooks.example.com --yes",
    ]);
    expect([...pageRows(page)]).toEqual([["x"]]);
  });

  it("frames small grids, draws routing, leaves commands whole", () => {
    expect(drawn(RECEIPT)).toMatchInlineSnapshot(`
      "
      Routing

      Made
        ┌─────────────┬────────────────────────┬────────┐
        │ Kind        │ Name                   │ Shared │
        ├─────────────┼────────────────────────┼────────┤
        │ topic       │ customer-lifecycle     │ yes    │
        │ destination │ 東京 👩‍🚀 x              │ no     │
        │ route       │ \\u{1b}[31mred\\u{1b}[0m │        │
        └─────────────┴────────────────────────┴────────┘

      plain  1

      This was made:
        a ─┬─ t ─── d
        b ─┘        webhook

      The same without questions:
        amp notify setup --destination-name ops-webhook --destination-type webhook --topic lifecycle \\
          --yes
      "
    `);
  });

  it("omits the frame if it does not fit or cannot be drawn", () => {
    expect(drawn(RECEIPT, 45)).not.toContain("┌───");
    expect(
      [...renderPage(RECEIPT, { width: 80, paint: unpainted, now: NOW })].join(),
    ).not.toContain("┌───");
  });

  it("adds no colour of its own to a frame", () => {
    expect(drawn(RECEIPT)).not.toContain("\u001b");
  });

  it("keeps the same layout when it is painted", () => {
    const tones = ["good", "attention", "bad", "dim", "strong", "title", "heading", "label"];
    const code = (tone: string) => `\u001b[${31 + tones.indexOf(tone)}m`;
    const marked: Paint = (tone, text) => `${code(tone)}${text}\u001b[39m`;
    for (const page of [HUBSPOT, RECEIPT]) {
      const painted = drawn(page, 80, marked);
      expect(painted).toContain(code("title"));
      expect(stripVTControlCharacters(painted)).toBe(drawn(page));
    }
    expect(drawn(RECEIPT, 80, marked)).toContain(`│ ${code("strong")}Kind\u001b[39m `);
  });

  it("is never wider than the terminal, except for text to copy, and escapes control characters", () => {
    const text = anyText.filter((value) => !value.includes("://"));
    const page: fc.Arbitrary<Page> = fc.record({
      title: text,
      aside: text,
      blocks: fc.tuple(
        fc.record({
          kind: fc.constant("rows" as const),
          heading: text,
          rows: fc.array(fc.tuple(text, fc.array(text, { maxLength: 3 })), { maxLength: 4 }),
        }),
        fc.record({
          kind: fc.constant("grid" as const),
          columns: fc.constant(["One", "Two"]),
          rows: fc.array(fc.tuple(text, text), { maxLength: 4 }),
          framed: fc.boolean(),
        }),
        fc.record({ kind: fc.constant("text" as const), text }),
      ),
    });
    fc.assert(
      fc.property(page, fc.integer({ min: 24, max: 100 }), (any, width) => {
        for (const line of renderPage(any, {
          width,
          paint: unpainted,
          now: NOW,
          frame: drawFrame,
        })) {
          expect(line).not.toMatch(/\p{Cc}|^\s*::/u);
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

describe("a page in a pipe", () => {
  it("is label and value, one line each, whole and absolute in time", async () => {
    expect(await piped(HUBSPOT)).toMatchInlineSnapshot(`
      "
      HubSpot (hubspot)	oauth2 · https://api.hubapi.com
      Supports	read  write  subscribe  proxy  search:equals
      Supports	no bulk write · no delete
      Batch write	create 100 · update 100 · upsert 100 (contacts 50) · delete not supported by this provider
      Added	2026-08-01T10:00:00Z
      OAuth/Address	https://app.hubspot.com/oauth/authorize
      OAuth/ID	7f3a9685-9a51-42cc-8662-9d9725b17f14
      Reads nothing, and this sentence says so at a length that must be wrapped.
      "
    `);
    expect(await piped(RECEIPT)).toMatchInlineSnapshot(`
      "
      Routing
      topic	customer-lifecycle	true
      destination	東京 👩‍🚀 x	false
      route	\\u{1b}[31mred\\u{1b}[0m	
      plain	1
      event-route	a	t
      event-route	b	t
      destination-route	t	d
      amp notify setup --destination-name ops-webhook --destination-type webhook --topic lifecycle \\
        --yes
      "
    `);
  });
});

it("a row without headings that does not fit is a paragraph, with whole names and IDs", () => {
  const name = addressCell("a-name-that-is-too-long-for-its-column");
  const rows = [
    [{ text: "+", tone: "good" } as const, "destination", name, "webhook hooks.acme.com"],
    [{ text: "=", tone: "dim" } as const, "topic", "t", "exists: adopt, top_f9cfe2f2"],
  ];
  const page = { title: "Plan", blocks: [{ kind: "grid", columns: ["", "", "", ""], rows }] };
  const lines = [...renderPage(page as Page, { width: 44, paint: unpainted, now: NOW })];
  expect(lines.slice(2)).toEqual([
    "+  destination",
    "   a-name-that-is-too-long-for-its-column",
    "   webhook hooks.acme.com",
    "=  topic t exists: adopt, top_f9cfe2f2",
  ]);
});
