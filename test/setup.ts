import { afterAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";

// Hooks end in the reverse order, so this one runs after those of the test file.
afterAll(removeTemporaryFolders);
