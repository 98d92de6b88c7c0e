import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { guards, SABOTAGES, withoutGuard } from "../faults/sabotage.ts";

const found = guards();
const used = new Set(SABOTAGES.flatMap(({ guards: names }) => Object.keys(names)));

describe("the guards of src", () => {
  it("are each in one place, and each in a sabotage", () => {
    expect(found.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it.each(SABOTAGES)("can be disabled for $what", ({ guards: ways }) => {
    for (const [name, way] of Object.entries(ways)) {
      const text = readFileSync(found.find((one) => one.name === name)?.path ?? "", "utf8");
      expect(withoutGuard(text, name, way)).not.toBe(text);
    }
  });
});

describe("a guard", () => {
  const guarded = (code: string) => `first();\n// guard: it\n${code}\nlast();`;
  const without = (code: string, way: Parameters<typeof withoutGuard>[2]) =>
    withoutGuard(guarded(code), "it", way).split("\n").slice(2, -1).join("\n");

  it("is the statement or entry behind its comment", () => {
    expect(without("await save(1);", "gone")).toBe(";");
    expect(without("if (a) {\n  b();\n}", "gone")).toBe(";");
    expect(without("await save(1);", "not awaited")).toBe("void save(1).catch(() => {});");
    expect(without("const end = since + horizon;", "left side")).toBe("const end = since;");
    expect(without("if (a && b) c();", { value: "false" })).toBe("if (false) c();");
    expect(without("const is = (a) => b(a);", { value: "() => true" })).toBe(
      "const is = () => true;",
    );
    const entry = "const a = {\n// guard: it\nids,\n};";
    expect(withoutGuard(entry, "it", { value: "[]" })).toBe(
      "const a = {\n// guard: it\nids: [],\n};",
    );
  });

  it("that is gone, or that the way does not fit, is an error", () => {
    expect(() => withoutGuard("a();", "it", "gone")).toThrow("no guard: it");
    expect(() => without("a();", "left side")).toThrow("cannot be disabled");
    expect(() => without("a();", "not awaited")).toThrow("cannot be disabled");
  });
});
