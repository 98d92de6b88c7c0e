// Nothing here runs: `npm run types` refuses this file where an error that it expects is missing.

import { type ConflictError, errorTable, type UsageError } from "../../src/errors.ts";

const errors = errorTable({
  usage: { pear_ripe: (days: number) => ({ text: `ripe for ${days} days`, cause: "sun" }) },
  conflict: { pear_taken: (by?: string) => ({ text: "taken", detail: by }) },
});

export const usage: UsageError = errors.pear_ripe(3);
export const conflict: ConflictError = errors.pear_taken();

// @ts-expect-error: of another exit
export const wrong: UsageError = errors.pear_taken();
// @ts-expect-error: not a number
errors.pear_ripe("3");
// @ts-expect-error: no such row
errors.pear_green();
// @ts-expect-error: no such exit
errorTable({ ripe: {} });
// @ts-expect-error: no text
errorTable({ usage: { odd: () => ({ remedy: "Fix it." }) } });
