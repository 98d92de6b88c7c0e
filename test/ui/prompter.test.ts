import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Prompter } from "../../src/context/command-context.ts";
import { BackError } from "../../src/errors.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { createPrompter } from "../../src/ui/prompter.ts";
import { HOSTILE } from "./hostile.ts";

/** Asks at a terminal whose person presses these keys, each once something new is on the screen. */
async function asked<Answer>(
  question: (prompter: Prompter) => Promise<Answer>,
  keys: readonly string[],
  saw: (text: string) => void = () => {},
): Promise<{ answer: Answer; written: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const left = [...keys];
  let written = "";
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk;
      saw(String(chunk));
      const key = left.shift();
      if (key !== undefined) setImmediate(() => input.write(key));
      done();
    },
  });
  const terminal = { input, output, columns: 80, signal: new AbortController().signal };
  const answer = await question(createPrompter({ ...terminal, paint: unpainted }));
  return { answer, written };
}

/** What is left beside the cursor movements of the library. */
function rest(written: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the library sends
  return written.replaceAll(/\u001b\[[\d;?]*[A-Za-z]|[\r\n]|\u0007/gu, "");
}

const UNSAFE = /[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?!\u200d)\p{Cf}/u;

it.each(Object.entries(HOSTILE))(
  "asks about %s and escapes its control characters",
  async (_name, text) => {
    const flag = "--x";
    const questions: ((prompter: Prompter) => Promise<unknown>)[] = [
      (prompter) =>
        prompter.select({
          message: text,
          flag,
          choices: [{ value: 1, label: text, note: text, group: text }],
        }),
      (prompter) =>
        prompter.select({
          message: text,
          flag,
          choices: Array.from({ length: 30 }, () => ({ value: 1, label: text, note: text })),
        }),
      (prompter) =>
        prompter.checkbox({
          message: text,
          flag,
          choices: [{ value: 1, label: text, note: text }],
          all: text,
          chosen: [1],
        }),
      (prompter) => prompter.confirm({ message: text, flag, default: true }),
      (prompter) => prompter.input({ message: text, flag, default: text }),
    ];
    for (const question of questions) {
      const { written } = await asked(question, ["\r"]);
      expect(rest(written)).not.toMatch(UNSAFE);
      expect(written).not.toContain(text);
    }
  },
);

it.each(Object.entries(HOSTILE))("refuses an answer in words like %s", async (_name, text) => {
  let tries = 0;
  const check = () => tries++ > 0 || text;
  const question = (prompter: Prompter) => prompter.input({ message: "Name", flag: "--x", check });
  const { written } = await asked(question, ["a", "\r", "\r", "\r", "\r"]);
  expect(rest(written)).not.toMatch(UNSAFE);
  expect(written).not.toContain(text);
});

it("ends a question with the error of its check, and no sign that it was answered", async () => {
  const error = new Error("enough");
  let shown = "";
  const check = () => {
    throw error;
  };
  const question = (prompter: Prompter) => prompter.input({ message: "Name", flag: "--x", check });
  await expect(asked(question, ["a", "\r"], (text) => (shown += text))).rejects.toBe(error);
  expect(shown).toContain("a");
  expect(shown).not.toContain("✓");
});

it("forgets a hidden answer that was refused", async () => {
  const check = (answer: string) => answer === "right" || `Not ${answer.length} letters`;
  const question = (prompter: Prompter) => prompter.secret({ message: "Key", flag: "--x", check });
  const keys = ["wrong", "\r", "r", "ight", "\r", "\r", "\r"];
  const { answer, written } = await asked(question, keys);
  expect(answer).toBe("right");
  expect(written).toContain("Not 5 letters");
});

describe("back", () => {
  const flag = "--x";
  const choices = [{ value: 1, label: "one" }];
  const questions: Readonly<
    Record<string, (prompter: Prompter, back: boolean) => Promise<unknown>>
  > = {
    input: (prompter, back) => prompter.input({ message: "Name", flag, back }),
    secret: (prompter, back) => prompter.secret({ message: "Key", flag, back }),
    confirm: (prompter, back) => prompter.confirm({ message: "Sure?", flag, back }),
    select: (prompter, back) => prompter.select({ message: "Which?", flag, back, choices }),
    checkbox: (prompter, back) =>
      prompter.checkbox({ message: "Which?", flag, back, choices, all: "all", chosen: [1] }),
  };
  const [esc, left] = ["\u001b", "\u001b[D"];

  it.each(Object.entries(questions))("is Esc and ← at %s", async (_name, question) => {
    for (const key of [esc, left]) {
      await expect(asked((prompter) => question(prompter, true), [key])).rejects.toThrow(BackError);
    }
  });

  // A list to choose one from is asked again after these keys: see "a key that types nothing".
  const others = Object.entries(questions).filter(([name]) => name !== "select");
  it.each(others)("is not possible at a first %s", async (_name, question) => {
    const { written } = await asked((prompter) => question(prompter, false), [`${left}\r`, "\r"]);
    expect(written).not.toContain("back");
  });

  it.each(Object.entries(questions))(
    "ends the command with Esc at a first %s",
    async (_, question) => {
      const ended = asked((prompter) => question(prompter, false), [esc]);
      await expect(ended).rejects.toMatchObject({ message: "Cancelled", exit: "interrupted" });
    },
  );

  it("moves the cursor in a text that was begun", async () => {
    const question = (prompter: Prompter) => prompter.input({ message: "Name", flag, back: true });
    expect((await asked(question, ["b", left, "a", "\r"])).answer).toBe("ab");
  });

  it("leaves an answer of before to be edited", async () => {
    const question = (prompter: Prompter) =>
      prompter.input({ message: "Name", flag, back: true, typed: "ops" });
    expect((await asked(question, [left, "-", "\r"])).answer).toBe("op-s");
  });

  it("starts a list at its default", async () => {
    const question = (prompter: Prompter) =>
      prompter.select({
        message: "Which?",
        flag,
        choices: [...choices, { value: 2, label: "two" }],
        default: 2,
      });
    expect((await asked(question, ["\r"])).answer).toBe(2);
  });
});

it("a prompt offers no default with invisible characters", async () => {
  const question = (preset: string) => (prompter: Prompter) =>
    prompter.input({ message: "Name", flag: "--x", default: preset });
  expect((await asked(question("ops"), ["\r"])).answer).toBe("ops");
  expect((await asked(question("ops\u200b"), ["\r"])).answer).toBe("");
});

/** Asks at a terminal whose person pauses after each key. */
async function askedSlowly<Answer>(
  question: (prompter: Prompter) => Promise<Answer>,
  keys: readonly string[],
): Promise<{ answer: Answer; written: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  let written = "";
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk;
      done();
    },
  });
  const terminal = { input, output, columns: 80, signal: new AbortController().signal };
  const answer = question(createPrompter({ ...terminal, paint: unpainted }));
  answer.catch(() => {});
  for (const key of keys) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    input.write(key);
  }
  return { answer: await answer, written };
}

describe("a list longer than the screen", () => {
  const choices = Array.from({ length: 200 }, (_, at) => ({
    value: at,
    label: `Åcme ${at % 2 === 0 ? "Foods" : "Travel"} ${at}`,
    note: `hubspot · ins_${3000 + at}`,
  }));
  const which = (prompter: Prompter, back = false) =>
    prompter.select({ message: "Which?", flag: "--x", back, choices });

  it.each([
    ["words of a label in any order, case and accent", ["157 acme"], 157],
    ["a part of a note", ["ins_3042"], 42],
    ["nothing, which leaves the first", [], 0],
    ["words, and a key that moves", ["foods 11", "\u001b[B"], 112],
    ["words that Tab leaves as they are", ["foods", "\t", " 15"], 150],
  ])("is searched by %s", async (_name, keys, expected) => {
    const { answer } = await askedSlowly((prompter) => which(prompter), [...keys, "\r"]);
    expect(answer).toBe(expected);
  });

  it("is searched although it is short, where a number would name a row", async () => {
    const short = choices.slice(0, 18);
    const question = { message: "Which?", flag: "--x", choices: short, isSearched: true };
    const pick = (prompter: Prompter) => prompter.select(question);
    expect((await askedSlowly(pick, ["3012", "\r"])).answer).toBe(12);
    expect((await askedSlowly(pick, ["3", "012", "\r"])).answer).toBe(12);
  });

  it("keeps the headings of groups, and finds all of a group", async () => {
    const grouped = choices.map((choice, at) =>
      at % 100 === 0 ? { ...choice, group: at === 0 ? "Élan group" : "Other group" } : choice,
    );
    const question = { message: "Which?", flag: "--x", choices: grouped };
    const pick = (prompter: Prompter) => prompter.select(question);
    const { answer, written } = await askedSlowly(pick, ["elan 42", "\r"]);
    expect(answer).toBe(42);
    expect(written).toMatch(/elan 42[^✓]*Élan group[^✓]*Åcme Foods 42/u);
    expect((await askedSlowly(pick, ["other 142", "\r"])).answer).toBe(142);
  });

  it("counts the matches that are not shown", async () => {
    const down = Array.from({ length: 99 }, () => "\u001b[B").join("");
    const { written } = await askedSlowly((prompter) => which(prompter), [down, "\r"]);
    expect(written).toContain("and 100 more: type to narrow the search");
    expect(written).toContain("200 · type to search · ↑↓ navigate · ⏎ select");
  });

  it("says how many are left of all while something is typed", async () => {
    const { written } = await askedSlowly((prompter) => which(prompter), ["ins_3042", "\r"]);
    expect(written).toContain("1 of 200 · type to search");
  });

  it("is ended by Esc as by Ctrl-C where there is no way back, and says so", async () => {
    const question = (prompter: Prompter) => which(prompter);
    for (const keys of [["\u001b"], ["foods", "\u001b"]]) {
      const asked = askedSlowly(question, keys);
      await expect(asked).rejects.toMatchObject({ message: "Cancelled", exit: "interrupted" });
    }
    const { written } = await askedSlowly(question, ["\r"]);
    expect(written).toContain("type to search · ↑↓ navigate · ⏎ select · esc cancel");
  });

  it("is left with Esc, also when something was typed", async () => {
    const question = (prompter: Prompter) => which(prompter, true);
    await expect(askedSlowly(question, ["foods", "\u001b"])).rejects.toThrow(BackError);
  });
});

it.each([3, 200])("shows the ends of long names in a list of %i", async (length) => {
  const name = "The International Company of Very Long Names and Sons, Limited Partnership";
  const choices = Array.from({ length }, (_, at) => ({
    value: at,
    label: `${name} ${at + 100}`,
    note: "hubspot",
  }));
  const question = (prompter: Prompter) => prompter.select({ message: "W?", flag: "--x", choices });
  const { written } = await askedSlowly(question, ["\r"]);
  for (const end of ["101", "102"]) expect(written).toContain(`Limited Partnership ${end}`);
});

describe("a key that types nothing", () => {
  it.each([
    ["←", "\u001b[D"],
    ["Home", "\u001b[H"],
    ["F1", "\u001bOP"],
    ["Tab", "\t"],
  ])("leaves the choice of a list where it begins: %s", async (_name, key) => {
    const choices = [
      { value: "create", label: "Create" },
      { value: "cancel", label: "Cancel" },
    ];
    const question = { message: "What?", flag: "--x", choices, default: "cancel" };
    const { answer } = await askedSlowly((prompter) => prompter.select(question), [key, "\r"]);
    expect(answer).toBe("cancel");
  });
});

it.each([
  [["b", "\r"], [2]],
  [
    ["a", " ", "\u007f", "b", "\r"],
    [1, 2],
  ],
  [["a", " ", "\r"], [1]],
])("Enter takes the single match of what was typed: %j", async (keys, wanted) => {
  const choices = [
    { value: 1, label: "a" },
    { value: 2, label: "b" },
  ];
  const question = (prompter: Prompter) =>
    prompter.checkbox({ message: "Which?", flag: "--x", choices, all: "all of them" });
  expect((await askedSlowly(question, keys)).answer).toEqual(wanted);
});

it("tells each choice of a list, which Ctrl-C would lose", async () => {
  const choices = ["a", "b"].map((value) => ({ value, label: value }));
  const told: (readonly string[])[] = [];
  const changed = (chosen: readonly string[]) => told.push(chosen);
  const question = (prompter: Prompter) =>
    prompter.checkbox({ message: "Which?", flag: "--x", choices, all: "all", changed });
  const keys = ["\u001b[B", " ", "\u001b[B", " ", " ", "\u0003"];
  await expect(askedSlowly(question, keys)).rejects.toMatchObject({ message: "Interrupted" });
  expect(told).toEqual([["a"], ["a", "b"], ["a"]]);
});
