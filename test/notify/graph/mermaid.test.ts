import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphOf, mermaidText } from "../../../src/notify/graph/graph.ts";
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

/** What a reader shows for a name: invisible characters are escaped. */
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

it.each(["##vso[task.complete]", "a ##VSO[b]", "##[error]x", "###[x"])(
  "has no command of a CI log: %s",
  (name) => {
    expect(mermaidText(graphOfName(name))).not.toMatch(/##\[|##vso\[/iu);
  },
);

it("hides a secret that is part of a name", () => {
  registerSecret("swordfish-99");
  expect(mermaidText(graphOfName("a-swordfish-99"))).not.toContain("swordfish");
});
