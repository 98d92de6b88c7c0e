import { describe, expect, it } from "vitest";
import { type Paint, unpainted } from "../../src/ui/paint.ts";
import { createListSummary, progressLine } from "../../src/ui/status-lines.ts";
import { type ProgressEntry, table } from "../../src/view/view.ts";
import { HOSTILE } from "./hostile.ts";
import { ITEMS, type Item, VIEW } from "./list-fixture.ts";

describe("the closing line", () => {
  const closing = (items: readonly Item[], width = 80) => {
    const summary = createListSummary(VIEW);
    for (const item of items) summary.add([item]);
    return summary.closingLine({ width, paint: unpainted }, { searched: undefined, isCut: false });
  };

  it("counts, remarks, and names the next command at the right end", () => {
    expect(closing(ITEMS)).toBe(
      "\n3 installations · 1 unhealthy                         amp installations get <id>",
    );
    expect(closing(ITEMS.slice(0, 1))).toMatch(/^\n1 installation {2}.*<id>$/u);
  });

  it("puts the next command below where there is no room", () => {
    expect(closing(ITEMS, 50)).toBe("\n3 installations · 1 unhealthy\namp installations get <id>");
  });

  it("says that a list is empty, and why that may be", () => {
    expect(closing([])).toBe("no installations\nnobody has installed this integration yet");
    const bare = createListSummary(table(["topic", "topics"], {}));
    expect(
      bare.closingLine({ width: 80, paint: unpainted }, { searched: undefined, isCut: false }),
    ).toBe("no topics");
  });
});

describe("lines of progress", () => {
  const STEPS: readonly ProgressEntry[] = [
    { state: "done", kind: "destination", name: "ops-webhook", id: "d_41c7" },
    { state: "unchanged", kind: "topic", name: "customer-lifecycle", id: "t_09aa", note: "exists" },
    { state: "done", kind: "route", name: "customer-lifecycle → ops-webhook", id: "r_5b60" },
    { state: "failed", kind: "topic", name: "東京", note: "the name is taken" },
    { state: "unknown", kind: "route", name: "connection.error", note: "no answer" },
    { state: "done", kind: "route", name: "connection.error" },
  ];

  it("are aligned as they come", () => {
    expect(
      `\n${STEPS.map((step) => progressLine(step, { paint: unpainted, width: 80 })).join("\n")}\n`,
    ).toMatchInlineSnapshot(`
    "
      ✓ destination  ops-webhook                       d_41c7
      = topic        customer-lifecycle                t_09aa  exists
      ✓ route        customer-lifecycle → ops-webhook  r_5b60
      ✗ topic        東京                              the name is taken
      ? route        connection.error                  no answer
      ✓ route        connection.error
    "
  `);
  });

  it("fit 60 columns by their names, so that no ID is cut", () => {
    const [, , route] = STEPS;
    const line =
      route && progressLine({ ...route, id: "dsr_f2d2b566" }, { paint: unpainted, width: 60 });
    expect(line).toBe("  ✓ route        customer-lifecycle → ops-web…  dsr_f2d2b566");
  });

  it("have their mark and note painted by the state", () => {
    const marked: Paint = (tone, text) => `<${tone}:${text}>`;
    const [, , , failed] = STEPS;
    expect(failed && progressLine(failed, { paint: marked, width: 80 })).toBe(
      "  <bad:✗> topic        東京                              <bad:the name is taken>",
    );
  });

  it.each(Object.entries(HOSTILE))(
    "have one line each, without control characters, for %s",
    (_name, text) => {
      const line = progressLine(
        { state: "done", kind: text, name: text, id: text, note: text },
        { paint: unpainted, width: 80 },
      );
      expect(line).not.toMatch(/\p{Cc}/u);
      expect(line).not.toMatch(/##\[|##vso\[/iu);
    },
  );
});
