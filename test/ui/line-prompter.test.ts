import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Prompter } from "../../src/context/command-context.ts";
import { BackError, InterruptedError } from "../../src/errors.ts";
import { createLinePrompter } from "../../src/ui/line-prompter.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { HOSTILE } from "./hostile.ts";

/** Asks at a terminal whose person types these lines, each once the question is there. */
async function asked<Answer>(
  question: (prompter: Prompter) => Promise<Answer>,
  lines: readonly string[],
  signal = new AbortController().signal,
) {
  let isRaw = false;
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      isRaw = mode;
      modes.push(mode);
      return input;
    },
  });
  const left = [...lines];
  let written = "";
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk;
      const line = written.endsWith(": ") ? left.shift() : undefined;
      if (line !== undefined) setImmediate(() => input.write(isRaw ? line : `${line}\n`));
      done();
    },
  });
  const prompter = createLinePrompter({ input, output, columns: 80, signal, paint: unpainted });
  const answer = await question(prompter).catch((error: unknown) => error);
  return { answer, written, modes, left };
}

const flag = "--x";
const COLOURS = ["red", "green", "blue", "dark green"].map((label) => ({ value: label, label }));
const select =
  (more = {}) =>
  (prompter: Prompter) =>
    prompter.select({ message: "Colour", flag, choices: COLOURS, ...more });
const checkbox =
  (more = {}) =>
  (prompter: Prompter) =>
    prompter.checkbox({ message: "Colours", flag, choices: COLOURS, all: "all", ...more });

describe("a list", () => {
  it("is numbered, and answered by a number or a name", async () => {
    const { answer, written } = await asked(select(), ["2"]);
    expect(answer).toBe("green");
    expect(written).toBe("Colour\n1. red\n2. green\n3. blue\n4. dark green\nChoose a number: ");
    expect((await asked(select(), ["Dark Green"])).answer).toBe("dark green");
  });

  it("has no answer for Enter, unless it says one", async () => {
    const refused = await asked(select(), ["", "0", "5", "1,2", "3"]);
    expect(refused.answer).toBe("blue");
    expect(refused.written.split("Type a number from 1 to 4.")).toHaveLength(5);
    const usual = await asked(select({ default: "blue" }), [""]);
    expect(usual).toMatchObject({
      answer: "blue",
      written: expect.stringContaining("Enter for 3"),
    });
  });

  it("lists what has the words of a text, by the same numbers", async () => {
    const { answer, written } = await asked(select(), ["gree", "mauve", "4"]);
    expect(answer).toBe("dark green");
    expect(written).toContain('number: 2 of 4 with "gree":\n2. green\n4. dark green\nChoose');
    // The question again, as its choices may be far above.
    expect(written).toContain('No choice has "mauve".\nColour\nChoose');
  });

  it("reads out the first of many, with their groups and notes", async () => {
    const choices = Array.from({ length: 40 }, (_, at) => ({
      value: at,
      label: `c${at}`,
      note: "a note",
      ...(at % 20 === 0 && { group: `Group ${at}` }),
    }));
    const { answer, written } = await asked(select({ choices }), ["Group 20", "c39", "35"]);
    expect(answer).toBe(39);
    expect(written).toContain("Group 0:\n1. c0, a note\n");
    expect(written).toContain("10 more. Type a part of a name");
  });

  it("of several takes numbers, ranges and all", async () => {
    const changes: unknown[] = [];
    const changed = (now: unknown) => changes.push(now);
    expect((await asked(checkbox({ changed }), ["1, 3-4"])).answer).toEqual([
      "red",
      "blue",
      "dark green",
    ]);
    expect(changes).toEqual([["red", "blue", "dark green"]]);
    expect((await asked(checkbox(), ["ALL"])).answer).toHaveLength(4);
    expect((await asked(checkbox(), ["", "9", "3-2", "blue"])).answer).toEqual(["blue"]);
    const before = await asked(checkbox({ chosen: ["blue", "red"] }), [""]);
    expect(before.answer).toEqual(["red", "blue"]);
    expect(before.written).toContain("Enter for 1,3");
  });
});

describe("a line", () => {
  it("says its default, and what is wrong", async () => {
    const check = (text: string) => text !== "no" || "Not a name";
    const name = (prompter: Prompter) =>
      prompter.input({ message: "Name", flag, default: "ops", check });
    expect(await asked(name, ["no", ""])).toMatchObject({
      answer: "ops",
      written: "Name (Enter for ops): Not a name\nName (Enter for ops): ",
    });
    const typed = (prompter: Prompter) =>
      prompter.input({ message: "Name", flag, default: "ops", typed: "oops" });
    expect((await asked(typed, [""])).answer).toBe("oops");
  });

  it("says yes or no", async () => {
    const confirm = (prompter: Prompter) =>
      prompter.confirm({ message: "Delete it?", flag, default: false });
    for (const [line, answer] of [
      ["", false],
      ["Y", true],
      ["yes", true],
      ["n", false],
    ] as const) {
      expect((await asked(confirm, ["perhaps", line])).answer).toBe(answer);
    }
  });

  it("returns to the question before, where there is one", async () => {
    const back = await asked(select({ back: true }), ["<"]);
    expect(back.answer).toBeInstanceOf(BackError);
    expect(back.written).toContain("Choose a number (< to go back): ");
    const first = (prompter: Prompter) => prompter.input({ message: "Name", flag });
    expect((await asked(first, ["<"])).answer).toBe("<");
  });

  it("may be typed before it is asked for", async () => {
    const both = async (prompter: Prompter) => [
      await prompter.input({ message: "One", flag }),
      await prompter.input({ message: "Two", flag }),
    ];
    expect((await asked(both, ["a\nb"])).answer).toEqual(["a", "b"]);
  });

  it("ends with Ctrl-C and the end of the input", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort("SIGINT"), 20);
    expect((await asked(select(), [], stop.signal)).answer).toBeInstanceOf(InterruptedError);
    const ended = new AbortController();
    ended.abort("SIGTERM");
    expect((await asked(select(), [], ended.signal)).answer).toMatchObject({ exit: "terminated" });
  });
});

describe("a secret", () => {
  const secret = (prompter: Prompter) =>
    prompter.secret({
      message: "Key",
      flag,
      check: (text: string) => text.length > 3 || "Too short",
    });

  it("is not shown, and can be edited", async () => {
    const { answer, written, modes } = await asked(secret, ["abc\r", "wrong\u0015sx\u007fecret\r"]);
    expect(answer).toBe("secret");
    const question = "Key (what you type is hidden): \n";
    expect(written).toBe(`${question}Too short\n${question}`);
    expect(modes).toEqual([true, false, true, false]);
  });

  it("loses a whole character to Backspace, also one of two code units", async () => {
    expect((await asked(secret, ["\u{1f600}\u007fsecret\r"])).answer).toBe("secret");
  });

  it.each(["\u0003", "\u0004"])("ends with Ctrl-C and Ctrl-D", async (key) => {
    const { answer, modes } = await asked(secret, [`ab${key}`]);
    expect(answer).toBeInstanceOf(InterruptedError);
    expect(modes.at(-1)).toBe(false);
  });
});

it.each(Object.entries(HOSTILE))("escapes the control characters of %s", async (_name, text) => {
  const choices = [{ value: 1, label: text, note: text, group: text }];
  const { written } = await asked(
    (prompter) => prompter.select({ message: text, flag, choices }),
    ["1"],
  );
  expect(written.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
});
