import { expect, it } from "vitest";
import { type Paint, unpainted } from "../../src/ui/paint.ts";
import { progressLine } from "../../src/ui/progress.ts";
import type { ProgressEntry } from "../../src/view/view.ts";
import { HOSTILE } from "./hostile.ts";

const STEPS: readonly ProgressEntry[] = [
  { state: "done", kind: "destination", name: "ops-webhook", id: "d_41c7" },
  { state: "unchanged", kind: "topic", name: "customer-lifecycle", id: "t_09aa", note: "exists" },
  { state: "done", kind: "route", name: "customer-lifecycle → ops-webhook", id: "r_5b60" },
  { state: "failed", kind: "topic", name: "東京", note: "the name is taken" },
  { state: "unknown", kind: "route", name: "connection.error", note: "no answer" },
  { state: "done", kind: "route", name: "connection.error" },
];

it("lines steps up as they settle", () => {
  expect(
    `\n${STEPS.map((step) => progressLine(step, unpainted)).join("\n")}\n`,
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

it("paints the mark by the state, and the note with it", () => {
  const marked: Paint = (tone, text) => `<${tone}:${text}>`;
  const [, , , failed] = STEPS;
  expect(failed && progressLine(failed, marked)).toBe(
    "  <bad:✗> topic        東京                              <bad:the name is taken>",
  );
});

it.each(Object.entries(HOSTILE))("stays one harmless line with %s", (_name, text) => {
  const line = progressLine(
    { state: "done", kind: text, name: text, id: text, note: text },
    unpainted,
  );
  expect(line).not.toMatch(/\p{Cc}/u);
  expect(line).not.toMatch(/##\[|##vso\[/iu);
});
