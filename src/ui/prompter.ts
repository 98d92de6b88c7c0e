import { emitKeypressEvents, type Interface } from "node:readline";
import { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
import type { Prompter, Question } from "../context/command-context.ts";
import { BackError, InterruptedError, TerminatedError } from "../errors.ts";
import { choicesFound, groupedChoices, safeText } from "./choices.ts";
import type { Paint } from "./paint.ts";
import { sanitizeLine } from "./text.ts";
import { displayWidth } from "./width.ts";

/** The terminal of the prompts. */
export interface PromptTerminal {
  readonly input: NodeJS.ReadableStream;
  /** The output; its size is read for each question, since a window may be resized. */
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** The width in cells, if the output has none. */
  readonly columns: number;
  readonly signal: AbortSignal;
  readonly paint: Paint;
}

/** Questions at a terminal, through the prompts library. */
export function createPrompter(terminal: PromptTerminal): Prompter {
  const { paint } = terminal;
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
  const listTheme = {
    ...theme,
    icon: { checked: paint("good", "◉"), unchecked: "◯", cursor: "›" },
  };
  const themeOfList = ({ back }: Question, isTyped = false) => {
    const keysHelpTip = (keys: [string, string][]) => {
      // The line fits 60 columns without this key, which few need.
      const usual = keys.filter(([, action]) => action !== "invert");
      const all = [...usual, ...(back ? [["esc", "back"]] : [])];
      const keyTexts = all.map(([key, action]) => `${key} ${action}`);
      return paint("dim", [...(isTyped ? ["type to search"] : []), ...keyTexts].join(" · "));
    };
    return { ...listTheme, style: { ...listTheme.style, keysHelpTip } };
  };
  // The first decoder of a stream is the one that stays: by default it waits half a second after
  // Esc for the rest of a longer sequence.
  emitKeypressEvents(terminal.input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  const ask = <Answer>(keys: BackKeys, prompt: PromptCall<Answer>) =>
    untilAnswered(terminal, keys, prompt);
  const columns = () => terminal.output.columns || terminal.columns;
  // A list longer than the screen would scroll its own question away.
  const pageSize = () => Math.max(5, (terminal.output.rows || 24) - 6);
  return {
    input({ message, back, typed, default: preset, check: validate = () => true }) {
      const prefill = typed === undefined ? ("tab" as const) : ("editable" as const);
      const shown = typed ?? preset;
      // The Tab key would write the default to the terminal unescaped.
      const isSafe = shown !== undefined && sanitizeLine(shown) === shown;
      const config = { message, theme, ...(isSafe && { default: shown, prefill }) };
      const left = typed === undefined ? "until typed" : "never";
      return ask({ back, left }, (context, leave) =>
        input({ ...config, validate: (answer) => orLeave(leave, () => validate(answer)) }, context),
      );
    },
    secret({ message, back, check: validate = () => true }) {
      const hidden = { ...theme, style: { ...theme.style, maskedText: "(hidden)" } };
      // A key that shows the secret would be another way to leak it.
      const config = { message, theme: hidden, validate, toggleMask: false };
      return ask({ back, left: "until typed" }, (context) => password(config, context));
    },
    confirm: ({ message, back, default: preset = true }) =>
      ask({ back, left: "until typed" }, (context) =>
        confirm({ message, theme, default: preset }, context),
      ),
    select(question) {
      const { message, back, choices, default: preset } = question;
      const room = { columns: columns(), indent: 2 };
      const isTyped = choices.length > pageSize();
      const config = {
        message,
        theme: themeOfList(question, isTyped),
        pageSize: pageSize(),
        ...(preset !== undefined && { default: preset }),
      };
      if (!isTyped) {
        const list = { ...config, loop: false, choices: groupedChoices(choices, room) };
        return ask({ back, left: "always", stray: STRAY_KEYS }, (context) => select(list, context));
      }
      let initialValue = "";
      const source = (text = "") => {
        initialValue = text;
        return choicesFound(choices, text, room);
      };
      // The whole note of a choice is shown below the list.
      const list = { ...config, pageSize: Math.max(5, pageSize() - 3), source };
      return ask({ back, left: "until typed", stray: /^tab$/u }, (context) =>
        search({ ...list, initialValue }, context),
      );
    },
    checkbox(question) {
      const { message, back, choices, chosen } = question;
      const list = themeOfList(question);
      const renderSelectedChoices = (selected: readonly { short: string }[]) => {
        const all = selected.map((one) => one.short).join(", ");
        const fits = displayWidth(`✓ ${message} ${all}`) < columns();
        return fits ? all : `${selected.length} selected`;
      };
      const config = {
        message,
        theme: { ...list, style: { ...list.style, renderSelectedChoices } },
        pageSize: pageSize(),
        loop: false,
        validate: (selected: readonly unknown[]) => selected.length > 0 || "Select at least one.",
        choices: groupedChoices(choices, { columns: columns(), indent: 3 }, chosen),
      };
      return ask({ back, left: "always" }, (context) => checkbox(config, context));
    },
  };
}

/** A question of the library, called with the terminal, and with what ends it with an error. */
type PromptCall<Answer> = (
  context: Pick<PromptTerminal, "input" | "output" | "signal"> & { clearPromptOnDone: boolean },
  leave: (error: unknown) => void,
) => Promise<Answer>;

/** Ends a question whose check throws: the library would not catch it. */
function orLeave(leave: (error: unknown) => void, check: () => true | string) {
  try {
    return check();
  } catch (error) {
    leave(error);
    // The library would write to its line, which is closed by then, once it had an answer.
    return new Promise<never>(() => {});
  }
}

/** How long after Esc the rest of a longer sequence is awaited. */
const ESCAPE_MS = 50;

/** Whether a question can be returned from, and when ← does so: in a text it moves the cursor. */
interface BackKeys {
  readonly back: boolean | undefined;
  readonly left: "always" | "until typed" | "never";
  /**
   * The keys after which the question is asked again as it was. In a list the library would go to the
   * first choice, which may be the one that creates; in a search it would type a choice with its note.
   */
  readonly stray?: RegExp;
}

/** The keys that type nothing and do not belong to a list. */
const STRAY_KEYS = /^(?:escape|left|right|home|end|tab|insert|delete|pageup|pagedown|clear|f\d+)$/u;
/** The reason to ask a question again as it was. */
const ASK_AGAIN = Symbol("ask again");

/** Turns Esc, Ctrl-C, Ctrl-D, the end of the input and signals into errors of amp. */
async function untilAnswered<Answer>(
  terminal: PromptTerminal,
  keys: BackKeys,
  prompt: PromptCall<Answer>,
): Promise<Answer> {
  const { input, output, signal } = terminal;
  const left = new AbortController();
  let thrown: { readonly error: unknown } | undefined;
  const context = {
    input,
    output,
    signal: AbortSignal.any([signal, left.signal]),
    // The library reads it when the question ends.
    clearPromptOnDone: false,
  };
  let isLeftBack = keys.left !== "never";
  const onKey = (text: string | undefined, { name }: { readonly name?: string }) => {
    if (name === "escape" || (name === "left" && isLeftBack)) {
      context.clearPromptOnDone = true;
      left.abort(new BackError());
    } else if (text !== undefined && keys.left === "until typed") isLeftBack = false;
  };
  const onStrayKey = (_text: string | undefined, { name = "" }: { readonly name?: string }) => {
    if (!keys.stray?.test(name) || left.signal.aborted) return;
    context.clearPromptOnDone = true;
    left.abort(ASK_AGAIN);
  };
  if (keys.back) input.on("keypress", onKey);
  if (keys.stray) input.on("keypress", onStrayKey);
  // At the end of the input the library closes its line, and its question would wait for ever. It
  // also closes the line after an answer, but that answer resolves within this turn.
  const leave = () => void setImmediate(() => left.abort());
  input.on("pause", leave);
  try {
    return await prompt(context, (error) => {
      thrown = { error };
      left.abort();
    });
  } catch (error) {
    const { name } = error as Error;
    if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
    if (thrown !== undefined) throw thrown.error;
    if (left.signal.reason instanceof BackError) throw left.signal.reason;
    if (left.signal.reason === ASK_AGAIN) return await untilAnswered(terminal, keys, prompt);
    // A question reads Ctrl-C as a key, not as a signal.
    throw signal.aborted && signal.reason !== "SIGINT"
      ? new TerminatedError("Terminated")
      : new InterruptedError("Interrupted");
  } finally {
    input.off("pause", leave);
    input.off("keypress", onKey);
    input.off("keypress", onStrayKey);
  }
}
