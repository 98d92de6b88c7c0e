import { SHELLS } from "../src/cli/completion/scripts.ts";
import { reference } from "../src/cli/reference.ts";
import { readTree } from "../src/cli/tree.ts";
import { routes } from "../src/commands/routes.ts";

/** The committed files that follow from the command tree: path in the project to content. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const root = await readTree(routes);
  return {
    ...Object.fromEntries(
      Object.values(SHELLS).map(({ file, script }) => [`completions/${file}`, script(root)]),
    ),
    "docs/reference.md": reference(root),
  };
}
