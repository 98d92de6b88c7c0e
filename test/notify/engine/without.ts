import { registerHooks } from "node:module";
import { parseSync, Visitor } from "rolldown/utils";
import type { Mend } from "./mends.ts";

// Loaded with --import before the engine, or by vitest: a mend is taken out of the source as it is
// loaded.
const { file, part, returns } = JSON.parse(process.env.AMP_TEST_WITHOUT ?? "{}") as Mend;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return { ...loaded, source: withoutMend(String(loaded.source), url) };
  },
});

/** The source of a file without the mend; without a row of a table, or with a function that only returns a value. */
export function withoutMend(text: string, path: string): string {
  if (!path.endsWith(`/src/notify/${file}`)) return text;
  let found: { readonly start: number; readonly end: number } | undefined;
  new Visitor({
    CallExpression(node) {
      const [first] = node.arguments;
      if (first?.type === "Literal" && first.value === part) found ??= node;
    },
    FunctionDeclaration(node) {
      if (node.id?.name === part && node.body) found ??= node.body;
    },
  }).visit(parseSync("mended.ts", text).program);
  if (found === undefined) throw new Error(`there is no ${part} in ${file}`);
  const instead = returns === undefined ? "...[]" : `{ return ${returns}; }`;
  return text.slice(0, found.start) + instead + text.slice(found.end);
}
