import type { ProblemKind } from "./problem-kinds.ts";

/** One input that is no good. */
export interface Issue {
  readonly in: "body" | "header" | "path" | "query";
  /** Where in it, for example `metadata.url`. */
  readonly name: string;
  /** The erroneous value; `null` where it is missing. */
  readonly value: unknown;
  readonly detail: string;
}

/** What a refusal can tell beyond its detail. */
export interface RefusalFacts {
  readonly issues?: readonly Issue[];
  readonly causes?: readonly string[];
  /** For the answer, for example `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Free-form, for the problem's `context`. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The sandbox's no to a request. It never leaves the sandbox but as a problem document. */
export class Refusal extends Error {
  override readonly name = "Refusal" as const;
  readonly kind: ProblemKind;
  readonly facts: RefusalFacts;

  constructor(kind: ProblemKind, detail: string, facts: RefusalFacts = {}) {
    super(detail);
    this.kind = kind;
    this.facts = facts;
  }
}

/** The refusal of one or more inputs. */
export function invalidInput(
  issues: readonly Issue[],
  kind: "invalid-input" | "malformed-request" = "invalid-input",
): Refusal {
  const names = issues.map((issue) => issue.name).join(", ");
  return new Refusal(
    kind,
    `${issues.length === 1 ? "This input is" : "These inputs are"} not accepted: ${names}.`,
    { issues },
  );
}
