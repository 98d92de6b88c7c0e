import { describe, expect, it } from "vitest";
import { ConflictError } from "../../src/errors.ts";
import { renderError } from "../../src/ui/error.ts";
import { renderPage } from "../../src/ui/page.ts";
import { unpainted } from "../../src/ui/paint.ts";

const OPTIONS = { paint: unpainted, width: 60, now: new Date(0) };
const LONG = "a".repeat(90);

describe("output that is not written for a terminal", () => {
  it("has more rows, and words in one, than a function may have arguments", () => {
    const many = Array.from({ length: 150_000 }, (_, at) => [`n${at}`, "x"]);
    for (const rows of [many, [["n", "x ".repeat(150_000)]]]) {
      const page = { title: "", blocks: [{ kind: "grid", columns: ["A", "B"], rows } as const] };
      const lines = [...renderPage(page, { ...OPTIONS, isPiped: true })];
      expect(lines.at(-1)).toContain(rows.at(-1)?.[1]?.trim());
    }
  });

  it("has every line of an error, and the whole of each value", () => {
    const items = Array.from({ length: 30 }, (_, at) => `  topic/t${at}`);
    const error = new ConflictError("2 conflicts", {
      done: ["Created:", ...items, "Not tried:", "  topic/last"].join("\n"),
      issues: [{ name: "url", value: LONG }],
    });
    const short = renderError(error, OPTIONS);
    expect(short).toContain("    topic/t19\n    and 10 more\n  Not tried:\n    topic/last");
    expect(short).not.toContain(LONG);
    const whole = renderError(error, { ...OPTIONS, isPiped: true });
    expect(whole).not.toContain("more");
    for (const item of items) expect(whole).toContain(`${item}\n`);
    expect(whole.replaceAll(/\s/gu, "")).toContain(LONG);
  });

  it("has the whole of each cell and label of a page", () => {
    const page = {
      title: "Title",
      aside: "aside",
      blocks: [
        { kind: "grid", columns: ["A", "B"], rows: [[LONG, LONG]], framed: true },
        { kind: "rows", rows: [[LONG, LONG]] },
      ],
    } as const;
    const piped = [...renderPage(page, { ...OPTIONS, isPiped: true })].join("\n");
    expect(piped.split(`${LONG}  ${LONG}`)).toHaveLength(3);
    const shown = [...renderPage(page, OPTIONS)];
    expect(shown.every((line) => line.length <= 60)).toBe(true);
  });
});
