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

/** The choices that are made with a flag. */
export const FLAGS = ["prune", "recreate", "adoptChanges", "changeShared"] as const;

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
