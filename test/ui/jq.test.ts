import { describe, expect, it, vi } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { createWriter } from "../../src/ui/formats.ts";
import { loadJq } from "../../src/ui/jq.ts";
import { unpainted } from "../../src/ui/paint.ts";

const signal = new AbortController().signal;
const IN_PIPE = { isTerminal: false, signal };

/** What a pipe gets. */
const PIPE = { view: undefined, tty: false, width: 80, paint: unpainted, now: new Date(0) };

const ITEMS = JSON.stringify([
  { id: "a", n: 1, tags: ["x"] },
  { id: "b", n: 20, tags: [] },
]);

describe("a program of --jq", () => {
  it.each([
    [".[].id", "a\nb\n"],
    [".[0]", '{"id":"a","n":1,"tags":["x"]}\n'],
    ["length", "2\n"],
    ["empty", ""],
    ['""', "\n"],
    ["map(.n) | add", "21\n"],
    ["-1", "-1\n"],
    ['.[] | select(.n > 5) | "\\(.id): \\(.n)"', "b: 20\n"],
    [".[0] | debug | .id", "a\n"],
    ["[limit(3; repeat(1))]", "[1,1,1]\n"],
    ["123456789012345678901234567890", "123456789012345678901234567890\n"],
    ["# nothing\n.[1].id", "b\n"],
  ])("%s", async (program, output) => {
    expect(await (await loadJq(program, IN_PIPE)).run(ITEMS)).toBe(output);
  });

  it("indents on a terminal, and makes control characters visible", async () => {
    const onTerminal = { isTerminal: true, signal };
    const red = '"\\u001b[31mred"';
    expect(await (await loadJq(".[0].tags", onTerminal)).run(ITEMS)).toBe('[\n  "x"\n]\n');
    expect(await (await loadJq(".", onTerminal)).run(red)).toBe("\\u{1b}[31mred\n");
    expect(await (await loadJq(".", IN_PIPE)).run(red)).toBe("\u001b[31mred\n");
  });

  it.each([
    [".[", "syntax error"],
    [".[] | nosuch", "nosuch/0 is not defined at <top-level>, line 1"],
    [".a\n| .b @", "line 2"],
    ['import "x" as x; .', "module not found: x"],
  ])("%j is refused before it runs, with the words and the place of jq", async (program, words) => {
    const failure = await loadJq(program, IN_PIPE).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    const { message, facts } = failure as UsageError;
    expect(message).toBe("--jq is not a valid program");
    expect(facts.detail).toContain(words);
    expect(facts.detail).not.toMatch(/^jq:|inputString|compile error/mu);
    expect(facts.done).toBe("Nothing was sent.");
  });

  it.each([
    [".[].id.x", 'Cannot index string with string "x"'],
    ['error("own words")', "own words"],
    ["halt_error", '[{"id":"a"'],
    [".", "parse error", "{"],
  ])("%j fails with the words of jq", async (program, words, json = ITEMS) => {
    const { run } = await loadJq(program, IN_PIPE);
    const error = await run(json).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).facts.detail).toContain(words);
  });

  it("is ended by a signal or after its time, and the next one runs", async () => {
    const endless = "last(range(infinite))";
    const stop = new AbortController();
    const stopped = (await loadJq(endless, { ...IN_PIPE, signal: stop.signal })).run(ITEMS);
    setTimeout(() => stop.abort("SIGINT"), 100);
    await expect(stopped).rejects.toMatchObject({ message: "Interrupted" });
    const late = (await loadJq(endless, { ...IN_PIPE, limitMs: 1_000 })).run(ITEMS);
    await expect(late).rejects.toMatchObject({
      message: "--jq failed",
      facts: { detail: "The program did not end within 1 s." },
    });
    expect(await (await loadJq("length", IN_PIPE)).run(ITEMS)).toBe("2\n");
  });

  it("has 60 s", async () => {
    const timeout = vi.spyOn(globalThis, "setTimeout");
    await loadJq(".", IN_PIPE);
    expect(timeout.mock.calls.map(([, ms]) => ms)).toContain(60_000);
    timeout.mockRestore();
  });

  it("fails where it needs more than 2 GB", async () => {
    const { run } = await loadJq("(.[60000000] = 1) as $a | (.[50000000] = 2) as $b | 1", IN_PIPE);
    await expect(run("null")).rejects.toMatchObject({
      facts: { detail: "cannot allocate memory" },
    });
  });

  it.each([
    [".[]", true],
    [" .[] | .id", true],
    [".[].connection.status", true],
    [".[]?.a? | [.]", true],
    [".[] | .a, .b", true],
    [".[] | .a as $x | $x", true],
    [".[], length", false],
    [".[] as $x | length", false],
    [".[] // 1", false],
    [".[] |= 1", false],
    [".[].a |= 1", false],
    [".[].a + 1", false],
    [".[0]", false],
    [".[1:]", false],
    ["map(.a)", false],
    [".[] | input", false],
    [".[] | halt", false],
  ])("%s is run on parts of a list: %s", async (program, isPerItem) => {
    expect((await loadJq(program, IN_PIPE)).isPerItem).toBe(isPerItem);
  });

  it.each([[false], [true]])(
    "a list of 160 MB is refused as a whole only (in parts: %s)",
    async (isPerItem) => {
      const parts: number[] = [];
      const run = async (json: string) => `${parts.push(json.length)}`;
      const options = { format: "json", isList: true, jq: { isPerItem, run } } as const;
      const writer = await createWriter({ ...options, ...PIPE });
      const records = Array.from({ length: 50 }, () => "x".repeat(2 ** 15));
      const write = async () => {
        for (let batch = 0; batch < 100; batch += 1) await writer.items(records);
      };
      if (isPerItem) await expect(write()).resolves.toBeUndefined();
      else await expect(write()).rejects.toThrow("--jq: the list is larger than 128 MB");
      expect(parts).toHaveLength(isPerItem ? 100 : 0);
      for (const length of parts) expect(length).toBeLessThan(2 ** 21);
    },
  );
});
