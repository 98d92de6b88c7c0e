import { expect, it } from "vitest";
import type { AmpError } from "../../src/errors.ts";
import { renderError } from "../../src/ui/error.ts";
import { renderPage } from "../../src/ui/page.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { progressLine } from "../../src/ui/status-lines.ts";
import { renderResult } from "../../src/ui/stream.ts";
import { inputErrors } from "../../src/values/errors.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { id, type Page, table, time, toned } from "../../src/view/view.ts";
import { NOW } from "./list-fixture.ts";

const SPOKEN = { width: 40, paint: unpainted, isSpoken: true } as const;

const PAGE: Page = {
  title: toned("good", "2 to create · 1 to update"),
  aside: "project acme · production",
  blocks: [
    {
      kind: "rows",
      rows: [
        ["Records", ["contacts", toned("dim", "companies")]],
        ["~ Health", "working → failing"],
        ["Absent", undefined],
        ["✗", "a case"],
      ],
    },
    {
      kind: "grid",
      columns: ["", "", "", ""],
      rows: [
        [toned("good", "+"), "destination", "ops", "webhook acme.example"],
        ["-", "route", "a → b", "r_1"],
      ],
    },
    { kind: "rows", heading: "~ topic ops", rows: [["name", '→ "x"']] },
    {
      kind: "grid",
      heading: "Made:",
      columns: ["Address", "ID"],
      rows: [
        ["topic/a", id("top_1")],
        ["topic/b", ""],
      ],
    },
    {
      kind: "grid",
      cards: true,
      columns: ["Outcome", "What"],
      rows: [
        ["!", "slow"],
        ["✗", "401"],
      ],
    },
    { kind: "grid", columns: ["Address"], wasProgress: true, rows: [["topic/a"]] },
    {
      kind: "bars",
      heading: "Health",
      maxBars: 1,
      bars: [
        { label: "healthy", count: 1200 },
        { label: "failing", count: 3 },
      ],
    },
    {
      kind: "routing",
      picture: {
        topics: [
          {
            name: "+ ops",
            note: "topic",
            events: ["a.b"],
            destinations: [{ name: "hook", note: "webhook" }],
          },
          { name: "old", note: "existing topic", events: [], destinations: [] },
        ],
      },
    },
    { kind: "text", text: "A sentence that is longer than the terminal is wide." },
    {
      kind: "command",
      lines: [suggest("notify apply", [], { file: "a-long-name-of-a-file.yaml" })],
    },
  ],
};

it("reads a page in lines that make sense one after the other", () => {
  const options = { ...SPOKEN, now: NOW, progressShown: true };
  expect([...renderPage(PAGE, options)].join("\n")).toMatchInlineSnapshot(`
    "2 to create, 1 to update
    project acme, production

    Records: contacts
    Records: companies
    Health changed: working to failing
    failed: a case

    create destination ops, webhook acme.example
    delete route a to b, r_1

    update topic ops:
    name: to "x"

    Made:
    Address: topic/a
    ID: top_1

    Address: topic/b

    problem
    slow

    failed
    401

    Health:
    healthy: 1,200
    1 more: 3

    a.b goes to topic ops (new).
    Topic ops (new) goes to destination hook (webhook).
    No event goes to topic old (existing topic).
    Topic old (existing topic) goes to no destination.

    A sentence that is longer than the terminal is wide.

    Next:
    amp notify apply --file a-long-name-of-a-file.yaml"
  `);
});

it("reads a list as records, with an empty line between", async () => {
  const view = table<{ name: string; id: string; at?: string }>(["app", "apps"], {
    Name: "name",
    Updated: ({ at }) => time(at),
    ID: (one) => id(one.id),
  });
  const result = [
    { name: "a", id: "1", at: NOW.toISOString() },
    { name: "b · c", id: "2" },
  ];
  let text = "";
  for await (const chunk of renderResult({ ...SPOKEN, result, view, tty: true, now: NOW }))
    text += chunk;
  expect(text).toBe("Name: a\nUpdated: just now\nID: 1\n\nName: b, c\nID: 2\n");
});

it("has a word for the mark of a step and of an error", () => {
  const entry = { state: "done", kind: "route", name: "a → b", id: "r_1" } as const;
  expect(progressLine(entry, SPOKEN)).toBe("ok: route a to b, r_1");
  const error: AmpError = inputErrors.name_ambiguous("2 match", {
    candidates: [{ id: "1", name: "x" }],
    remedy: "Run the command again with one of these IDs, whichever it is.",
  });
  expect(renderError(error, { ...SPOKEN, now: NOW })).toBe(
    "Error: 2 match\n  1, x\n  Run the command again with one of these IDs, whichever it is.\n",
  );
});

it("says a name that an object of JavaScript has itself as any other", () => {
  const rows = [["constructor", "toString"]];
  const page: Page = {
    title: "Names",
    blocks: [
      { kind: "grid", heading: "constructor", columns: ["", ""], rows },
      { kind: "rows", heading: "valueOf", rows: [["toString first", "1"]] },
    ],
  };
  const lines = [...renderPage(page, { ...SPOKEN, now: NOW })].join("\n");
  expect(lines).toBe("Names\n\nconstructor:\nconstructor toString\n\nvalueOf:\ntoString first: 1");
});
