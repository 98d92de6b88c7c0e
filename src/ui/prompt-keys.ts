import { BackError, stops } from "../errors.ts";
import type { Paint } from "./paint.ts";

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

/** A question of the library, called with the terminal, and with what ends it with an error. */
export type PromptCall<Answer> = (
  context: Pick<PromptTerminal, "input" | "output" | "signal"> & { clearPromptOnDone: boolean },
  leave: (error: unknown) => void,
) => Promise<Answer>;

/** How long after Esc the rest of a longer sequence is awaited. */
export const ESCAPE_MS = 50;

/** The keys that return to the previous question: Esc, and ←, which moves the cursor in a text. */
export interface BackKeys {
  readonly back: boolean | undefined;
  readonly left: "always" | "until typed" | "never";
  /**
   * The keys after which the question is asked again as it was. In a list the library would go to
   * the first choice, which may be the one that creates; in a search it would type a choice with
   * its note.
   */
  readonly stray?: RegExp;
}

/** The keys that type nothing and do not belong to a list. */
export const STRAY_KEYS = /^(?:left|right|home|end|tab|insert|delete|pageup|pagedown|clear|f\d+)$/u;
/** The reason to end the command. */
const CANCELLED = Symbol("cancelled");
/** The reason to ask a question again as it was. */
const ASK_AGAIN = Symbol("ask again");

/** Turns Esc, Ctrl-C, Ctrl-D, the end of the input and signals into errors of amp. */
export async function untilAnswered<Answer>(
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
  const leaveFor = (reason: unknown) => {
    context.clearPromptOnDone = true;
    left.abort(reason);
  };
  const onKey = (text: string | undefined, { name = "" }: { readonly name?: string }) => {
    if (left.signal.aborted) return;
    const isBack = name === "escape" || (name === "left" && isLeftBack);
    if (keys.back && isBack) leaveFor(new BackError());
    else if (name === "escape") left.abort(CANCELLED);
    else if (keys.stray?.test(name)) leaveFor(ASK_AGAIN);
    if (text !== undefined && keys.left === "until typed") isLeftBack = false;
  };
  input.on("keypress", onKey);
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
    if (left.signal.reason === CANCELLED) throw stops.cancelled();
    if (left.signal.reason === ASK_AGAIN) return await untilAnswered(terminal, keys, prompt);
    // A question reads Ctrl-C as a key, not as a signal.
    throw signal.aborted && signal.reason !== "SIGINT" ? stops.terminated() : stops.interrupted();
  } finally {
    input.off("pause", leave);
    input.off("keypress", onKey);
  }
}
