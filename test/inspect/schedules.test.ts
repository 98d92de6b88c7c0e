import { describe, expect, it } from "vitest";
import { scheduleText } from "../../src/inspect/schedules.ts";
import { localTimeText } from "../../src/values/time.ts";

const NOW = new Date("2026-09-02T08:30:00Z");

describe("a schedule for people", () => {
  it.each([
    ["*/15 * * * *", "every 15 minutes", "2026-09-02 08:45 UTC"],
    ["0 * * * *", "every hour", "2026-09-02 09:00 UTC"],
    ["30 6 * * 1-5", "at 06:30, Monday through Friday", "2026-09-03 06:30 UTC"],
    ["0 4 1 * *", "at 04:00, on day 1 of the month", "2026-10-01 04:00 UTC"],
    ["0 0 * * 0", "at 00:00, only on Sunday", "2026-09-06 00:00 UTC"],
    ["@hourly", "every hour", "2026-09-02 09:00 UTC"],
    ["0 0 30 2 *", "at 00:00, on day 30 of the month, only in February", null],
  ])("%s", (expression, words, next) => {
    expect(scheduleText(expression, NOW, "UTC")).toEqual({ words, next });
  });

  it.each([
    "",
    "hourly",
    "99 * * * *",
    "* * *",
    "\u001b[31m* * * * *",
    `${"1,".repeat(80)}1 * * * *`,
  ])("none for %j", (expression) => {
    expect(scheduleText(expression, NOW, "UTC")).toBeUndefined();
  });
});

describe("a moment in local time and UTC", () => {
  it.each([
    ["UTC", "2026-09-02 23:30 UTC"],
    ["Etc/UTC", "2026-09-02 23:30 UTC"],
    ["Europe/Berlin", "2026-09-03 01:30 GMT+2 (2026-09-02 23:30 UTC)"],
    ["America/New_York", "2026-09-02 19:30 GMT-4 (23:30 UTC)"],
    ["Asia/Kolkata", "2026-09-03 05:00 GMT+5:30 (2026-09-02 23:30 UTC)"],
    ["Nowhere/Atall", "2026-09-02 23:30 UTC"],
  ])("%s", (zone, text) => {
    expect(localTimeText(new Date("2026-09-02T23:30:00Z"), zone)).toBe(text);
  });
});
