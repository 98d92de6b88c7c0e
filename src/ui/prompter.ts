import { emitKeypressEvents, type Interface } from "node:readline";
import { checkbox, confirm, input, password, Separator, select } from "@inquirer/prompts";
import type { Choice, Prompter, Question } from "../context/command-context.ts";
import { BackError, InterruptedError, TerminatedError } from "../errors.ts";
import { redactSecrets } from "../secrets/secret.ts";
import type { Paint } from "./paint.ts";
import { sanitizeLine } from "./text.ts";
import { displayWidth, pad, truncate, wrap } from "./width.ts";

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
    },
  };
  const listTheme = {
    ...theme,
    icon: { checked: paint("good", "◉"), unchecked: "◯", cursor: "›" },
    style: {
      ...theme.style,
    },
  };
  const themeOfList = ({ back }: Question) => {
    const keysHelpTip = (keys: [string, string][]) => {
      // The line fits 60 columns without this key, which few need.
      const usual = keys.filter(([, action]) => action !== "invert");
      const all = [...usual, ...(back ? [["esc", "back"]] : [])];
      return paint("dim", all.map(([key, action]) => `${key} ${action}`).join(" · "));
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
      const config = {
        message,
        theme: themeOfList(question),
        pageSize: pageSize(),
        loop: false,
        choices: groupedChoices(choices, { columns: columns(), indent: 2 }),
        ...(preset !== undefined && { default: preset }),
      };
      return ask({ back, left: "always", isSearched: true }, (context) => select(config, context));
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

/** Sanitizes the text of questions, defaults and errors, which may come from the service. */
function safeText(text: string): string {
  return sanitizeLine(redactSecrets(text));
}

/** The width of a column of notes below which they are placed under the labels. */
const MIN_NOTE_WIDTH = 16;

function groupedChoices<Value>(
  all: readonly Choice<Value>[],
  /** `indent`: the cells that the library puts before a choice. */
  { columns, indent }: { readonly columns: number; readonly indent: number },
  chosen: readonly Value[] = [],
) {
  const room = columns - indent - 1;
  const width = Math.max(...all.map(({ label }) => displayWidth(safeText(label))));
  return all.flatMap(({ value, label, note, group }) => {
    const short = safeText(label);
    const isBeside = room - width - 2 >= MIN_NOTE_WIDTH;
    const before = isBeside ? width + 2 : 2;
    const notes = note === undefined ? [] : wrap(safeText(note), Math.max(1, room - before));
    const below = (isBeside ? notes.slice(1) : notes).map(
      (line) => pad("", indent + before) + line,
    );
    const beside = isBeside && notes[0] !== undefined ? `${pad(short, width)}  ${notes[0]}` : short;
    const name = [truncate(beside, room), ...below].join("\n");
    const item = { value, name, short, checked: chosen.includes(value) };
    return group === undefined ? [item] : [new Separator(safeText(group)), item];
  });
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
   * Whether the library searches the choices for what is typed. A key that types nothing then leads it
   * to the first choice, which may be the one that creates: the question is asked again instead.
   */
  readonly isSearched?: true;
}

/** Keys that type nothing and do not belong to a list. */
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
    if (!STRAY_KEYS.test(name) || left.signal.aborted) return;
    context.clearPromptOnDone = true;
    left.abort(ASK_AGAIN);
  };
  if (keys.back) input.on("keypress", onKey);
  if (keys.isSearched) input.on("keypress", onStrayKey);
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
