import { emitKeypressEvents, type Interface } from "node:readline";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import type { Prompter, Question } from "../context/command-context.ts";
import { BackError } from "../errors.ts";
import { checklist } from "./checklist.ts";
import { choicesFound, groupedChoices, safeText } from "./choices.ts";
import {
  type BackKeys,
  ESCAPE_MS,
  type PromptCall,
  type PromptTerminal,
  STRAY_KEYS,
  untilAnswered,
} from "./prompt-keys.ts";
import { displayWidth, sanitizeLine } from "./text.ts";

/** Questions at a terminal, through the prompts library. */
export function createPrompter(terminal: PromptTerminal): Prompter {
  const { theme, listTheme } = themesOf(terminal.paint);
  // The first decoder of a stream is the one that stays: by default it waits half a second after
  // Esc for the rest of a longer sequence.
  emitKeypressEvents(terminal.input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  /**
   * Of each answer that was not returned from, whether it is in one line, with nothing below it.
   */
  const answered: boolean[] = [];
  const ask = async <Answer>(
    { message, back, isBelowAnswer }: Question,
    keys: Omit<BackKeys, "back">,
    prompt: PromptCall<Answer>,
    textOf: (answer: Answer) => string,
  ) => {
    try {
      const answer = await untilAnswered(terminal, { ...keys, back }, prompt);
      const line = `✓ ${safeText(message)} ${safeText(textOf(answer))}`;
      answered.push(displayWidth(line) < columns());
      return answer;
    } catch (error) {
      if (error instanceof BackError) {
        if (answered.pop() && isBelowAnswer) terminal.output.write(ERASE_LINE_ABOVE);
        // What is left there is below the answers before.
        else answered.fill(false);
      }
      throw error;
    }
  };
  const columns = () => terminal.output.columns || terminal.columns;
  // A list longer than the screen would scroll its own question away.
  const pageSize = () => Math.max(5, (terminal.output.rows || 24) - 6);
  return {
    input(question) {
      const { message, typed, default: preset, check: validate = () => true } = question;
      const prefill = typed === undefined ? ("tab" as const) : ("editable" as const);
      const shown = typed ?? preset;
      // The Tab key would write the default to the terminal unescaped.
      const isSafe = shown !== undefined && sanitizeLine(shown) === shown;
      const config = { message, theme, ...(isSafe && { default: shown, prefill }) };
      const left = typed === undefined ? "until typed" : "never";
      const put: PromptCall<string> = (context, leave) =>
        input({ ...config, validate: (answer) => orLeave(leave, () => validate(answer)) }, context);
      return ask(question, { left }, put, (answer) => answer);
    },
    secret(question) {
      const { message, check: validate = () => true } = question;
      const hidden = { ...theme, style: { ...theme.style, maskedText: "(hidden)" } };
      const { check, clear } = clearedWhenRefused(terminal, validate);
      // A key that shows the secret would be another way to leak it.
      const config = { message, theme: hidden, validate: check, toggleMask: false };
      const put: PromptCall<string> = (context) => {
        terminal.input.prependListener("keypress", clear);
        return password(config, context).finally(() => terminal.input.off("keypress", clear));
      };
      return ask(question, { left: "until typed" }, put, () => "(hidden)");
    },
    confirm(question) {
      const { message, default: preset = true } = question;
      const put: PromptCall<boolean> = (context) =>
        confirm({ message, theme, default: preset }, context);
      return ask(question, { left: "until typed" }, put, (answer) => (answer ? "Yes" : "No"));
    },
    select(question) {
      const { message, choices, default: preset, isSearched = false } = question;
      const labelOf = (answer: unknown) =>
        choices.find(({ value }) => value === answer)?.label ?? "";
      const room = { columns: columns(), indent: 2 };
      const isTyped = isSearched || choices.length > pageSize();
      const config = {
        message,
        theme: listTheme(question, isTyped),
        pageSize: pageSize(),
        ...(preset !== undefined && { default: preset }),
      };
      if (!isTyped) {
        const list = { ...config, loop: false, choices: groupedChoices(choices, room) };
        const keys = { left: "always", stray: STRAY_KEYS } as const;
        return ask(question, keys, (context) => select(list, context), labelOf);
      }
      let initialValue = "";
      const source = (text = "") => {
        initialValue = text;
        return choicesFound(choices, text, room);
      };
      // The whole note of a choice is shown below the list.
      const list = { ...config, pageSize: Math.max(5, pageSize() - 3), source };
      const keys = { left: "until typed", stray: /^tab$/u, cancel: true } as const;
      return ask(question, keys, (context) => search({ ...list, initialValue }, context), labelOf);
    },
    checkbox(question) {
      const { message, choices, all, chosen = [] } = question;
      const room = () => ({ columns: columns(), indent: 3 });
      const textOf = (rows: readonly { readonly short: string }[]) => {
        const names = rows.map((row) => row.short).join(", ");
        const fits = displayWidth(`✓ ${message} ${names}`) < columns();
        return fits ? names : `${rows.length} selected`;
      };
      const config = {
        message,
        all: safeText(all),
        theme: listTheme(question, true),
        pageSize,
        output: terminal.output,
        chosen,
        rowsOf: (text: string) =>
          text === "" ? groupedChoices(choices, room()) : choicesFound(choices, text, room()),
        textOf,
      };
      const keys = { left: "until typed", cancel: true } as const;
      // What it shows fits its line.
      return ask(
        question,
        keys,
        (context) => checklist(config, context),
        () => "",
      );
    },
  };
}

/** How questions look, and those with a list of choices. */
function themesOf(paint: PromptTerminal["paint"]) {
  const theme = {
    prefix: { idle: paint("strong", "?"), done: paint("good", "✓") },
    style: {
      message: (text: string) => paint("strong", safeText(text)),
      answer: (text: string) => safeText(text),
      error: (text: string) => `  ${paint("bad", safeText(text))}`,
      highlight: (text: string) => paint("strong", text),
      help: (text: string) => paint("dim", text),
      defaultAnswer: (text: string) => paint("dim", `(${safeText(text)})`),
      searchTerm: (text: string) => safeText(text),
      description: (text: string) => paint("dim", text),
    },
  };
  const icon = { checked: paint("good", "◉"), unchecked: "◯", cursor: "›" };
  const listTheme = ({ back }: Question, isTyped = false) => {
    const keysHelpTip = (keys: [string, string][]) => {
      const esc = back ? [["esc", "back"]] : isTyped ? [["esc", "cancel"]] : [];
      const keyTexts = [...keys, ...esc].map(([key, action]) => `${key} ${action}`);
      return paint("dim", [...(isTyped ? ["type to search"] : []), ...keyTexts].join(" · "));
    };
    return { ...theme, icon, style: { ...theme.style, keysHelpTip } };
  };
  return { theme, listTheme };
}

/**
 * The check of a hidden answer, and a listener that takes away one that it refused: the library
 * puts it back, and nobody would see that more is appended to it.
 */
function clearedWhenRefused<Verdict>(
  { input }: PromptTerminal,
  validate: (answer: string) => Verdict,
) {
  let isRefused = false;
  const check = (answer: string) => {
    const verdict = validate(answer);
    isRefused = verdict !== true;
    return verdict;
  };
  const clear = () => {
    if (!isRefused) return;
    isRefused = false;
    input.emit("keypress", undefined, { name: "u", ctrl: true });
  };
  return { check, clear };
}

const ERASE_LINE_ABOVE = "\u001B[1A\u001B[2K\r";

/** Ends a question whose check throws: the library would not catch it. */
async function orLeave(
  leave: (error: unknown) => void,
  check: () => true | string | Promise<true | string>,
) {
  try {
    return await check();
  } catch (error) {
    leave(error);
    // The library would write to its line, which is closed by then, once it had an answer.
    return new Promise<never>(() => {});
  }
}
