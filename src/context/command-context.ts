/**
 * What commands and the domain ask of the world, as interfaces: `context.ts` builds them, tests
 * replace them.
 */

import type { Sourced } from "../config/sources.ts";
import type { SettingName } from "../settings.ts";

export type { Sourced };

/** Something to pick in a question. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  /** Shown beside the label. */
  readonly note?: string;
  /** A heading above this choice, where it begins a group. */
  readonly group?: string;
}

/** What every question has: its words, and the option that answers it without asking. */
export interface Question {
  readonly message: string;
  /** For example `--destination-name`; named where nobody can be asked. */
  readonly flag: string;
}

/** Questions to the person at the keyboard. Ctrl-C throws {@link InterruptedError}. */
export interface Prompter {
  input(
    question: Question & {
      default?: string;
      /** True, or what is wrong with the answer; checked on Enter. */
      check?: (answer: string) => true | string;
    },
  ): Promise<string>;
  /** Hidden while typed. */
  secret(question: Question & { check?: (answer: string) => true | string }): Promise<string>;
  confirm(question: Question & { default?: boolean }): Promise<boolean>;
  select<Value>(question: Question & { choices: readonly Choice<Value>[] }): Promise<Value>;
  /** At least one must be chosen. */
  checkbox<Value>(
    question: Question & { choices: readonly Choice<Value>[]; chosen?: readonly Value[] },
  ): Promise<Value[]>;
}

/** The settings of this call, resolved by precedence. */
export interface SettingsReader {
  /** @throws {UsageError} where the value is given but no good, an empty string included */
  get(name: SettingName): Sourced<string> | undefined;
}
