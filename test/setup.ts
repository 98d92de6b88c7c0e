import fc from "fast-check";
import { afterAll } from "vitest";
import { forgetSecrets } from "../src/secrets/secret.ts";
import { checkExitCodes } from "./exit-codes.ts";
import { checkSuggestions } from "./suggestions.ts";
import { removeTemporaryFolders } from "./temporary-folder.ts";
import { noteErrors, saveErrors } from "./thrown-errors.ts";

// The same cases in every run: a change fails for what it changed. `.ci/nightly` takes other seeds.
fc.configureGlobal({ seed: Number(process.env.AMP_PROPERTY_SEED ?? 1) });

// Before each test file. Hooks end in the reverse order, so these run after those of the test file,
// and the checks, which make folders, before they are removed. Nothing of a file may reach the next
// one, which may run in the same process.
afterAll(forgetSecrets);
afterAll(removeTemporaryFolders);
afterAll(checkExitCodes);
afterAll(checkSuggestions);
noteErrors();
afterAll(saveErrors);
