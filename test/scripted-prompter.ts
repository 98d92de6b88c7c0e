import { onTestFinished } from "vitest";
import type { Choice, Prompter, Question } from "../src/context/command-context.ts";
import { BackError, InterruptedError } from "../src/errors.ts";

/**
 * The key at a question: text, the label of a choice, labels of several, yes or no. A function is a
 * signal that arrives while the question is open: it is called, and the question is interrupted.
 */
export type ScriptedKey =
  | string
  | boolean
  | readonly string[]
  | typeof ENTER
  | typeof CTRL_C
  | typeof BACK
  | (() => void);

/** The questions in their order, each with its key. */
export type Script = readonly (readonly [message: string, key: ScriptedKey])[];

/** Takes the default: the preset text, the default or first choice, the selected ones. */
export const ENTER = Symbol("enter");
export const CTRL_C = Symbol("ctrl-c");
/** Returns to the question before. */
export const BACK = Symbol("back");

/** A prompter that plays a script: each question must be the next one of the script. */
export interface ScriptedPrompter extends Prompter {
  /** The problems of refused answers. */
  readonly complaints: string[];
  /** The choices of each question, with labels, notes and groups. */
  readonly offered: Record<string, readonly Choice<unknown>[]>;
  /** Fails unless the whole script was played. */
  verify(): void;
}

/** Answers questions from a script. A refused answer is followed by the next one of the script. */
export function scriptedPrompter(script: Script): ScriptedPrompter {
  const left = [...script];
  const complaints: string[] = [];
  const offered: Record<string, readonly Choice<unknown>[]> = {};
  const press = ({ message, back }: Question): ScriptedKey => {
    const [expected, key] = left.shift() ?? ["(the end of the script)", CTRL_C];
    if (expected !== message) throw new Error(`asked ${message}, but the script has ${expected}`);
    if (typeof key === "function") key();
    if (key === CTRL_C || typeof key === "function") throw new InterruptedError("Interrupted");
    if (key === BACK && back !== true) throw new Error(`no way back from ${message}`);
    if (key === BACK) throw new BackError();
    return key;
  };
  const typed = async (
    question: Question & {
      typed?: string;
      default?: string;
      check?: (answer: string) => true | string | Promise<true | string>;
    },
  ): Promise<string> => {
    for (;;) {
      const key = press(question);
      const preset = question.typed ?? question.default ?? "";
      const answer = key === ENTER ? preset : String(key);
      const verdict = (await question.check?.(answer)) ?? true;
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
    confirm: async ({ default: preset, ...question }) => {
      const key = press(question);
      return key === ENTER ? (preset ?? true) : key === true;
    },
    select: async ({ choices, default: preset, ...question }) => {
      offered[question.message] = choices;
      const key = press(question);
      const isPreset = ({ value }: Choice<unknown>) => preset !== undefined && value === preset;
      const focused = choices.find(isPreset) ?? choices[0];
      return pick(choices, key === ENTER ? (focused?.label ?? "") : String(key));
    },
    checkbox: async ({ choices, chosen = [], all, ...question }) => {
      offered[question.message] = choices;
      const key = press(question);
      if (key === all) return choices.map(({ value }) => value);
      return key === ENTER ? [...chosen] : (key as string[]).map((label) => pick(choices, label));
    },
    verify: () => {
      if (left.length > 0) throw new Error(`never asked: ${left.map(([message]) => message)}`);
    },
  };
}

/** A terminal with an operator who plays a script, and in the end has played all of it. */
export function operator(script: Script) {
  const prompter = scriptedPrompter(script);
  onTestFinished(() => prompter.verify());
  return { tty: true, env: { NO_COLOR: "1" }, prompter };
}
