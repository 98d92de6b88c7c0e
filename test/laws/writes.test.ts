import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** Who writes to the outputs: each escapes what came from elsewhere, or writes words of amp's own. */
const WRITERS = [
  "account/keyring-child.ts",
  "cli/execute.ts",
  "cli/finish-run.ts",
  "cli/live-output.ts",
  "cli/raw-output.ts",
  "cli/program.ts",
  "cli/report-error.ts",
  "cli/wait-line.ts",
  "context/client.ts",
  "main.ts",
];

it("only the listed files write to a terminal", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"));
  const writing = files.filter((path) =>
    /\b(?:out|err|sink|stdout|stderr)\.write\(/u.test(readFileSync(SRC + path, "utf8")),
  );
  expect(writing.sort()).toEqual([...WRITERS].sort());
});
