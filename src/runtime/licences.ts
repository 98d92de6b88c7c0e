/** The licence of an embedded package. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of the package. */
  readonly licence: string;
  /** The full text. */
  readonly text: string;
}

/**
 * The licences of embedded packages: source has none. A build replaces this file: see
 * `build/stamp.ts`.
 */
export const licences: readonly Licence[] = [];
