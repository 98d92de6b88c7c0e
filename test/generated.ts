import { readTree } from "../src/cli/tree.ts";
import { routes } from "../src/commands/routes.ts";
import { documentsJsonSchema } from "./documents/documents.ts";
import { documentsPage } from "./documents/markdown.ts";
import { reference } from "./documents/reference.ts";

/** The committed files that follow from the command tree: path in the project to content. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const root = await readTree(routes);
  return {
    "docs/reference.md": reference(root),
    "docs/json.md": documentsPage(root),
    "docs/json.schema.json": `${JSON.stringify(documentsJsonSchema(), undefined, 2)}\n`,
  };
}
