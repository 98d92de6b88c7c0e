/**
 * What amp weighs, in figures that may only fall: `npm run weigh`. `-- --write` lowers the limits of
 * `weight.json` to what is reached; `-- --list NAME` prints what counts; `-- --root FOLDER` weighs
 * another checkout. A test fails where a figure grows.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync, Visitor } from "rolldown/utils";
import type { CommandEntry } from "../command-tree.ts";
import { removeTemporaryFolders, temporaryFolder } from "../temporary-folder.ts";
import { importsOf } from "./imports.ts";
import { ALONE, MAX_LINES } from "./law.ts";

const OWN_ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LIMITS = new URL("weight.json", import.meta.url);

/** Own options of a command, beyond which it is counted by name. */
const MANY_OPTIONS = 10;
/** Lines of a function at the most. */
const LONG_FUNCTION = 60;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/** What counts, by figure: the figure is how many there are. */
export type Counted = Readonly<Record<string, readonly string[]>>;

/** The figures, each at most as large as its limit. */
export type Figures = Readonly<Record<string, number>>;

/** What each figure of a checkout counts; lines of src are too many to list. */
export async function weigh(root = OWN_ROOT): Promise<{ figures: Figures; counted: Counted }> {
  const src = sourcesIn(root, "src");
  const tests = sourcesIn(root, "test");
  const commands = commandsOf(root);
  const owned = commands.filter(({ command }) => command !== "amp");
  const counted: Counted = {
    "files of src": src.map(({ path }) => path),
    "modules that notify apply loads": await loadedByApply(root),
    "exported types of routing": src
      .filter(({ path }) => path.startsWith("src/notify/"))
      .flatMap(({ path, text }) => exportedTypes(text).map((name) => `${path}: ${name}`)),
    "exported types that no other file imports": unusedTypes(src, [...src, ...tests]),
    "files that belong in their one importer": joinable(src),
    "functions of more than 60 lines": src.flatMap(longFunctions),
    "private comments that say no more than a name": src.flatMap(emptyComments),
    "global options": (commands[0]?.options ?? []).map(({ name }) => name),
    "own options of all commands": owned.flatMap(({ command, options }) =>
      options.map(({ name }) => `${command} ${name}`),
    ),
  };
  const most = owned
    .filter(({ options }) => options.length > MANY_OPTIONS)
    .map(({ command, options }) => [`own options of ${command}`, options.length] as const);
  const figures = {
    "lines of src": src.reduce((sum, { lines }) => sum + lines, 0),
    ...Object.fromEntries(Object.entries(counted).map(([name, each]) => [name, each.length])),
    ...Object.fromEntries(most),
  };
  return { figures, counted };
}

/** The figures that are beyond their limit; of a command without one, beyond ten. */
export function grown(figures: Figures, limits: Figures): string[] {
  return Object.entries(figures).flatMap(([name, figure]) => {
    const limit = limits[name] ?? MANY_OPTIONS;
    return figure > limit ? [`${name}: ${figure}, at most ${limit}`] : [];
  });
}

export function limits(): Figures {
  return JSON.parse(readFileSync(LIMITS, "utf8")) as Figures;
}

function sourcesIn(root: string, folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, lines: text.trimEnd().split("\n").length };
    });
}

function commandsOf(root: string): CommandEntry[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "src/main.ts"), "commands", "--json"],
    { env: { PATH: process.env.PATH, HOME: temporaryFolder() }, encoding: "utf8" },
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as CommandEntry[];
}

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.example/amp } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;

const PRELOAD = `
  import { registerHooks } from "node:module";
  import { writeFileSync } from "node:fs";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => writeFileSync(process.env.LOADED, JSON.stringify(loaded)));`;

async function loadedByApply(root: string): Promise<string[]> {
  const folder = temporaryFolder();
  const LOADED = join(folder, "loaded.json");
  const main = join(root, "src/main.ts");
  const env = { PATH: process.env.PATH, HOME: folder, AMP_CONFIG_DIR: folder };
  const args = ["sandbox", "start", "--port", "0", "--quiet"];
  const sandbox = spawn(process.execPath, [main, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [line] = (await once(sandbox.stdout, "data")) as [Buffer];
  writeFileSync(join(folder, "routing.yaml"), ROUTING);
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  const words = ["notify", "apply", "-f", "routing.yaml", "--yes", "--state", "state.json"];
  const apply = spawn(process.execPath, ["--import", preload, main, ...words], {
    cwd: folder,
    env: {
      ...env,
      AMP_BASE_URL: String(line).trim(),
      AMP_API_KEY: "sandbox-api-key",
      AMP_PROJECT: "globex-staging",
      LOADED,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], said] = await Promise.all([
    once(apply, "close"),
    apply.stderr.setEncoding("utf8").toArray(),
  ]);
  sandbox.kill();
  if (code !== 0) throw new Error(`notify apply exited ${code}: ${said.join("")}`);
  const urls = JSON.parse(readFileSync(LOADED, "utf8")) as string[];
  return urls.flatMap((url) => /\/(src\/.+\.ts)$/u.exec(url)?.[1] ?? []).sort();
}

/** The names of the types that a text declares and exports. */
function exportedTypes(text: string): string[] {
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map(([, name = ""]) => name);
}

function unusedTypes(src: readonly Source[], all: readonly Source[]): string[] {
  const used = new Set(all.flatMap(({ path, text }) => importedNames(path, text)));
  return src.flatMap(({ path, text }) =>
    exportedTypes(text)
      .map((name) => `${path}: ${name}`)
      .filter((name) => !used.has(name) && !used.has(`${path}: *`)),
  );
}

/** What a file imports, as `path: name`, or `path: *` for the whole. */
function importedNames(path: string, text: string): string[] {
  const found: string[] = [];
  const add = (specifier: string, ...names: string[]) => {
    const target = posix.normalize(posix.join(posix.dirname(path), specifier));
    found.push(...names.map((name) => `${target}: ${name}`));
  };
  const nameOf = (node: { type: string; name?: string; value?: unknown }) =>
    node.name ?? String(node.value);
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) =>
      add(
        source.value,
        ...specifiers.map((one) => (one.type === "ImportSpecifier" ? nameOf(one.imported) : "*")),
      ),
    ExportNamedDeclaration({ source, specifiers }) {
      if (source) add(source.value, ...specifiers.map(({ local }) => nameOf(local)));
    },
    ExportAllDeclaration: ({ source }) => add(source.value, "*"),
    TSImportType: ({ source }) => add(source.value, "*"),
    TSTypeQuery({ exprName }) {
      if (exprName.type === "TSImportType") add(exprName.source.value, "*");
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** A command has a file of its own, and what is loaded lazily stays apart. */
function joinable(src: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  const lazy = new Set<string>();
  for (const { path, text } of src) {
    for (const { kind, target } of importsOf(path, text)) {
      if (kind === "lazy") lazy.add(target);
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  const lines = new Map(src.map((one) => [one.path, one.lines]));
  return src.flatMap(({ path, lines: own }) => {
    const [importer, another] = importers.get(path) ?? [];
    if (importer === undefined || another !== undefined || lazy.has(path)) return [];
    if (ALONE[path.slice("src/".length)] !== undefined) return [];
    return own + (lines.get(importer) ?? 0) <= MAX_LINES ? [`${path}: ${importer}`] : [];
  });
}

function longFunctions({ path, text }: Source): string[] {
  const found: string[] = [];
  const look = ({ start, end }: { start: number; end: number }) => {
    if (text.slice(start, end).split("\n").length > LONG_FUNCTION) {
      found.push(`${path}:${text.slice(0, start).split("\n").length}`);
    }
  };
  new Visitor({
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
  }).visit(parseSync(path, text).program);
  return found;
}

/** Words that say nothing of their own. */
const FILLERS = new Set(
  [
    "a an the of for to in on at by with as is are be it its this that which what",
    "one all each and or from if whether has have not no",
  ]
    .join(" ")
    .split(" "),
);

/** The comments of private declarations with at most two words that are not in what is declared. */
function emptyComments({ path, text }: Source): string[] {
  const commented =
    /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n((?:async )?(?:function\*?|const|let|interface|type|class) [^{=;]*)/gmu;
  return [...text.matchAll(commented)].flatMap(([, comment = "", declared = ""]) => {
    const known = new Set(stemsOf(declared));
    const added = stemsOf(comment).filter((word) => !FILLERS.has(word) && !known.has(word));
    return new Set(added).size <= 2 ? [`${path}: ${declared.split("\n")[0]?.trim()}`] : [];
  });
}

/** The words of a text or of the names in it, without their endings. */
function stemsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter(Boolean)
    .map((word) => (FILLERS.has(word) ? word : word.replace(/(?:ies|ied|ing|es|ed|e|s|y)$/u, "")));
}

if (import.meta.main) {
  const { values: options } = parseArgs({
    options: {
      write: { type: "boolean", default: false },
      list: { type: "string" },
      root: { type: "string" },
    },
  });
  const { figures, counted } = await weigh(options.root);
  removeTemporaryFolders();
  if (options.list !== undefined) process.stdout.write(`${counted[options.list]?.join("\n")}\n`);
  else {
    const before = limits();
    for (const [name, figure] of Object.entries(figures)) {
      const limit = before[name] ?? MANY_OPTIONS;
      process.stdout.write(`${String(figure).padStart(6)}  ${name} (at most ${limit})\n`);
    }
    const now = Object.entries(figures).map(([name, figure]) => [
      name,
      Math.min(figure, before[name] ?? figure),
    ]);
    if (options.write) {
      writeFileSync(LIMITS, `${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`);
    }
  }
}
