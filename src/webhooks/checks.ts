import { ACCEPT_CHECKS } from "./accept-checks.ts";
import { BEHAVIOUR_CHECKS } from "./behaviour-checks.ts";
import type { ReceiverCheck } from "./check.ts";
import { REJECT_CHECKS } from "./reject-checks.ts";

/** All checks, in the order in which they are made and shown. */
export const CHECKS: readonly ReceiverCheck[] = [
  ...ACCEPT_CHECKS,
  ...REJECT_CHECKS,
  ...BEHAVIOUR_CHECKS,
];

/** The names of the checks. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

/** The facts of a check for `--list` and reports. */
export type CheckFacts = Pick<ReceiverCheck, "name" | "kind" | "severity" | "title" | "advice">;

/** The facts of checks, without their work. */
export function checkFacts(names: readonly string[]): CheckFacts[] {
  return CHECKS.filter(({ name }) => names.includes(name)).map(
    ({ name, kind, severity, title, advice }) => ({ name, kind, severity, title, advice }),
  );
}
