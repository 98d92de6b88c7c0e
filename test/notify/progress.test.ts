import { expect, it } from "vitest";
import type { EngineEvent } from "../../src/notify/engine/types.ts";
import { addressOf } from "../../src/notify/model/address.ts";
import { reportEvents } from "../../src/notify/progress.ts";
import { SCHEMAS } from "../documents/documents.ts";

/** The lines that a person sees of events. */
function linesOf(events: readonly EngineEvent[]): string[] {
  const lines: string[] = [];
  const report = { notice: (text: string) => lines.push(text), event: () => {} };
  const show = reportEvents({ report, now: () => new Date(0) } as never);
  for (const event of events) show(event);
  return lines;
}

const topic = addressOf("topic", "lifecycle");

it("says once how to end a wait for a list, and what sets it", () => {
  const wait = { type: "waiting", address: topic, why: "not listed yet", horizon: true } as const;
  const lines = linesOf([
    { ...wait, ms: 42_400 },
    { ...wait, ms: 1 },
  ]);
  expect(lines).toEqual([
    "  topic/lifecycle: not listed yet; looking again for up to 43 s",
    "  It is safe to stop: the next run continues. AMP_COMMIT_HORIZON sets the maximum wait.",
    "  topic/lifecycle: not listed yet; looking again for up to 1 s",
  ]);
});

it("says only when a create is tried again that the service turned away", () => {
  const why = "the service asked to wait";
  expect(linesOf([{ type: "waiting", address: topic, why, ms: 2000 }])).toEqual([
    "  topic/lifecycle: the service asked to wait; trying again in 2 s",
  ]);
});

it("reports a wait to programs, too", () => {
  const told: unknown[] = [];
  const report = { notice: () => {}, event: (fields: unknown) => told.push(fields) };
  const show = reportEvents({ report, now: () => new Date(0) } as never);
  show({ type: "waiting", address: topic, why: "not listed yet", ms: 59_999.5, horizon: true });
  const time = "1970-01-01T00:00:00.000Z";
  const wait = { amp: "waiting", address: topic, ms: 60_000, why: "not listed yet", time };
  expect(told).toEqual([wait]);
  expect(SCHEMAS.progress.parse(wait)).toEqual(wait);
});
