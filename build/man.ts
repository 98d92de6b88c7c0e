import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandNode, type ParamNode, SECTIONS } from "../src/cli/define.ts";
import { describeParam, LISTED_TOPICS, type TopicName, usageLines } from "../src/cli/help.ts";
import { exitCodes, topicParts, topicSummary } from "../src/cli/help-topics.ts";
import { nodesOf, readTree } from "../src/cli/tree.ts";
import { routes } from "../src/commands/routes.ts";
import { capitalised } from "../src/values/counted.ts";

/** What man pages have besides the text of the commands. */
interface Edition {
  readonly version: string;
  /** Of the commit, so that two builds of it are equal. */
  readonly date: Date;
}

type Row = readonly [term: string, explanation: string];

const OUT = "dist/man";
/** The longest line of a page's source that mandoc has no remark about. */
const WIDTH = 79;

/** The section of a topic's page: file formats, or what is neither a command nor a file. */
export const sectionOf = (topic: TopicName) => (topic === "files" ? 5 : 7);

/** Writes the man pages of amp into `dist/man`. */
export async function writeManPages(): Promise<void> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const pages = Object.entries(manPages(await readTree(routes), { version, date: dateOf() }));
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  for (const [name, page] of pages) writeFileSync(join(OUT, name), page);
  process.stdout.write(`${OUT}: ${pages.length} pages\n`);
}

/** The time of the commit; without a repository, that of the source as it was packed. */
function dateOf(): Date {
  const { SOURCE_DATE_EPOCH } = process.env;
  if (SOURCE_DATE_EPOCH) return new Date(Number(SOURCE_DATE_EPOCH) * 1000);
  try {
    const seconds = execFileSync("git", ["log", "-1", "--format=%ct"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return new Date(Number(seconds) * 1000);
  } catch {
    return statSync("package.json").mtime;
  }
}

/** The pages in mdoc(7), by file name: amp, each of its groups and commands, and each topic. */
export function manPages(root: CommandNode, edition: Edition): Record<string, string> {
  const groups = root.children.map((node) => [`amp-${node.path[0]}.1`, groupPage(node)] as const);
  const topics = LISTED_TOPICS.map(
    (topic) => [`amp-${topic}.${sectionOf(topic)}`, topicPage(topic)] as const,
  );
  const pages = [["amp.1", rootPage(root)] as const, ...groups, ...topics];
  return Object.fromEntries(
    pages.map(([file, lines]) => [
      file,
      // A display begins a paragraph by itself.
      [...head(file, edition), ...lines, ""].join("\n").replaceAll(".Pp\n.Bd", ".Bd"),
    ]),
  );
}

function head(file: string, { version, date }: Edition): string[] {
  const [, name = "", section] = /^(.+)\.(\d)$/u.exec(file) ?? [];
  const months = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return [
    `.Dd ${months.format(date)}`,
    `.Dt ${name.toUpperCase()} ${section}`,
    `.Os amp\\-admin ${version}`,
    ".Sh NAME",
    `.Nm ${escaped(name)}`,
  ];
}

function rootPage(root: CommandNode): string[] {
  const sections = SECTIONS.flatMap((section) => [
    `.Ss ${words(section)}`,
    ...list(
      root.children.filter((node) => node.section === section),
      ({ path: [name = ""], summary }) => [
        `Cm ${escaped(name)}`,
        [...prose(`${capitalised(summary)}.`), "See", `.Xr amp-${name} 1 .`],
      ],
    ),
  ]);
  return [
    `.Nd ${words(root.summary)}`,
    ".Sh SYNOPSIS",
    ".Nm amp",
    ".Ar command",
    ".Op Ar options",
    ".Sh DESCRIPTION",
    ...prose(
      "amp is the command-line admin tool of the integration platform. It lists provider apps, installations and invites, finds out why a customer's sync stopped, and sets up notification routing: destinations, topics and routes.",
    ),
    ".Pp",
    ...prose("To begin, log in with amp auth login or, without an account, run amp sandbox start."),
    ".Sh COMMANDS",
    ...sections,
    ".Sh GLOBAL OPTIONS",
    ...params(root.options),
    ".Sh TOPICS",
    ...list(LISTED_TOPICS, (topic) => [
      `Xr amp-${topic} ${sectionOf(topic)}`,
      prose(`${capitalised(topicSummary(topic))}.`),
    ]),
    ".Sh ENVIRONMENT",
    ".Xr amp-environment 7",
    ...prose("lists the environment variables."),
    ".Sh FILES",
    ".Xr amp-files 5",
    ...prose("lists the files that amp reads and writes."),
    ".Sh EXIT STATUS",
    ...rows(exitCodes()),
    ...seeAlso([
      ...root.children.map(({ path }) => `amp-${path[0]}.1`),
      ...LISTED_TOPICS.map((topic) => `amp-${topic}.${sectionOf(topic)}`),
    ]),
  ];
}

/** The page of a group, with all commands in it; or of a command that is in none. */
function groupPage(group: CommandNode): string[] {
  const isGroup = group.children.length > 0;
  const aliases = group.aliases.map((alias) => `amp ${alias}`).join(", ");
  return [
    `.Nd ${words(group.summary)}`,
    ".Sh SYNOPSIS",
    `.Nm ${words(`amp ${group.path[0]}`)}`,
    ...(isGroup ? [".Ar command"] : usageOf(group).map((part) => `.Ar ${part}`)),
    ".Op Ar options",
    ".Sh DESCRIPTION",
    ...(isGroup ? prose(`${capitalised(group.summary)}.`) : commandText(group)),
    ...(isGroup && aliases !== "" ? [".Pp", ...prose(`Also: ${aliases}.`)] : []),
    ...(isGroup ? [".Sh COMMANDS", ...nodesOf(group).slice(1).flatMap(commandSection)] : []),
    ".Sh EXIT STATUS",
    ...prose("The exit codes are listed with each command."),
    ...prose("Any command can also exit with 1, 124, 130 or 143."),
    ...prose("All codes are explained in"),
    ".Xr amp-exit-codes 7 .",
    ...seeAlso(["amp.1", "amp-exit-codes.7", "amp-options.7"]),
  ];
}

/** The arguments and mandatory options of a command, as its usage line has them. */
function usageOf({ args, options }: CommandNode): string[] {
  const [line = ""] = usageLines("", args, options);
  return line.trim().split(" ").slice(0, -1).map(words);
}

function commandSection(node: CommandNode): string[] {
  const { path, summary, children } = node;
  const title = `.Ss ${words(["amp", ...path].join(" "))}`;
  if (children.length > 0) return [title, ...prose(`${capitalised(summary)}.`)];
  return [title, ...commandText(node)];
}

function commandText(node: CommandNode): string[] {
  const { path, summary, description, aliases, args, options, fields, examples } = node;
  const name = ["amp", ...path].join(" ");
  const others = aliases.map((alias) => ["amp", ...path.slice(0, -1), alias].join(" "));
  const examplesText = examples.flatMap(({ run, note }) => (note ? [`# ${note}`, run] : [run]));
  const codes = node.exitCodes.map(({ code, meaning }) => `${code} ${meaning}`).join("; ");
  return [
    ...prose(`${capitalised(summary)}.`),
    ...(description === undefined ? [] : [".Pp", ...blocks(description)]),
    ".Pp",
    ...literal(usageLines(name, args, options)),
    ...(others.length > 0 ? [".Pp", ...prose(`Also: ${others.join(", ")}.`)] : []),
    ...labelled("Arguments", params(args)),
    ...labelled("Options", params(options)),
    ...labelled("Global options", prose(node.globalOptions.join(", "))),
    ...labelled("JSON fields", prose(fields?.join(", ") ?? "")),
    ...labelled("Exit codes", prose(codes)),
    ...labelled("Examples", literal(examplesText)),
  ];
}

function topicPage(topic: TopicName): string[] {
  const [, ...parts] = topicParts(topic);
  const text = parts.flatMap((part, at) => {
    const lines = typeof part === "string" ? blocks(part) : rows(part);
    return at > 0 && typeof part === "string" ? [".Pp", ...lines] : lines;
  });
  return [`.Nd ${words(topicSummary(topic))}`, ".Sh DESCRIPTION", ...text, ...seeAlso(["amp.1"])];
}

function labelled(label: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [".Pp", `${label}:`, ...lines];
}

function params(nodes: readonly ParamNode[]): string[] {
  return list(nodes, (node) => {
    const { name, short, takesValue, placeholder = "" } = node;
    const [, explanation] = describeParam(node, nodes.indexOf(node), nodes);
    if (!name.startsWith("--")) return [`Ar ${words(name)}`, prose(explanation)];
    const flags = [short, name].flatMap((flag) => (flag ? `Fl ${escaped(flag.slice(1))}` : []));
    const value = takesValue ? ` Ar ${words(placeholder)}` : "";
    return [`${flags.join(" , ")}${value}`, prose(explanation)];
  });
}

function rows(items: readonly Row[]): string[] {
  return list(items, ([term, explanation]) => [words(term), prose(explanation)]);
}

function list<Item>(
  items: readonly Item[],
  entry: (item: Item) => readonly [head: string, body: readonly string[]],
): string[] {
  if (items.length === 0) return [];
  const entries = items.map(entry).flatMap(([term, body]) => [`.It ${term}`, ...body]);
  return [".Bl -tag -width Ds", ...entries, ".El"];
}

function seeAlso(files: readonly string[]): string[] {
  const [key, last] = [(file: string) => `${file.slice(-1)} ${file}`, files.length - 1];
  const sorted = files.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return [
    ".Sh SEE ALSO",
    ...sorted.map((file, at) => `.Xr ${file.replace(".", " ")}${at < last ? " ," : ""}`),
  ];
}

/** Paragraphs; lines that are set in stay as they are. */
function blocks(text: string): string[] {
  const runs = text.split(/\n\n|\n(?=\S)|(?<=^\S.*)\n/mu);
  return runs.flatMap((run, at) => {
    const isSet = /^\s/u.test(run);
    const lines = isSet ? literal(run.replace(/^ {2}/gmu, "").split("\n")) : prose(run);
    return at > 0 && !isSet ? [".Pp", ...lines] : lines;
  });
}

function literal(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.map((line) => guarded(escaped(line)));
  return [".Bd -literal -offset indent", ...shown, ".Ed"];
}

/** A text as lines of source: each sentence begins a new one, and none is too long. */
function prose(text: string): string[] {
  const sentences = text.split(/(?<=[.?!]) (?=[A-Z])/u).map(escaped);
  const pieces = new RegExp(`(.{1,${WIDTH - 2}})(?: +|$)|(\\S+) *`, "gu");
  return sentences
    .flatMap((sentence) => [...sentence.matchAll(pieces)].map(([piece]) => piece.trimEnd()))
    .filter((line) => line !== "")
    .map(guarded);
}

/** A line that is text, whatever it begins with. */
function guarded(line: string): string {
  return line.startsWith(".") ? `\\&${line}` : line;
}

/** Arguments of a macro: no word of them is read as a macro or as a delimiter. */
function words(text: string): string {
  return text
    .trim()
    .split(/ +/u)
    .map((word) => (/^(?:[%A-Z]\w{1,2}|\W)$/u.test(word) ? `\\&${escaped(word)}` : escaped(word)))
    .join(" ");
}

const NAMED: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  '"': "\\(dq",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Text in which nothing is an escape of roff, and each sign is printed as it is typed. */
function escaped(text: string): string {
  return text.replace(
    /[\\\-"'`^~]|[^\0-\x7f]/gu,
    (sign) =>
      NAMED[sign] ??
      `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? ""}]`,
  );
}

if (import.meta.main) await writeManPages();
