import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/api/schemas/installation.ts";
import { AuthError, ServiceError, TimeoutError } from "../../src/errors.ts";
import type { FieldDifference } from "../../src/inspect/installation-diff.ts";
import { changesText, type PollResult, watchList } from "../../src/inspect/watch.ts";

const NOW = new Date("2026-09-02T08:30:00Z");

const installation = (id: string, more: object = {}): Installation => ({
  ...{ id, projectId: "p", integrationId: "i", healthStatus: "healthy", connection: {} },
  ...{ createTime: "2026-09-01T00:00:00Z", createdBy: "consumer:ada", config: {} },
  ...more,
});

/** The polls at a list that answers these, one after another; a function throws. */
async function pollsOf(
  ...answers: (Installation[] | Error)[]
): Promise<{ polls: PollResult[]; pauses: number[] }> {
  const polls: PollResult[] = [];
  const pauses: number[] = [];
  let at = 0;
  const ports = {
    load: async () => {
      const answer = answers[at] ?? [];
      at += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    now: () => new Date(NOW.getTime() + at * 1000),
    every: 10_000,
    sleep: async (ms: number) => void pauses.push(ms),
    isOver: () => at >= answers.length,
  };
  for await (const poll of watchList(ports)) polls.push(poll);
  return { polls, pauses };
}

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

describe("watching a list", () => {
  it("finds what was added, removed and changed, by field", async () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => installation(id));
    const sick = installation("b", { healthStatus: "unhealthy" });
    const { polls, pauses } = await pollsOf(
      [a, b] as Installation[],
      [sick, c] as Installation[],
      [sick, c] as Installation[],
    );
    const found = polls.map((poll) =>
      poll.kind === "listed"
        ? poll.changes.map(({ change, installation: { id } }) => `${change} ${id}`)
        : [],
    );
    expect(found).toEqual([[], ["changed b", "added c", "removed a"], []]);
    expect(polls[1]).toMatchObject({
      changes: [
        { changes: [{ field: "healthStatus", before: "healthy", after: "unhealthy" }] },
        {},
        {},
      ],
    });
    expect(pauses).toEqual([10_000, 10_000, 10_000]);
  });

  it("survives that the service is away, asks more rarely, and compares with what was before", async () => {
    const before = installation("a");
    const after = installation("a", { healthStatus: "unhealthy" });
    const down = () => new ServiceError("the service answered 503");
    const { polls, pauses } = await pollsOf(
      ...[[before], down(), new TimeoutError("late"), down(), down(), down()],
      [after],
      [after],
    );
    expect(polls.map(({ kind }) => kind)).toEqual([
      "listed",
      ..."aaaaa".split("").map(() => "unavailable"),
      "listed",
      "listed",
    ]);
    const [, first, second] = polls;
    expect(first).toMatchObject({ reason: "the service answered 503", pause: 10_000 });
    expect(second).toMatchObject({ reason: "late", pause: 20_000 });
    expect(
      new Set(polls.flatMap((poll) => (poll.kind === "unavailable" ? [poll.since.getTime()] : [])))
        .size,
    ).toBe(1);
    expect(pauses).toEqual([10_000, 10_000, 20_000, 40_000, 60_000, 60_000, 10_000, 10_000]);
    expect(polls[6]).toMatchObject({ isBack: true, changes: [{ change: "changed" }] });
    expect(polls[7]).toMatchObject({ isBack: false, changes: [] });
  });

  it("ends with any error that does not pass, and with each at the first poll", async () => {
    await expect(pollsOf([], new AuthError("expired"), [])).rejects.toThrow("expired");
    await expect(pollsOf([], new TypeError("a defect"), [])).rejects.toThrow("a defect");
    await expect(pollsOf(new ServiceError("down"), [])).rejects.toThrow("down");
  });
});
