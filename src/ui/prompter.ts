import { checkbox, confirm, input, password, Separator, select } from "@inquirer/prompts";
import type { Choice, Prompter } from "../context/command-context.ts";
import { InterruptedError, TerminatedError } from "../errors.ts";
import { redactSecrets } from "../secrets/secret.ts";
import type { Paint } from "./paint.ts";
import { sanitizeLine } from "./text.ts";
import { displayWidth, pad, truncate } from "./width.ts";

/** The terminal at which questions are asked. */
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
      keysHelpTip: (keys: [string, string][]) =>
        paint("dim", keys.map(([key, action]) => `${key} ${action}`).join(" · ")),
    },
  };
  const ask = <Answer>(prompt: PromptCall<Answer>) => untilSignal(terminal, prompt);
  const columns = () => terminal.output.columns || terminal.columns;
  // A list longer than the screen would scroll its own question away.
  const pageSize = () => Math.max(5, (terminal.output.rows || 24) - 6);
  return {
    input({ message, default: preset, check: validate = () => true }) {
      // The Tab key would write the default to the terminal unescaped.
      const isSafe = preset !== undefined && sanitizeLine(preset) === preset;
      const config = { message, theme, validate, ...(isSafe && { default: preset }) };
      return ask((context) => input(config, context));
    },
    secret({ message, check: validate = () => true }) {
      const hidden = { ...theme, style: { ...theme.style, maskedText: "(hidden)" } };
      // A key that shows the secret would be another way to leak it.
      const config = { message, theme: hidden, validate, toggleMask: false };
      return ask((context) => password(config, context));
    },
    confirm: ({ message, default: preset = true }) =>
      ask((context) => confirm({ message, theme, default: preset }, context)),
    select({ message, choices }) {
      const items = groupedChoices(choices, columns());
      const config = {
        message,
        theme: listTheme,
        pageSize: pageSize(),
        loop: false,
        choices: items,
      };
      return ask((context) => select(config, context));
    },
    checkbox({ message, choices, chosen }) {
      const renderSelectedChoices = (selected: readonly { short: string }[]) => {
        const all = selected.map((one) => one.short).join(", ");
        const fits = displayWidth(`✓ ${message} ${all}`) < columns();
        return fits ? all : `${selected.length} selected`;
      };
      const config = {
        message,
        theme: { ...listTheme, style: { ...listTheme.style, renderSelectedChoices } },
        pageSize: pageSize(),
        loop: false,
        validate: (selected: readonly unknown[]) => selected.length > 0 || "Select at least one.",
        choices: groupedChoices(choices, columns(), chosen),
      };
      return ask((context) => checkbox(config, context));
    },
  };
}

/** Sanitizes the text of questions, defaults and errors, which may come from the service. */
function safeText(text: string): string {
  return sanitizeLine(redactSecrets(text));
}

/** The cells of marker, cursor and margin that the library puts before a choice. */
const GUTTER = 4;

function groupedChoices<Value>(
  all: readonly Choice<Value>[],
  columns: number,
  chosen: readonly Value[] = [],
) {
  const width = Math.max(...all.map(({ label }) => displayWidth(safeText(label))));
  return all.flatMap(({ value, label, note, group }) => {
    const short = safeText(label);
    const line = note === undefined ? short : `${pad(short, width)}  ${safeText(note)}`;
    const name = truncate(line, columns - GUTTER - 1);
    const item = { value, name, short, checked: chosen.includes(value) };
    return group === undefined ? [item] : [new Separator(safeText(group)), item];
  });
}

/** A question of the library, called with the terminal. */
type PromptCall<Answer> = (
  context: Pick<PromptTerminal, "input" | "output" | "signal">,
) => Promise<Answer>;

/** Turns Ctrl-C, Ctrl-D, the end of the input and signals into errors of amp. */
async function untilSignal<Answer>(
  { input, output, signal }: PromptTerminal,
  prompt: PromptCall<Answer>,
): Promise<Answer> {
  const left = new AbortController();
  // At the end of the input the library closes its line, and its question would wait for ever. It
  // also closes the line after an answer, but that answer resolves within this turn.
  const leave = () => void setImmediate(() => left.abort());
  input.on("pause", leave);
  try {
    return await prompt({ input, output, signal: AbortSignal.any([signal, left.signal]) });
  } catch (error) {
    const { name } = error as Error;
    if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
    // A question reads Ctrl-C as a key, not as a signal.
    throw signal.aborted && signal.reason !== "SIGINT"
      ? new TerminatedError("Terminated")
      : new InterruptedError("Interrupted");
  } finally {
    input.off("pause", leave);
  }
}
