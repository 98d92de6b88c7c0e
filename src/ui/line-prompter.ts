/** Questions that are answered by a typed line: nothing on the terminal is written over. */

import type { Choice, Prompter, Question } from "../context/command-context.ts";
import { BackError, stops } from "../errors.ts";
import { redactLine } from "../secrets/secret.ts";
import { withoutAccents } from "../values/nearest.ts";
import type { PromptTerminal } from "./prompt-keys.ts";
import { spokenText } from "./spoken.ts";
import { sanitizeLine } from "./text.ts";

const BACK = "<";
/** The choices of a list that are read out at once. */
const MAX_LISTED = 30;

/** What was understood of a line: an answer, or why it is none; an empty text if that was said. */
type Reading<Answer> = { readonly answer: Answer } | { readonly problem: string };

/** What a question says, and what can be typed. */
interface Asking {
  readonly prompt: string;
  readonly hints: readonly string[];
  readonly isHidden?: true;
}

/** Asks until a line is an answer. */
type Ask = <Answer>(
  question: Question,
  asking: Asking,
  read: (line: string) => Reading<Answer> | Promise<Reading<Answer>>,
) => Promise<Answer>;

interface Words {
  readonly ask: Ask;
  readonly say: (text: string) => void;
  readonly title: (question: Question) => string;
}

/** Questions at a terminal that is not redrawn, or that a screen reader reads. */
export function createLinePrompter(terminal: PromptTerminal): Prompter {
  const { output, paint } = terminal;
  const readLine = lineReader(terminal);
  const say = (text: string) => void output.write(`${text}\n`);
  const title = ({ message }: Question) => paint("strong", shown(message));
  const ask: Ask = async (question, { prompt, hints, isHidden = false }, read) => {
    const { back } = question;
    const all = [...hints, ...(back ? [`${BACK} to go back`] : [])];
    for (;;) {
      output.write(`${prompt}${all.length > 0 ? ` (${all.join(", ")})` : ""}: `);
      const line = await readLine(isHidden);
      if (back && line.trim() === BACK) throw new BackError();
      const reading = await read(line);
      if ("answer" in reading) return reading.answer;
      if (reading.problem === "") continue;
      say(paint("bad", shown(reading.problem)));
      // What a list asks for may be far above.
      if (prompt !== title(question)) say(title(question));
    }
  };
  const words = { ask, say, title };
  return { ...lines(words), ...lists(words) };
}

function lines({ ask, title }: Words): Pick<Prompter, "input" | "secret" | "confirm"> {
  return {
    input(question) {
      const { typed, default: preset, check = () => true } = question;
      const usual = typed ?? preset;
      const hints = usual ? [`Enter for ${shown(usual)}`] : [];
      return ask(question, { prompt: title(question), hints }, async (line) => {
        const answer = line === "" ? (usual ?? "") : line;
        const verdict = await check(answer);
        return verdict === true ? { answer } : { problem: verdict };
      });
    },
    secret(question) {
      const { check = () => true } = question;
      const hints = ["what you type is hidden"];
      return ask(question, { prompt: title(question), hints, isHidden: true }, (answer) => {
        const verdict = check(answer);
        return verdict === true ? { answer } : { problem: verdict };
      });
    },
    confirm(question) {
      const { default: preset = true } = question;
      const hints = ["y or n", `Enter for ${preset ? "y" : "n"}`];
      return ask(question, { prompt: title(question), hints }, (line) => {
        const word = line.trim().toLowerCase();
        if (word === "") return { answer: preset };
        if (/^(?:y|yes|n|no)$/u.test(word)) return { answer: word.startsWith("y") };
        return { problem: "Type y or n." };
      });
    },
  };
}

function lists({ ask, say, title }: Words): Pick<Prompter, "select" | "checkbox"> {
  return {
    select(question) {
      const { choices, default: preset } = question;
      const usual = choices.findIndex(({ value }) => value === preset);
      say(title(question));
      const list = listing(choices, say);
      const hints = usual < 0 ? [] : [`Enter for ${usual + 1}`];
      return ask(question, { prompt: "Choose a number", hints }, (line) => {
        const [at, ...others] = line.trim() === "" ? [usual] : (numbersOf(line, choices) ?? []);
        const choice = at === undefined || others.length > 0 ? undefined : choices[at];
        return choice === undefined ? { problem: list(line) } : { answer: choice.value };
      });
    },
    checkbox(question) {
      const { choices, chosen = [], changed = () => {} } = question;
      const usual = choices.flatMap(({ value }, at) => (chosen.includes(value) ? [at] : []));
      say(title(question));
      const list = listing(choices, say);
      const preset = usual.map((at) => at + 1).join();
      const hints = ["such as 1,3 or 2-4", "all", ...(preset ? [`Enter for ${preset}`] : [])];
      return ask(question, { prompt: "Choose numbers", hints }, (line) => {
        const word = line.trim().toLowerCase();
        const typed = word === "" ? usual : numbersOf(line, choices);
        const rows = word === "all" ? [...choices.keys()] : (typed ?? []);
        if (rows.length === 0) return { problem: list(line) };
        const answer = choices.flatMap(({ value }, at) => (rows.includes(at) ? [value] : []));
        changed(answer);
        return { answer };
      });
    },
  };
}

function shown(text: string): string {
  return spokenText(sanitizeLine(redactLine(text)));
}

/**
 * Says the choices, each with its number.
 * @returns says those that match a text, and what is wrong with it
 */
function listing<Value>(choices: readonly Choice<Value>[], say: (text: string) => void) {
  const list = (text: string): string => {
    let heading: string | undefined;
    const found = [...choices.entries()].filter(([, choice]) => hasWords(choice, text));
    if (text !== "" && found.length > 0)
      say(`${found.length} of ${choices.length} with "${shown(text.trim())}":`);
    for (const [at, { label, note, group = heading }] of found.slice(0, MAX_LISTED)) {
      if (group !== undefined && group !== heading) say(`${shown(group)}:`);
      heading = group;
      say(`${at + 1}. ${[label, note].flatMap((part) => (part ? shown(part) : [])).join(", ")}`);
    }
    if (found.length > MAX_LISTED)
      say(`${found.length - MAX_LISTED} more. Type a part of a name to list those that have it.`);
    return found.length === 0 ? `No choice has "${text.trim()}".` : "";
  };
  list("");
  return (text: string) => {
    const numbers = `Type a number from 1 to ${choices.length}.`;
    return /^[\d\s,-]*$/u.test(text) ? numbers : list(text);
  };
}

function hasWords({ label, note = "", group = "" }: Choice<unknown>, text: string): boolean {
  const searched = withoutAccents(`${label} ${note} ${group}`);
  return withoutAccents(text)
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}

/** The places of the choices that a line names by number, range or label; undefined if it does not. */
function numbersOf(line: string, choices: readonly Choice<unknown>[]): number[] | undefined {
  const wanted = line.trim().toLowerCase();
  const named = choices.findIndex(({ label }) => label.toLowerCase() === wanted);
  if (named >= 0) return [named];
  const places = wanted.split(/[\s,]+/u).flatMap((word) => {
    const [, from = "", to = from] = /^(\d+)(?:-(\d+))?$/u.exec(word) ?? [];
    const [first, last] = [Number(from || Number.NaN) - 1, Number(to || Number.NaN) - 1];
    if (!(first >= 0 && last >= first && last < choices.length)) return [undefined];
    return Array.from({ length: last - first + 1 }, (_, nth) => first + nth);
  });
  return places.every((at) => at !== undefined) ? places : undefined;
}

/** Reads the lines of a terminal, also those that were typed before they were asked for. */
function lineReader({ input, output, signal }: PromptTerminal) {
  const stream = input as NodeJS.ReadStream;
  let held = "";
  return (isHidden: boolean): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const isRaw = isHidden && stream.isTTY === true;
    const isEnded = () => signal.aborted && signal.reason !== "SIGINT";
    const stop = () => reject(isEnded() ? stops.terminated() : stops.interrupted());
    const take = () => {
      if (isRaw) held = edited(held);
      if (isRaw && [CTRL_C, CTRL_D].some((key) => held.includes(key))) return stop();
      const [line, end] = /^([^\r\n]*)(\r\n|\r|\n)/u.exec(held)?.slice(1) ?? [];
      if (line === undefined || end === undefined) return;
      held = held.slice(line.length + end.length);
      resolve(line);
    };
    const onData = (text: string | Buffer) => {
      held += text;
      take();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    stream.setEncoding("utf8").on("data", onData).once("end", stop);
    // The terminal itself shows and edits a line, unless it must not be seen.
    if (isRaw) stream.setRawMode(true);
    stream.resume();
    take();
    return promise.finally(() => {
      signal.removeEventListener("abort", stop);
      stream.off("data", onData).off("end", stop).pause();
      if (!isRaw) return;
      stream.setRawMode(false);
      output.write("\n");
    });
  };
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const ERASING = "\b\u007f";

/** What is left of typed keys: Backspace takes one back, Ctrl-U the line. */
function edited(keys: string): string {
  const line: string[] = [];
  for (const key of keys) {
    if (key === CTRL_U) line.length = 0;
    else if (ERASING.includes(key)) line.pop();
    else line.push(key);
  }
  return line.join("");
}
