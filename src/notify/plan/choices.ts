import { DECIDING_CHOICES } from "./table.ts";

/** The words of `--accept`, each for what is otherwise a conflict. */
export const ACCEPT_WORDS = ["recreate", "adopt", "shared", "references", "takeover"] as const;

/** A word of `--accept`. */
export type AcceptWord = (typeof ACCEPT_WORDS)[number];

/** What must be chosen explicitly, because it deletes, or changes what may be somebody else's. */
export interface PlanChoices {
  /** Whether to delete what the file no longer declares. */
  readonly prune: boolean;
  readonly accept: readonly AcceptWord[];
}

/** The choices without any of them. */
export const NO_CHOICES: PlanChoices = { prune: false, accept: [] };

/** The choices of options; those that are absent are not made. */
export function planChoices({ prune = false, accept = [] }: Partial<PlanChoices>): PlanChoices {
  return { prune, accept: ACCEPT_WORDS.filter((word) => accept.includes(word)) };
}

/** The option of a suggested command that makes these choices. */
export function acceptOption({ accept = [] }: Partial<PlanChoices>): { accept?: string } {
  return accept.length === 0 ? {} : { accept: accept.join(",") };
}

/** The choices that the table of decisions asks for. */
export function decidingChoices({ prune, accept }: PlanChoices) {
  const words = DECIDING_CHOICES.map((name) => [
    name,
    name === "prune" ? prune : accept.includes(name),
  ]);
  return Object.fromEntries(words) as Readonly<Record<(typeof DECIDING_CHOICES)[number], boolean>>;
}
