import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRoutingFile } from "../../../src/notify/file/read.ts";
import type { RoutingModel } from "../../../src/notify/model.ts";
import { canonical } from "../../../src/notify/plan/canonical.ts";
import { routingFile } from "../../../src/notify/routing-file.ts";
import { routings } from "../routings.ts";

/** What a file can say: no name that is refused, and no id twice. */
function isSayable({ destinations, topics }: RoutingModel): boolean {
  const texts = [
    ...destinations.keys(),
    ...topics.keys(),
    ...[...topics.values()].flatMap(({ events }) => events),
  ];
  const ids = [...destinations.values()].flatMap((part) =>
    part.kind === "existing" ? [part.id] : [],
  );
  const all = JSON.stringify([[...destinations], [...topics]]);
  return (
    texts.every((text) => text.trim() !== "") &&
    new Set(ids).size === ids.length &&
    !all.includes("__proto__") &&
    !all.includes("\uFFFD")
  );
}

/** The model without what a file does not hold: the values of secrets, the types of what exists. */
function said(model: RoutingModel) {
  const { destinations, topics } = canonical(model);
  return {
    topics: [...topics],
    destinations: [...destinations].map(([name, part]) => [
      name,
      part.kind === "existing"
        ? { id: part.id }
        : { ...part, secrets: Object.keys(part.secrets).sort() },
    ]),
  };
}

describe("a routing file that was written", () => {
  it("is read as the same routing", async () => {
    await fc.assert(
      fc.asyncProperty(routings.filter(isSayable), async (model) => {
        const text = await routingFile(model, "acme");
        const read = await readRoutingFile(text, "routing.yaml", {
          variable: () => "value",
          read: async () => "value",
        });
        expect(read.project).toBe("acme");
        expect(said(read.model)).toEqual(said(model));
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    "<<",
    "123",
    "1e3",
    "null",
    "~",
    "yes",
    "true",
    "0x1F",
    ".inf",
    "- a",
    "a: b",
    "# a",
    "*a",
    "&a",
    "!a",
    "---",
    "...",
    "%YAML",
    "a\nb\n",
    " a ",
    "\ta",
    "'",
    '"',
    "a\u2028b",
    "a\u0085b",
    "\u0000",
    "\uFEFFa",
    "a\rb",
    "x".repeat(2_000),
  ])("keeps %j wherever it stands", async (text) => {
    const model: RoutingModel = {
      destinations: new Map([
        [text, { kind: "new", type: text, metadata: { [text]: text, list: [text] }, secrets: {} }],
        [`${text}2`, { kind: "existing", id: text }],
      ]),
      topics: new Map([[text, { id: text, events: [text], destinations: [text] }]]),
    };
    const file = await routingFile(model, text);
    const read = await readRoutingFile(file, "routing.yaml", {
      variable: () => "value",
      read: async () => "value",
    });
    expect(read.project).toBe(text);
    expect(read.model).toEqual(model);
  });
});
