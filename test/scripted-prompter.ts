import type { Choice, Prompter } from "../src/context/command-context.ts";
import { InterruptedError } from "../src/errors.ts";

/** What is pressed at a question: text, the label of a choice, labels of several, yes or no. */
export type ScriptedKey = string | boolean | readonly string[] | typeof ENTER | typeof CTRL_C;

/** Takes what is offered: the default, the first choice, what is ticked. */
export const ENTER = Symbol("enter");
export const CTRL_C = Symbol("ctrl-c");

/** A person with a plan: each question must be the next one of the script. */
export interface ScriptedPrompter extends Prompter {
  /** What was said about answers that would not do. */
  readonly complaints: string[];
  /** Every choice question with its labels, notes and groups. */
  readonly offered: Record<string, readonly Choice<unknown>[]>;
  /** Fails unless the whole script was played. */
  verify(): void;
}

/** Answers questions from a script of `[message, key]`; an answer that is refused is followed by the next. */
export function scriptedPrompter(
  script: readonly (readonly [string, ScriptedKey])[],
): ScriptedPrompter {
  const left = [...script];
  const complaints: string[] = [];
  const offered: Record<string, readonly Choice<unknown>[]> = {};
  const press = (message: string): ScriptedKey => {
    const [expected, key] = left.shift() ?? ["(the end of the script)", CTRL_C];
    if (expected !== message) throw new Error(`asked ${message}, but the script has ${expected}`);
    if (key === CTRL_C) throw new InterruptedError("Interrupted");
    return key;
  };
  const typed = async (question: {
    message: string;
    default?: string;
    check?: (answer: string) => true | string;
  }): Promise<string> => {
    for (;;) {
      const key = press(question.message);
      const answer = key === ENTER ? (question.default ?? "") : String(key);
      const verdict = question.check?.(answer) ?? true;
      if (verdict === true) return answer;
      complaints.push(verdict);
    }
  };
  const pick = <Value>(choices: readonly Choice<Value>[], label: string): Value => {
    const found = choices.find((choice) => choice.label === label);
    if (!found) throw new Error(`no ${label} in ${choices.map((choice) => choice.label)}`);
    return found.value;
  };
  return {
    complaints,
    offered,
    input: typed,
    secret: typed,
    confirm: async ({ message, default: preset }) => {
      const key = press(message);
      return key === ENTER ? (preset ?? true) : key === true;
    },
    select: async ({ message, choices }) => {
      offered[message] = choices;
      const key = press(message);
      return pick(choices, key === ENTER ? (choices[0]?.label ?? "") : String(key));
    },
    checkbox: async ({ message, choices, chosen = [] }) => {
      offered[message] = choices;
      const key = press(message);
      return key === ENTER ? [...chosen] : (key as string[]).map((label) => pick(choices, label));
    },
    verify: () => {
      if (left.length > 0) throw new Error(`never asked: ${left.map(([message]) => message)}`);
    },
  };
}
