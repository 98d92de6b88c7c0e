import { describe, expect, it } from "vitest";
import type { FieldDifference } from "../../src/documents/inspect.ts";
import { changesText } from "../../src/inspect/watch.ts";

describe("the line of a change", () => {
  const config = { area: "installation", change: "changed", field: "updateTime" } as const;
  const stamp = { ...config, before: "2026-09-01T00:00:00Z", after: "2026-09-02T00:00:00Z" };
  const health = { ...config, field: "healthStatus", before: "healthy", after: "unhealthy" };
  const paused: FieldDifference = {
    ...config,
    ...{ area: "read", object: "contacts", field: "disabled", change: "added", after: true },
  };

  it("has objects first, and the time of the change only where nothing else is known", () => {
    expect(changesText([stamp, health, paused])).toMatch(/^contacts paused .*; health /u);
    expect(changesText([stamp, paused])).not.toContain("config changed");
    expect(changesText([stamp])).toContain("config changed");
  });
});
