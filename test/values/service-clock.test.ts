import { describe, expect, it } from "vitest";
import { listTopics } from "../../src/api/operations/endpoints.ts";
import { createServiceClock } from "../../src/values/service-clock.ts";
import { fake } from "../api/fake-service.ts";

const NOON = Date.parse("2026-01-02T12:00:00Z");

/** A clock of a service that is asked once for each of these answers, a second each on its way. */
function clockAfter(...answers: readonly Readonly<Record<string, string>>[]) {
  const time = { passed: 0, shown: 5_000_000 };
  const clock = createServiceClock(
    () => time.passed,
    () => time.shown,
  );
  for (const answer of answers) {
    const hear = clock.listen();
    time.passed += 1_000;
    time.shown += 1_000;
    hear(new Headers(answer));
  }
  return { clock, time };
}

const at = (ms: number) => ({ date: new Date(ms).toUTCString() });

describe("the clock of a service", () => {
  it("is known as exactly as the date of an answer and its time on the way allow", () => {
    const { clock, time } = clockAfter(at(NOON));
    expect(clock.now()).toEqual({ earliest: NOON, latest: NOON + 2_000 });
    time.passed += 10_000;
    time.shown += 10_000;
    expect(clock.now()).toEqual({ earliest: NOON + 10_000, latest: NOON + 12_000 });
  });

  it.each([[{}], [{ date: "noon" }], [{ ...at(NOON), age: "30" }]])(
    "is not known by an answer with %j",
    (headers) => {
      expect(clockAfter(headers).clock.now()).toBeUndefined();
    },
  );

  it("is between those of its servers, and is not set", () => {
    const { clock } = clockAfter(at(NOON), at(NOON + 61_000), at(NOON - 58_000));
    expect(clock.now()).toEqual({ earliest: NOON - 58_000, latest: NOON + 64_000 });
  });

  it("went on while this machine slept, and is not set back with this machine's clock", () => {
    const { clock, time } = clockAfter(at(NOON));
    time.shown += 3_600_000;
    expect(clock.now()).toEqual({ earliest: NOON, latest: NOON + 3_602_000 });
    time.shown -= 7_200_000;
    expect(clock.now()).toEqual({ earliest: NOON, latest: NOON + 2_000 });
  });

  it("is read from the Date header of every answer, also of a refusal", async () => {
    const serviceClock = createServiceClock();
    const { api } = fake(() => new Response("{}", { status: 403, headers: at(NOON) }), {
      onSend: () => serviceClock.listen(),
    });
    const listing = api.call(listTopics, { path: { projectIdOrName: "acme" } });
    await expect(listing).rejects.toThrow();
    expect(serviceClock.now()?.earliest).toBeGreaterThanOrEqual(NOON);
  });
});
