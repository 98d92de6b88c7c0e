import { readFileSync } from "node:fs";
import * as z from "zod";
import { manPages } from "../build/man.ts";
import type { CommandNode } from "../src/cli/define.ts";
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

const MANIFEST = new URL("../package.json", import.meta.url);

/** `package.json` with the man pages that npm installs. */
function withManPages(root: CommandNode): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as object;
  const pages = Object.keys(manPages(root, { version: "", date: new Date(0) }));
  const man = pages.map((name) => `dist/man/${name}`).sort();
  return `${JSON.stringify({ ...manifest, man }, null, 2)}\n`;
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
    "package.json": withManPages(root),
    "docs/state.md": withDecisions(readFileSync(STATE_PAGE, "utf8")),
  };
}
