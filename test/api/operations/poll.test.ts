import { describe, expect, it } from "vitest";
import {
  follow,
  type Look,
  lastLook,
  type Patience,
  type Polling,
  poll,
} from "../../../src/api/operations/poll.ts";
import { AuthError, ServiceError, TimeoutError } from "../../../src/errors.ts";
import { polling } from "../../polling.ts";

const down = () => new ServiceError("down");

/** The looks at a service that says these, one after the other, and what was said. */
async function looksAt(
  said: readonly unknown[],
  patience: Partial<Patience<unknown>> = {},
  more: Partial<Polling> = {},
) {
  const left = [...said];
  const told: string[] = [];
  const singles: unknown[] = [];
  const call = async (_: never, input: { readonly singleAttempt?: boolean }) => {
    singles.push(input.singleAttempt ?? false);
    const next = left.length > 1 ? left.shift() : left[0];
    if (next instanceof Error) throw next;
    return next;
  };
  const context = { ...polling(call as never, told), ...more };
  const looks: Look<unknown>[] = [];
  const all = poll(
    context,
    (api) => api.call({} as never, {} as never),
    (answer) => answer === "end",
    { pauses: [1], ...patience },
  );
  for await (const look of all) looks.push(look);
  return { looks, told, singles };
}

describe("a poll", () => {
  it("looks until an answer is the last one, after the first with single requests", async () => {
    const { looks, told, singles } = await looksAt(["a", "a", "end", "b"]);
    expect(looks.map(({ answer, looks, isLast }) => [answer, looks, isLast])).toEqual([
      ["a", 1, false],
      ["a", 2, false],
      ["end", 3, true],
    ]);
    expect([told, singles]).toEqual([[], [false, true, true]]);
  });

  it("asks an outage through with longer pauses, says it once, and that it is over", async () => {
    const said = ["a", down(), new TimeoutError("late"), down(), down(), "b", down(), "end"];
    const { looks, told } = await looksAt(said, { pauses: [2] });
    const away = looks.flatMap((look) => (look.kind === "away" ? [look] : []));
    expect(away.map(({ pauseMs }) => pauseMs)).toEqual([2, 4, 8, 16, 2]);
    expect(away.map(({ isFirst }) => isFirst)).toEqual([true, false, false, false, true]);
    expect(away.map(({ answer }) => answer)).toEqual(["a", "a", "a", "a", "b"]);
    expect(told.filter((text) => text === "The service responds again.")).toHaveLength(2);
    expect(told.slice(0, 2)).toEqual([
      "The service does not respond: down. Retrying.",
      "The service does not respond: late. Retrying.",
    ]);
    const silent = await looksAt(["a", down(), "end"], { isSilent: true });
    expect(silent.told).toEqual([]);
    expect(silent.looks.map(({ kind }) => kind)).toEqual(["answer", "away", "answer"]);
    expect(silent.looks.at(-1)).toMatchObject({ isBack: true });
  });

  it("keeps a pause that is longer than those of an outage", async () => {
    const stop = new AbortController();
    const call = async () => {
      if (asked) throw down();
      asked = true;
    };
    let asked = false;
    const context = polling(call as never, [], stop.signal);
    const looks = poll(context, call, () => false, { pauses: [1, 50_000] });
    await looks.next();
    expect((await looks.next()).value).toMatchObject({ kind: "away", pauseMs: 50_000 });
    stop.abort();
    await expect(looks.next()).rejects.toThrow();
  });

  it("ends with errors that do not pass, and with each at the first look", async () => {
    for (const error of [new AuthError("expired"), new TypeError("a defect")])
      await expect(looksAt(["a", error])).rejects.toBe(error);
    await expect(looksAt([down(), "end"])).rejects.toThrow("down");
    const { looks } = await looksAt([down(), "end"], { fromStart: true });
    expect(looks).toMatchObject([{ answer: "end", looks: 1 }]);
  });

  it("ends after a time, and after a number of looks", async () => {
    const { looks } = await looksAt(["a"], { withinMs: 20 });
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.at(-1)).toMatchObject({ isLast: true, answer: "a" });
    expect((await looksAt(["a", down(), "c"], { maxLooks: 3 })).looks).toHaveLength(3);
    await expect(looksAt([down()], { withinMs: 10, fromStart: true })).rejects.toMatchObject({
      message: expect.stringMatching(/^The service did not answer within /u),
    });
  });

  it("reads a case once, and says so", async () => {
    const { looks, told } = await looksAt(["a"], {}, { environment: { env: { AMP_CASE: "x" } } });
    expect(looks).toHaveLength(1);
    expect(told[0]).toMatch(/^A case does not change/u);
  });

  it("has a last look, and follows only what is new", async () => {
    const answers = [["a"], [], ["b"], []];
    const read = async () => answers.shift() ?? [];
    const found: string[] = [];
    const all = follow(polling(read), read, () => answers.length === 0, [1]);
    for await (const items of all) found.push(...items);
    expect(found).toEqual(["a", "b"]);
    const numbers = [1, 2, 3];
    const count = async () => numbers.shift() ?? 0;
    const seen: number[] = [];
    const looks = poll(polling(count), count, (one) => one === 3, { pauses: [1] });
    const last = await lastLook(looks, ({ answer }) => seen.push(answer));
    expect([seen, last.answer]).toEqual([[1, 2], 3]);
  });
});
