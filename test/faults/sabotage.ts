import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseSync, Visitor } from "rolldown/utils";
import { temporaryFolder } from "../temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SRC = join(ROOT, "src");

/**
 * What is done to a guard: a statement, or an entry of an object, behind the comment `// guard: NAME`
 * in `src`. It goes; it is not waited for; of its sum the left side is left; or its value (of a
 * condition, a constant, an arrow function or an entry) is another one, which must name nothing of
 * its scope.
 */
type Way = "gone" | "not awaited" | "left side" | { readonly value: string };

/** A part of the algorithm that is taken out. */
export interface Sabotage {
  readonly what: string;
  readonly guards: Readonly<Record<string, Way>>;
}

/** What the fault matrix must notice when it is missing. */
export const SABOTAGES: readonly Sabotage[] = [
  { what: "the intent write", guards: { "the intent write": "gone" } },
  { what: "the wait for the intent write", guards: { "the intent write": "not awaited" } },
  { what: "the lines of the journal", guards: { "the lines of the journal": "gone" } },
  { what: "the sync of the journal", guards: { "the sync of the journal": "gone" } },
  { what: "the ids-before set", guards: { "the IDs of before": { value: "[]" } } },
  {
    what: "the look at the values of what may be created",
    guards: { "the values of what may be created": { value: "false" } },
  },
  {
    what: "the look at what a create is answered with",
    guards: { "the answer to a create": { value: "true" } },
  },
  {
    what: "the look at the values after an update",
    guards: { "the values after an update": { value: '"sent"' } },
  },
  {
    what: "the lock",
    guards: {
      "the lock of another": { value: "false" },
      "the lock is still held": { value: "true" },
    },
  },
  {
    what: "the lock's check before each create and save",
    guards: { "the lock is still held": { value: "true" } },
  },
  {
    what: "the wait for lists that are behind",
    guards: {
      "the horizon of a write": "left side",
      "the horizon of an unknown outcome": "left side",
    },
  },
  { what: "the tombstones", guards: { "the tombstones": { value: "true" } } },
  {
    what: "the clock that only goes forward",
    guards: { "the clock that only goes forward": { value: "() => Date.now()" } },
  },
];

const GUARD = /^ guard: (.+)$/u;

/** Every guard of `src`, with its file. */
export function guards(): { readonly name: string; readonly path: string }[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(SRC, path))
    .flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^ *\/\/ guard: (.+)$/gmu)].map(([, name = ""]) => ({
        name,
        path,
      })),
    );
}

/** A source text whose guard is disabled. @throws {Error} where the way does not fit the guard */
export function withoutGuard(text: string, name: string, way: Way): string {
  const { program, comments } = parseSync("guarded.ts", text);
  const comment = comments.find(({ value }) => GUARD.exec(value)?.[1] === name);
  if (comment === undefined) throw new Error(`no guard: ${name}`);
  const { statement, spots } = spotsBehind(program, comment.end);
  if (way === "gone") return replaced(text, statement, ";");
  const { awaited, value, sum } = spots;
  if (way === "not awaited" && awaited) {
    const promise = text.slice(awaited.argument.start, awaited.argument.end);
    return replaced(text, awaited, `void ${promise}.catch(() => {})`);
  }
  if (way === "left side" && sum) {
    return replaced(text, sum, text.slice(sum.left.start, sum.left.end));
  }
  if (typeof way === "object" && value) {
    // `{ a }` is `{ a: a }`.
    const isShort = value.start === statement.start;
    return replaced(
      text,
      value,
      isShort ? `${text.slice(value.start, value.end)}: ${way.value}` : way.value,
    );
  }
  throw new Error(`the guard ${name} cannot be disabled so: ${JSON.stringify(way)}`);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function replaced(text: string, { start, end }: Span, instead: string): string {
  return text.slice(0, start) + instead + text.slice(end);
}

/** The first statement or entry behind a place, and what of it a way may change. */
function spotsBehind(program: ReturnType<typeof parseSync>["program"], after: number) {
  let statement: Span | undefined;
  const spots: {
    awaited?: Span & { argument: Span };
    value?: Span;
    sum?: Span & { left: Span };
  } = {};
  const guarded = (node: Span, value?: Span | null) => {
    if (node.start < after || (statement && statement.start <= node.start)) return;
    statement = node;
    if (value) spots.value = value;
  };
  const within = (node: Span) =>
    statement !== undefined && node.start >= statement.start && node.end <= statement.end;
  new Visitor({
    ExpressionStatement: (node) => guarded(node, node.expression),
    VariableDeclaration: (node) => guarded(node, node.declarations[0]?.init),
    IfStatement: (node) => guarded(node, node.test),
    ReturnStatement: (node) => guarded(node, node.argument),
    Property: (node) => guarded(node, node.value),
  }).visit(program);
  if (statement === undefined) throw new Error("nothing is guarded");
  new Visitor({
    AwaitExpression(node) {
      if (within(node)) spots.awaited ??= node;
    },
    BinaryExpression(node) {
      if (within(node) && node.operator === "+") spots.sum ??= node;
    },
  }).visit(program);
  return { statement, spots };
}

/** A copy of the program; remove it when it is not needed any more. */
export interface Copy {
  /** Its entry. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Builds the program with a part taken out, or whole: packages are in it, which makes it start
 * faster than from their many files.
 */
export async function buildCopy(sabotage?: Sabotage): Promise<Copy> {
  // Below node_modules, so that the packages are found.
  const folder = temporaryFolder(join(ROOT, "node_modules"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const wanted = guards().filter(({ name }) => sabotage?.guards[name] !== undefined);
  const disabled = new Set<string>();
  const load = (path: string) => {
    let text: string | undefined;
    for (const { name } of wanted.filter((one) => one.path === path)) {
      text = withoutGuard(text ?? readFileSync(path, "utf8"), name, sabotage?.guards[name] as Way);
      disabled.add(name);
    }
    return text;
  };
  try {
    const build = await rolldown({
      input: { main: join(SRC, "main.ts") },
      platform: "node",
      external: ["@napi-rs/keyring"],
      plugins: [{ name: "sabotage", load }],
      checks: { ineffectiveDynamicImport: false },
    });
    await build.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].mjs",
      keepNames: true,
    });
    await build.close();
    const missing = Object.keys(sabotage?.guards ?? {}).filter((name) => !disabled.has(name));
    if (missing.length > 0) throw new Error(`no part of the program: ${missing.join(", ")}`);
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: join(folder, "main.mjs"), remove };
}
