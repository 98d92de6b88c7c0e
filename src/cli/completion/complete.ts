import { readFileSync, statSync } from "node:fs";
import { type FolderEnvironment, seenNamesPath, usualConfigFolder } from "../../account/folders.ts";
import type { SeenKind, SeenNames } from "../../account/seen-names.ts";
import { type CommandPlace, type CompletionTable, type Input, loadTable } from "./table.ts";

/**
 * What a shell may offer. Asked at every Tab: it loads no command, and reads nothing but the names of
 * the profiles, and those that lists have shown. Nothing for anything that fails.
 */
export async function complete(
  asked: readonly string[],
  around: FolderEnvironment,
): Promise<string> {
  try {
    return answer(await loadTable(), asked, {
      profile: () => profileNames(around),
      seen: (kind, typed) => namesSeen(kind, typed, around),
    });
  } catch {
    return "";
  }
}

/** The names that are read at a Tab, where they may follow. */
export interface Names {
  readonly profile: () => readonly string[];
  /** @param typed the options of the line with their values */
  readonly seen: (kind: SeenKind, typed: ReadonlyMap<string, string>) => readonly string[];
}

interface SavedProfiles {
  readonly active?: string;
  readonly profiles?: object;
}

function savedProfiles(around: FolderEnvironment): SavedProfiles {
  const path = `${around.env.AMP_CONFIG_DIR ?? usualConfigFolder(around)}/config.json`;
  return readJson<SavedProfiles>(path);
}

function readJson<Content>(path: string): Partial<Content> {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? JSON.parse(readFileSync(path, "utf8")) : {};
}

function profileNames(around: FolderEnvironment): string[] {
  const saved = Object.keys(savedProfiles(around).profiles ?? {});
  return [...saved.filter((name) => name !== "sandbox").sort(), "sandbox"];
}

/** The names that lists have shown with a profile: in its project if the line names one, else in all. */
function namesSeen(
  kind: SeenKind,
  typed: ReadonlyMap<string, string>,
  around: FolderEnvironment,
): string[] {
  const { env } = around;
  const profile = typed.get("--profile") || env.AMP_PROFILE || savedProfiles(around).active || "";
  const seen = readJson<SeenNames>(seenNamesPath(around, profile));
  const project = kind === "project" ? undefined : typed.get("--project") || env.AMP_PROJECT;
  const parts = project ? [seen[project]] : Object.values(seen);
  return [...new Set(parts.flatMap((part) => part?.[kind] ?? []))];
}

/** The line that lets the shell offer files. */
const FILES = ":files";

/**
 * What a shell may offer: a candidate a line, with a tab before its description.
 * @param asked the words after the program's name, the last up to the cursor; or `--line`, the line
 *   up to the cursor and the characters at which the shell splits words
 * @param names reads them
 */
export function answer(table: CompletionTable, asked: readonly string[], names: Names): string {
  const [form, line = "", breaks] = asked;
  const lines =
    form === "--line" && breaks !== undefined
      ? continuations(table, line, breaks, names)
      : candidates(table, asked, names).map(({ word, about = "" }) =>
          about === "" ? word : `${word}\t${about}`,
        );
  return lines.map((one) => `${one}\n`).join("");
}

interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
}

/** The words and options that may follow; the shell itself drops what does not continue the last. */
function candidates(
  { places, globals, topics, explained }: CompletionTable,
  words: readonly string[],
  names: Names,
): Candidate[] {
  // PowerShell cannot pass an empty word.
  const current = (words.at(-1) ?? "").trimStart();
  const { path, place, count, given, waiting, isEnded, isHelp } = follow(
    places,
    globals,
    words.slice(0, -1),
  );
  const acting = (place?.globals ?? []).flatMap((at) => globals[at] ?? []);
  const valuesOf = ({ value, words: known = [] }: Input, before = ""): Candidate[] => {
    if (value === "file") return [{ word: FILES }];
    // Fields are separated by commas, and one to sort by may have a dash before it.
    const others = value === "own-field" ? /^(?:.*,)?-?/su.exec(current.slice(before.length)) : "";
    const read = {
      word: () => known,
      profile: names.profile,
      field: () => explained,
      "own-field": () => place?.fields ?? [],
    };
    const kind = value ?? "word";
    const listed = isKey(kind, read) ? read[kind]() : names.seen(kind, given);
    return listed.map((word) => ({ word: `${before}${others}${word}` }));
  };
  const left = (options: readonly Input[]) =>
    options
      .filter((option) => option.repeats || !given.has(option.name))
      .map(({ name, description }) => ({ word: name, about: description }));
  const below = childrenOf(places, path).map((child) => ({
    word: child.slice(child.lastIndexOf(" ") + 1),
    about: places[child]?.summary,
  }));
  if (waiting) return valuesOf(waiting);
  if (isHelp) {
    const about = Object.entries(topics).map(([word, summary]) => ({ word, about: summary }));
    return count > 0 ? [] : [...below, ...(path === "" ? about : [])];
  }
  const [before, name] = /^(--[^=]+)=/u.exec(current) ?? [];
  if (name !== undefined && !isEnded) {
    const option = optionOf([...(place?.options ?? []), ...globals], name);
    return option?.value ? valuesOf(option, before) : [];
  }
  if (current.startsWith("-") && !isEnded) return left([...(place?.options ?? []), ...acting]);
  if (below.length > 0) {
    if (isEnded || count > 0) return [];
    return path === ""
      ? [...below, { word: "help", about: "help about a command or topic" }]
      : below;
  }
  const { args = [], options = [] } = place ?? {};
  const argument = args[count] ?? (args.at(-1)?.repeats ? args.at(-1) : undefined);
  if (argument) return valuesOf(argument);
  return isEnded ? [] : left(options);
}

function follow(
  places: CompletionTable["places"],
  globals: readonly Input[],
  words: readonly string[],
) {
  let path = "";
  let count = 0;
  let waiting: Input | undefined;
  let isEnded = false;
  let isHelp = false;
  const given = new Map<string, string>();
  const find = (name: string, value = "") => {
    const option = optionOf([...(places[path]?.options ?? []), ...globals], name);
    if (option) given.set(option.name, value);
    return option;
  };
  for (const word of words) {
    const child = count === 0 ? childOf(places, path, word) : undefined;
    if (waiting) {
      given.set(waiting.name, word);
      waiting = undefined;
    } else if (isEnded) count += 1;
    else if (word === "--") isEnded = true;
    else if (word.startsWith("--")) {
      const [name = "", ...values] = word.split("=");
      const option = find(name, values.join("="));
      if (option?.value && !word.includes("=")) waiting = option;
    } else if (/^-./u.test(word)) {
      for (let at = 1; at < word.length; at += 1) {
        const option = find(`-${word[at]}`);
        if (option?.value && at === word.length - 1) waiting = option;
        if (option === undefined || option.value) break;
      }
    } else if (word === "help" && path === "" && count === 0 && !isHelp) isHelp = true;
    else if (child !== undefined) path = child;
    else count += 1;
  }
  return { path, place: places[path], count, given, waiting, isEnded, isHelp };
}

function isKey<Table extends object>(name: PropertyKey, table: Table): name is keyof Table {
  return Object.hasOwn(table, name);
}

function childrenOf(places: Readonly<Record<string, CommandPlace>>, path: string): string[] {
  const end = path === "" ? -1 : path.length;
  return Object.keys(places).filter(
    (one) => one !== "" && one.lastIndexOf(" ") === end && one.startsWith(path),
  );
}

function childOf(
  places: Readonly<Record<string, CommandPlace>>,
  path: string,
  word: string,
): string | undefined {
  return childrenOf(places, path).find(
    (one) => one.slice(one.lastIndexOf(" ") + 1) === word || places[one]?.aliases?.includes(word),
  );
}

function optionOf(options: readonly Input[], name: string): Input | undefined {
  return options.find((option) => option.name === name || option.short === name);
}

/** What continues a line of bash, as readline inserts it: quoted, and only what it replaces. */
function continuations(
  table: CompletionTable,
  line: string,
  breaks: string,
  names: Names,
): string[] {
  const words = [...line.matchAll(/(?:\\.?|'[^']*'?|"(?:\\.|[^"\\])*"?|[^\s\\'"])+/gsu)];
  const last = words.at(-1);
  const current = last && last.index + last[0].length === line.length ? last[0] : "";
  const before = words.slice(1, current === "" ? undefined : -1).map(([word]) => unquoted(word));
  const begin = unquoted(current);
  // Readline replaces what follows an open quote, or the last character at which it splits words.
  const outside = current.replace(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gsu, ({ length }) =>
    "x".repeat(length),
  );
  const open = outside.search(/["']/u);
  const end =
    open >= 0 ? open : Math.max(-1, ...[...breaks].map((one) => outside.lastIndexOf(one)));
  const kept = unquoted(current.slice(0, end + 1)).length;
  return candidates(table, [...before, begin], names).flatMap(({ word }) => {
    if (word === FILES) return [word];
    if (!word.startsWith(begin)) return [];
    return [quoted(word.slice(kept), outside[open])];
  });
}

/** The end of a word as readline inserts it, also after an open quote. */
function quoted(end: string, quote: string | undefined): string {
  if (quote === undefined) return end.replace(/[^\w.,:/@%+=-]/gu, "\\$&");
  const text =
    quote === "'"
      ? end.replaceAll("'", "'\\''")
      : // Between double quotes a backslash before an exclamation mark would stay.
        end.replace(/[\\"$`]/gu, "\\$&").replaceAll("!", '"\\!"');
  // Readline closes the quote, unless this is the last character already.
  return text.endsWith(quote) ? text + quote : text;
}

/** A word of a shell without its quotes. */
function unquoted(word: string): string {
  return word.replace(
    /\\(.?)|'([^']*)'?|"((?:\\.|[^"\\])*)"?/gsu,
    (_, sign, single, double) => sign ?? single ?? double.replace(/\\(.)/gsu, "$1"),
  );
}
