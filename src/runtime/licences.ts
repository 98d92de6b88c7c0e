/** The licence of an embedded package. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of the package. */
  readonly licence: string;
  /** The whole text. */
  readonly text: string;
}

/** Source embeds no package. A build replaces this file: see `build/stamp.ts`. */
export const licences: readonly Licence[] = [];
