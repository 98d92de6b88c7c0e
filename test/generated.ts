import { readFileSync } from "node:fs";
import * as z from "zod";
import { readTree } from "../src/cli/tree.ts";
import { routes } from "../src/commands/routes.ts";
import { seedSchema } from "../src/sandbox/seed/seed-file.ts";
import { coveragePage } from "./documents/coverage.ts";
import { withDecisions } from "./documents/decisions.ts";
import { documentsJsonSchema, resultFieldsModule } from "./documents/documents.ts";
import { errorsPage } from "./documents/errors.ts";
import { documentsPage } from "./documents/markdown.ts";
import { reference } from "./documents/reference.ts";

/** The JSON Schema of a seed file, which an editor checks it by. */
function worldJsonSchema(): string {
  const title = "The data of a sandbox, for amp sandbox start --world";
  const { $schema, ...schema } = z.toJSONSchema(seedSchema, {
    unrepresentable: "any",
    io: "input",
  });
  return `${JSON.stringify({ $schema, title, ...schema }, null, 1)}\n`;
}

const STATE_PAGE = new URL("../docs/state.md", import.meta.url);

/**
 * The committed files that follow from the command tree, the tables of errors or, in parts, the
 * table of decisions: path in the project to content.
 */
export async function generatedFiles(): Promise<Record<string, string>> {
  const root = await readTree(routes);
  return {
    "docs/reference.md": reference(root),
    "docs/json.md": documentsPage(root),
    "docs/json.schema.json": documentsJsonSchema(),
    "docs/world.schema.json": worldJsonSchema(),
    "docs/coverage.md": await coveragePage(),
    "docs/errors.md": errorsPage(),
    "src/values/result-fields.ts": resultFieldsModule(),
    "docs/state.md": withDecisions(readFileSync(STATE_PAGE, "utf8")),
  };
}
