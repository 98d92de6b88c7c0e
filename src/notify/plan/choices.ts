import type { Address } from "../model/address.ts";

/**
 * The actions that must be chosen explicitly, because they delete or may create a second record.
 */
export interface PlanChoices {
  /**
   * Whether to delete resources that this state made, that the routing no longer names, and that no
   * other routing wants.
   */
  readonly prune: boolean;
  /** Whether to recreate resources that are in the state but no longer listed. */
  readonly recreate: boolean;
  /** Whether to change existing resources that are not in the state, and differ. */
  readonly adoptChanges: boolean;
  /** Whether to change resources that other routings want too. */
  readonly changeShared: boolean;
}

/** The choices that accept what is otherwise a conflict, by their words of `--accept`. */
const ACCEPT = {
  recreate: "recreate",
  adopt: "adoptChanges",
  shared: "changeShared",
  references: "breakReferences",
} as const;

/** A word of `--accept`. */
export type AcceptWord = keyof typeof ACCEPT;

/** The words of `--accept`. */
export const ACCEPT_WORDS = Object.keys(ACCEPT) as readonly AcceptWord[];

type Acceptances = Readonly<Record<(typeof ACCEPT)[AcceptWord], boolean>>;

/** The choices that words of `--accept` make. */
export function accepted(words: readonly string[]): Acceptances {
  const all = ACCEPT_WORDS.map((word) => [ACCEPT[word], words.includes(word)]);
  return Object.fromEntries(all) as Acceptances;
}

/** The words of `--accept` for choices. */
export function acceptedWords(
  choices: { readonly [Choice in keyof Acceptances]?: boolean | undefined },
): AcceptWord[] {
  return ACCEPT_WORDS.filter((word) => choices[ACCEPT[word]] === true);
}

/** The option of a suggested command that makes these choices. */
export function acceptOption(choices: Parameters<typeof acceptedWords>[0]): { accept?: string } {
  const words = acceptedWords(choices);
  return words.length === 0 ? {} : { accept: words.join(",") };
}

/** The choices without any of those actions. */
export const NO_CHOICES: PlanChoices = {
  prune: false,
  recreate: false,
  adoptChanges: false,
  changeShared: false,
};

/** The choices of a plan alone, of options that have more. */
export function planChoices(options: PlanChoices): PlanChoices {
  const { prune, recreate, adoptChanges, changeShared } = options;
  return { prune, recreate, adoptChanges, changeShared };
}

/** The choices of a run. */
export interface RunChoices extends PlanChoices {
  /** Exactly these are deleted, whatever their owners are, and nothing else: for an undo. */
  readonly remove?: ReadonlySet<Address> | undefined;
}
