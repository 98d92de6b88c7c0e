import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import type { Prompter } from "../../src/context/command-context.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { createPrompter } from "../../src/ui/prompter.ts";
import { HOSTILE } from "./hostile.ts";

/** Asks at a terminal whose person presses these keys, each once something new is on the screen. */
async function asked<Answer>(
  question: (prompter: Prompter) => Promise<Answer>,
  keys: readonly string[],
): Promise<{ answer: Answer; written: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const left = [...keys];
  let written = "";
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      written += chunk;
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

it.each(Object.entries(HOSTILE))("asks about %s and obeys nothing in it", async (_name, text) => {
  const flag = "--x";
  const questions: ((prompter: Prompter) => Promise<unknown>)[] = [
    (prompter) =>
      prompter.select({
        message: text,
        flag,
        choices: [{ value: 1, label: text, note: text, group: text }],
      }),
    (prompter) =>
      prompter.checkbox({
        message: text,
        flag,
        choices: [{ value: 1, label: text, note: text }],
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
});

it.each(Object.entries(HOSTILE))("refuses an answer in words like %s", async (_name, text) => {
  let tries = 0;
  const check = () => tries++ > 0 || text;
  const question = (prompter: Prompter) => prompter.input({ message: "Name", flag: "--x", check });
  const { written } = await asked(question, ["a", "\r", "\r", "\r", "\r"]);
  expect(rest(written)).not.toMatch(UNSAFE);
  expect(written).not.toContain(text);
});

it("offers no answer that cannot be seen", async () => {
  const question = (preset: string) => (prompter: Prompter) =>
    prompter.input({ message: "Name", flag: "--x", default: preset });
  expect((await asked(question("ops"), ["\r"])).answer).toBe("ops");
  expect((await asked(question("ops\u200b"), ["\r"])).answer).toBe("");
});
