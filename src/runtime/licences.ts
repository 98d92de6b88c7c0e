/** The licence of a package that is embedded. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as the package says it. */
  readonly licence: string;
  /** The whole text. */
  readonly text: string;
}

/** Source embeds nothing. A build writes its own in place of this file: see `build/stamp.ts`. */
export const licences: readonly Licence[] = [];
