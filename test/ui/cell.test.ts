import { describe, expect, it, vi } from "vitest";
import { relativeTime } from "../../src/ui/cell.ts";
import { shortTimeText, sinceText } from "../../src/values/time.ts";

const now = new Date("2026-08-01T12:00:00Z");

describe("relative", () => {
  it.each([
    ["2026-08-01T12:00:00Z", "just now"],
    ["2026-08-01T11:59:01Z", "just now"],
    ["2026-08-01T12:00:30Z", "just now"],
    ["2026-08-01T11:59:00Z", "1m ago"],
    ["2026-08-01T11:00:01Z", "59m ago"],
    ["2026-08-01T10:00:00Z", "2h ago"],
    ["2026-08-01T12:00:00+02:00", "2h ago"],
    ["2026-07-29T10:00:00.123Z", "3d ago"],
    ["2026-03-29T10:00:00Z", "4mo ago"],
    ["2023-08-01T10:00:00Z", "3y ago"],
    ["2026-08-01T14:30:00Z", "in 2h"],
    ["2026-08-01T12:05:00Z", "in 5m"],
  ])("%s is %s", (iso, expected) => {
    expect(relativeTime(iso, now)).toBe(expected);
  });

  it("takes a time without a zone as UTC, as filters do, wherever the machine is", () => {
    vi.stubEnv("TZ", "America/New_York");
    expect(relativeTime("2026-08-01T10:00:00", now)).toBe("2h ago");
    expect(shortTimeText("2026-08-01T10:00:00", now)).toBe("Sat 1 Aug 10:00 UTC");
    expect(sinceText("2026-08-01T10:00:00", now)).toBe("2 hours");
    vi.unstubAllEnvs();
  });

  it.each(["", "yesterday", "1", "2026", "2026-08-01", "2026-02-30T00:00:00Z", "0001"])(
    "%j comes back as it is",
    (text) => {
      expect(relativeTime(text, now)).toBe(text);
    },
  );
});
