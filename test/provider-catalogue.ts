import { readFileSync } from "node:fs";

/**
 * A provider catalogue as the live platform has it, in the form `{"catalog": {…}}`: the file that
 * AMP_TEST_CATALOGUE names. Undefined where the variable is not set; the tests of it are then skipped.
 */
export const CATALOGUE_FILE = process.env.AMP_TEST_CATALOGUE;

/** The text of that file. */
export const catalogueText =
  CATALOGUE_FILE === undefined ? undefined : readFileSync(CATALOGUE_FILE, "utf8");
