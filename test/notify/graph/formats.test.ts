import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphOf } from "../../../src/notify/graph/graph.ts";
import { dotText, mermaidText } from "../../../src/notify/graph/label.ts";
import { svgText } from "../../../src/notify/graph/svg.ts";
import { registerSecret } from "../../../src/secrets/secret.ts";
import { HOSTILE } from "../../ui/hostile.ts";

/** A routing of one event, topic and destination that are called like this. */
function graphOfName(name: string) {
  return graphOf({
    topics: [{ name, events: [name], destinations: [name] }],
    destinations: [{ name, type: "webhook" }],
  });
}

const GRAPH = graphOf({
  topics: [
    { name: "lifecycle", events: ["installation.created"], destinations: ["ops"] },
    { name: "unheard", events: ["read.backfill.done"], destinations: [] },
  ],
  destinations: [{ name: "ops", type: "webhook" }, { name: "old" }],
});

const NAMES = fc.oneof(
  fc.constantFrom(
    ...Object.values(HOSTILE),
    '"]; end',
    "1. first",
    "- a",
    "`b`",
    "a<br/>b",
    "&amp;",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);

/** What a reader of the format shows for a name: invisible characters are escaped in every format. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\u2028\u2029]/gu;
const shown = (name: string) =>
  name.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

describe("Mermaid", () => {
  it("draws shapes by kind, and marks what is not connected", () => {
    expect(mermaidText(GRAPH)).toMatchInlineSnapshot(`
      "flowchart LR
        e1(["installation.created"])
        e2(["read.backfill.done<br/>no destination"])
        t1["lifecycle"]
        t2["unheard<br/>no destination"]
        d1[/"old<br/>no events"/]
        d2[/"ops<br/>webhook"/]
        e1 --> t1
        t1 --> d2
        e2 --> t2
        classDef marked stroke:#b45309,stroke-width:2px,stroke-dasharray:5 4
        class e2,t2,d1 marked
      "
    `);
  });

  it("keeps any name inside of its label", () => {
    fc.assert(
      fc.property(NAMES, (name) => {
        const lines = mermaidText(graphOfName(name)).split("\n");
        expect(lines).toHaveLength(7);
        const [, label = ""] = /^ {2}t1\["([^"\]<>`*_\\]*)"\]$/u.exec(lines[2] ?? "") ?? [];
        const read = label.replace(/#(\d+);/gu, (_all, code) => String.fromCodePoint(Number(code)));
        expect(read).toBe(shown(name));
        expect(label).not.toMatch(/^\s*(?:\d+\.|-)(?:\s|$)/u);
      }),
    );
  });
});

describe("DOT", () => {
  it("draws each kind in a column, and marks what is not connected", () => {
    expect(dotText(GRAPH)).toMatchInlineSnapshot(`
      "digraph routing {
        rankdir=LR;
        node [fontname="Helvetica", fontsize=11];
        {
          rank=same; node [shape=box, style="rounded"];
          e1 [label="installation.created"];
          e2 [label="read.backfill.done\\nno destination", color="#b45309", fontcolor="#b45309", penwidth=2];
        }
        {
          rank=same; node [shape=box];
          t1 [label="lifecycle"];
          t2 [label="unheard\\nno destination", color="#b45309", fontcolor="#b45309", penwidth=2];
        }
        {
          rank=same; node [shape=note];
          d1 [label="old\\nno events", color="#b45309", fontcolor="#b45309", penwidth=2];
          d2 [label="ops\\nwebhook"];
        }
        e1 -> t1;
        t1 -> d2;
        e2 -> t2;
      }
      "
    `);
  });

  it("keeps any name inside of its label", () => {
    fc.assert(
      fc.property(NAMES, (name) => {
        const line = dotText(graphOfName(name))
          .split("\n")
          .find((one) => one.startsWith("    t1 "));
        const [, label = ""] =
          /^ {4}t1 \[label="((?:[^"\\]|\\["\\])*)"\];$/u.exec(line ?? "") ?? [];
        const read = label
          .replace(/\\(.)/gu, "$1")
          .replaceAll("&#35;", "#")
          .replaceAll("&amp;", "&");
        expect(read).toBe(shown(name));
      }),
    );
  });
});

describe("SVG", () => {
  it("is three columns: events, topics, destinations", () => {
    const svg = svgText(GRAPH, "Routing of a.yaml");
    const centre = (name: string) =>
      Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${name}</text>`, "u").exec(svg)?.[1]);
    const columns = [
      ["Events", "installation.created", "read.backfill.done"],
      ["Topics", "lifecycle", "unheard"],
      ["Destinations", "ops", "old"],
    ].map((names) => names.map(centre));
    for (const [heading, ...others] of columns) expect(others).toEqual([heading, heading]);
    const [events = 0, topics = 0, destinations = 0] = columns.map(([heading]) => heading);
    expect(events).toBeGreaterThan(0);
    expect(topics).toBeGreaterThan(events);
    expect(destinations).toBeGreaterThan(topics);
    expect(svg.match(/<path /gu)).toHaveLength(3);
    // The topic and its event reach nobody, and nothing leads to the destination.
    expect(svg.match(/stroke-dasharray/gu)).toHaveLength(3);
  });

  it.each([0, 1, 60])("draws no box over another with %i topics", (count) => {
    const topics = Array.from({ length: count }, (_one, at) => ({
      name: `topic-${at}`,
      events: [`event.${at % 7}`, `event.${at % 5}`],
      destinations: at % 9 === 0 ? [] : [`destination-${at % 11}`],
    }));
    const destinations = Array.from({ length: count === 0 ? 0 : 13 }, (_one, at) => ({
      name: `destination-${at}`,
    }));
    const svg = svgText(graphOf({ topics, destinations }), "Routing");
    const boxes = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/gu),
    ].map(([, ...numbers]) => numbers.map(Number));
    expect(boxes).toHaveLength(count + destinations.length + Math.min(count, 7));
    for (const [x = 0, y = 0, width = 0, height = 0] of boxes) {
      const over = boxes.filter(
        ([left = 0, top = 0, w = 0, h = 0]) =>
          left < x + width && x < left + w && top < y + height && y < top + h,
      );
      expect(over).toHaveLength(1);
    }
  });

  it("is not made of more than anybody could read", () => {
    const topics = Array.from({ length: 501 }, (_one, at) => ({
      name: `topic-${at}`,
      events: [],
      destinations: [],
    }));
    expect(() => svgText(graphOf({ topics, destinations: [] }), "Routing")).toThrow(
      "The routing has 501 parts: too many for a picture (limit 500)",
    );
  });

  it("is well-formed XML that shows names with any characters", () => {
    fc.assert(
      fc.property(NAMES, (name) => {
        const svg = svgText(graphOfName(name), name);
        const [, title = ""] = /<title>([^<]*)<\/title>/u.exec(svg) ?? [];
        const read = title
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&quot;", '"')
          .replaceAll("&#35;", "#")
          .replaceAll("&amp;", "&");
        expect(read).toBe(shown(name));
        const texts = svg.replaceAll(/<[^<>]*>/gu, "");
        expect(texts).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#35);)/u);
        // XML 1.0 has no place for these, not even as entities.
        expect(svg).not.toMatch(/[\p{Cs}\ufffe\uffff]|(?!\n)\p{Cc}/u);
      }),
    );
  });
});

it.each(["##vso[task.complete]", "a ##VSO[b]", "##[error]x", "###[x"])(
  "has no command of a CI log: %s",
  (name) => {
    for (const draw of [mermaidText, dotText, (graph: typeof GRAPH) => svgText(graph, name)]) {
      expect(draw(graphOfName(name))).not.toMatch(/##\[|##vso\[/iu);
    }
  },
);

it("hides a secret that is part of a name", () => {
  registerSecret("swordfish-99");
  for (const draw of [mermaidText, dotText, (graph: typeof GRAPH) => svgText(graph, "Routing")]) {
    expect(draw(graphOfName("a-swordfish-99"))).not.toContain("swordfish");
  }
});
