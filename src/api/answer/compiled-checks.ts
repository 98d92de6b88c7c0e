/** A check of an answer that needs no schema. */
export interface CompiledCheck {
  readonly kind: "list" | "map" | "record";
  /** Whether a JSON value is as specified. */
  readonly fits: (value: unknown) => boolean;
}

/**
 * The checks of answers by method and path. The source has none, and checks by the schemas. A build
 * replaces this file by functions made of these schemas: see `build/answer-checks.ts`.
 */
export const compiledChecks: Readonly<Record<string, CompiledCheck>> = {};
