import fc from "fast-check";
import { expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import {
  durationText,
  localTimeText,
  readDuration,
  readPeriod,
  shortTimeText,
  sinceText,
  timeAdvice,
} from "../../src/values/time.ts";

it.each([
  ["30s", 30_000],
  ["2m", 120_000],
  ["1500ms", 1500],
  ["1h", 3_600_000],
  ["3d", 259_200_000],
  ["2w", 1_209_600_000],
  [" 5s ", 5000],
  ["2147483647ms", 2_147_483_647],
])("reads %s", (text, time) => expect(readDuration(text)).toBe(time));

it.each([
  "",
  "30",
  "s",
  "-1s",
  "1.5s",
  "0s",
  "0ms",
  "1 s",
  "1S",
  "25d",
  "30s30",
  "2147483648ms",
  "600h",
  "1e3s",
  "９s",
  `${"9".repeat(400)}s`,
])("refuses %j", (text) => expect(() => readDuration(text)).toThrow(UsageError));

it("gives a time that a timer takes, or refuses", () => {
  const text = fc
    .tuple(fc.nat(), fc.constantFrom("ms", "s", "m", "h", "d", "w"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (typed) => {
      try {
        const time = readDuration(typed);
        expect(Number.isInteger(time) && time > 0 && time <= 2_147_483_647).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
  );
});

it.each([
  [0, "0.1 s"],
  [249, "0.2 s"],
  [9_949, "9.9 s"],
  [9_951, "10 s"],
  [60_000, "60 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [3_599_000, "1 h"],
  [3_600_000, "1 h"],
  [7_800_000, "2 h 10 min"],
  [90_000_000, "1 day 1 h"],
])("%i ms reads as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

/** A Tuesday. */
const NOW = new Date("2026-11-24T08:30:00Z");

it.each([
  ["2h", "2026-11-24T06:30:00"],
  ["3 days", "2026-11-21T08:30:00"],
  ["1 day 6 h", "2026-11-23T02:30:00"],
  ["2 h 10 min ago", "2026-11-24T06:20:00"],
  ["3d ago", "2026-11-21T08:30:00"],
  ["2 Weeks", "2026-11-10T08:30:00"],
  ["just now", "2026-11-24T08:30:00"],
  ["today", "2026-11-24T00:00:00"],
  ["yesterday 9:00", "2026-11-23T09:00:00"],
  ["tuesday", "2026-11-24T00:00:00"],
  ["last tuesday", "2026-11-17T00:00:00"],
  ["Last Monday", "2026-11-23T00:00:00"],
  ["tue 9:00", "2026-11-17T09:00:00"],
  ["mon 9:00 UTC", "2026-11-23T09:00:00"],
  ["8:15", "2026-11-24T08:15:00"],
  ["9am", "2026-11-23T09:00:00"],
  ["8 AM", "2026-11-24T08:00:00"],
  ["yesterday 9:30 pm", "2026-11-23T21:30:00"],
  ["12 am", "2026-11-24T00:00:00"],
  ["noon", "2026-11-23T12:00:00"],
  ["midnight", "2026-11-24T00:00:00"],
  ["21.11.", "2026-11-21T00:00:00"],
  ["25.12.", "2025-12-25T00:00:00"],
  ["1.2.2026", "2026-02-01T00:00:00"],
  ["21.11.2025 9 am", "2025-11-21T09:00:00"],
  ["9:00", "2026-11-23T09:00:00"],
  ["21 Nov", "2026-11-21T00:00:00"],
  ["Nov 21", "2026-11-21T00:00:00"],
  ["21 november 2025", "2025-11-21T00:00:00"],
  ["25 Dec", "2025-12-25T00:00:00"],
  ["21 Nov 09:15", "2026-11-21T09:15:00"],
  ["2026-11-20 10:45 GMT+2 (08:45 UTC)", "2026-11-20T08:45:00"],
  ["2026-11-20 10:45 UTC", "2026-11-20T10:45:00"],
  ["21 Nov 09:15 GMT+5:30", "2026-11-21T03:45:00"],
])("reads the time %s", (text, time) => {
  expect(new Date(readPeriod(text, NOW)?.start ?? 0).toISOString().slice(0, 19)).toBe(time);
});

it.each([
  "",
  "32 Nov",
  "25:00",
  "monthly",
  "5 apples",
  "montag 9",
  "13pm",
  "0 am",
  "21.11",
  "21.13.",
  "21 Nov2026",
  "this morning",
  "today 21 Nov x",
  "last",
  "(x)",
])("reads no time in %j", (text) => expect(readPeriod(text, NOW)).toBeUndefined());

it.each([
  ["last night", "yesterday 22:00"],
  ["this morning", "today 6:00"],
  ["yesterday evening", "yesterday 18:00"],
  ["Monday afternoon", "monday noon"],
])("names an accepted time near %s", (text, near) => {
  expect(readPeriod(text, NOW)).toBeUndefined();
  expect(timeAdvice(text)).toContain(`Did you mean "${near}" (UTC)?`);
  expect(readPeriod(near, NOW)).toBeDefined();
});

it("reads each time that it prints", () => {
  const recent = fc.date({ min: new Date("2024-01-01"), max: NOW, noInvalidDate: true });
  const zones = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns");
  fc.assert(
    fc.property(recent, zones, (moment, zone) => {
      const minute = Math.floor(moment.getTime() / 60_000) * 60_000;
      for (const text of [shortTimeText(moment.toISOString(), NOW), localTimeText(moment, zone)]) {
        expect(readPeriod(text, NOW)?.start, text).toBe(minute);
      }
      const ago = sinceText(moment.toISOString(), NOW) ?? "";
      const start = readPeriod(ago, NOW)?.start ?? 0;
      expect(start - moment.getTime(), ago).toBeGreaterThanOrEqual(0);
    }),
  );
});

it.each([
  [30 * 3_600_000, "1 day 6 h"],
  [48 * 3_600_000, "2 days"],
])("says %d ms as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
  expect(sinceText(new Date(NOW.getTime() - ms).toISOString(), NOW)).toBe(text);
});
