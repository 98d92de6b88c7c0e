import { posix } from "node:path";
import { type CommandNode, SECTIONS } from "../src/cli/define.ts";
import { nodesOf } from "../src/cli/tree.ts";
import { capitalised } from "../src/values/counted.ts";
import { documentText } from "../test/documents/markdown.ts";
import { appendix, commandParts, prose, table, title } from "../test/documents/reference.ts";

/** A page of the site. */
export interface SitePage {
  /** Its address without slashes at the ends; that of the first page is empty. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Markdown, without the title. */
  readonly body: string;
  /** Whether the search finds it. */
  readonly isSearched: boolean;
}

/** An entry of the sidebar, as Starlight reads it. */
type SidebarItem =
  | { readonly label: string; readonly link: string }
  | { readonly label: string; readonly collapsed: boolean; readonly items: readonly SidebarItem[] };

/** The pages that people write, by chapter of the sidebar: the path in the project, and the label. */
const CHAPTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Get started": {
    "README.md": "Overview",
    "docs/install.md": "Install",
    "docs/tickets.md": "Ten support tickets",
    "docs/coming-from.md": "Coming from other tools",
    "docs/glossary.md": "Glossary",
  },
  Guides: {
    "docs/routing.md": "Notification routing",
    "docs/state.md": "State and recovery",
    "docs/cases.md": "Cases",
    "docs/events.md": "Events",
    "docs/testing.md": "Test receivers and routings",
    "docs/checks.md": "Checks",
    "docs/sandbox.md": "Sandbox",
    "docs/credentials.md": "Credentials and settings",
    "docs/network.md": "Network",
  },
  CI: {
    "docs/cookbook-github.md": "GitHub Actions",
    "docs/cookbook-gitlab.md": "GitLab CI",
  },
  Reference: {
    "docs/reference.md": "All commands",
    "docs/json.md": "JSON",
    "docs/errors.md": "Errors",
    "docs/coverage.md": "API coverage",
  },
  Project: {
    "CHANGELOG.md": "Changelog",
    "SECURITY.md": "Security",
    "CONTRIBUTING.md": "How amp is built",
  },
};

const NAMES: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(CHAPTERS));

/** A link of Markdown, also one with code in its text. */
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/gu;

/** What the search leaves out: pages for those who make amp. */
const NOT_SEARCHED = ["CHANGELOG.md", "CONTRIBUTING.md"];

/** The chapter above which the commands are listed. */
const BEFORE_COMMANDS = "Reference";

/** The paths in the project of the pages that people write. */
export const WRITTEN = Object.values(CHAPTERS).flatMap(Object.keys);

/**
 * The pages of the site: those of `texts`, and one for each command.
 * @param texts the pages that people write, by path in the project
 */
export function sitePages(root: CommandNode, texts: Readonly<Record<string, string>>): SitePage[] {
  const written = Object.entries(texts).map(([path, text]) =>
    path === REFERENCE ? referencePage(root) : writtenPage(path, text),
  );
  return [...written, ...root.children.flatMap(nodesOf).map(commandPage)];
}

const REFERENCE = "docs/reference.md";

/** The sidebar, in the form of Starlight's configuration. */
export function sidebarOf(root: CommandNode): SidebarItem[] {
  const chapters: SidebarItem[] = Object.entries(CHAPTERS).map(([label, pages]) => ({
    label,
    collapsed: false,
    items: Object.entries(pages).map(([path, name]) => ({ label: name, link: linkTo(path) })),
  }));
  const commands = SECTIONS.map((section) => ({
    label: section,
    collapsed: true,
    items: root.children.filter((node) => node.section === section).map(commandItem),
  }));
  const at = chapters.findIndex(({ label }) => label === BEFORE_COMMANDS);
  return chapters.toSpliced(at, 0, { label: "Commands", collapsed: false, items: commands });
}

function commandItem(node: CommandNode): SidebarItem {
  const own = { label: title(node), link: `/${commandSlug(node)}/` };
  if (node.children.length === 0) return own;
  const items = [{ ...own, label: "Overview" }, ...node.children.map(commandItem)];
  return { label: own.label, collapsed: true, items };
}

/** `llms.txt`: what there is to read, for programs that read it. */
export function llmsIndex(pages: readonly SitePage[]): string {
  const line = ({ slug, title: name, description }: SitePage) =>
    `- [${name}](/${slug || "index"}.md): ${description}`;
  const isCommand = ({ slug }: SitePage) => slug.startsWith("commands/");
  return `${[
    "# amp",
    "> The command-line admin tool of the integration platform. `amp commands --json` prints every command with its options; `llms-full.txt` has all pages in one file.",
    "## Pages",
    pages
      .filter((page) => !isCommand(page))
      .map(line)
      .join("\n"),
    "## Commands",
    pages.filter(isCommand).map(line).join("\n"),
  ].join("\n\n")}\n`;
}

/** A page as a file of its own, as Markdown. */
export function asMarkdown({ title: name, body }: SitePage): string {
  return `# ${name}\n\n${body}\n`;
}

function writtenPage(path: string, source: string): SitePage {
  const [, name = "", rest = ""] = /^# (.+)\n([\s\S]*)$/u.exec(source) ?? [];
  if (name === "") throw new Error(`${path} does not begin with a title`);
  const text = withoutContents(rest.replace(GENERATED, "").trim());
  return {
    slug: slugOf(path),
    title: name,
    description: firstSentence(text),
    body: rewritten(path, text),
    isSearched: !NOT_SEARCHED.includes(path),
  };
}

/** What a generated page says to whoever would edit it. */
const GENERATED = /^Generated from .*? by `npm run generate`; do not edit\.\s*/mu;

/** The list of a page's own headings: the site shows one beside each page. */
function withoutContents(text: string): string {
  return text.replace(/^(?: *- \[[^\]]+\]\(#[^)]*\)\n)+\n/mu, "");
}

function firstSentence(text: string): string {
  const [paragraph = ""] = text
    .replace(/^```[\s\S]*?^```$/gmu, "")
    .trim()
    .split("\n\n");
  const plain = paragraph
    .replace(/\[([^\]]+)\]\([^)]*\)/gu, "$1")
    .replace(/[`*\\]/gu, "")
    .replaceAll("\n", " ");
  return /^.+?[.:](?= |$)/u.exec(plain)?.[0].replace(/:$/u, ".") ?? plain;
}

/** The page of all commands: a line each, and what they have in common. */
function referencePage(root: CommandNode): SitePage {
  const sections = SECTIONS.flatMap((section) => [
    `## ${section}`,
    commandList(root.children.filter((node) => node.section === section).flatMap(nodesOf)),
  ]);
  return {
    slug: slugOf(REFERENCE),
    title: "All commands",
    description: "Every command, the global options, environment variables and exit codes.",
    body: rewritten(REFERENCE, [...sections, appendix(root)].join("\n\n")),
    isSearched: true,
  };
}

function commandList(nodes: readonly CommandNode[]): string {
  return table(
    ["Command", "What it does"],
    nodes.map((node) => [
      `[${title(node)}](/${commandSlug(node)}/)`,
      prose(`${capitalised(node.summary)}.`),
    ]),
  );
}

function commandPage(node: CommandNode): SitePage {
  const { said, usage, args, options, examples } = commandParts(node);
  const isGroup = node.children.length > 0;
  const below = isGroup ? commandList(nodesOf(node).slice(1)) : "";
  const inherited = node.globalOptions.map((name) => `\`${name}\``).join(", ");
  const codes = node.exitCodes.map(({ code, meaning }) => [`${code}`, prose(meaning)]);
  const parts: readonly (readonly [heading: string, text: string])[] = [
    ["", said],
    ["Commands", below],
    ["Usage", usage],
    ["Arguments", args],
    ["Options", options],
    ["Global options", isGroup ? "" : `${inherited}. [Their meaning](/reference/#global-options).`],
    ["Examples", examples],
    ["JSON", isGroup ? "" : jsonText(node)],
    ["Exit codes", isGroup ? "" : `${table(["Code", "Meaning"], codes)}\n\n${ANY_CODE}`],
  ];
  return {
    slug: commandSlug(node),
    title: title(node),
    description: `${capitalised(node.summary)}.`,
    body: parts
      .filter(([, text]) => text !== "")
      .map(([heading, text]) => (heading === "" ? text : `## ${heading}\n\n${text}`))
      .join("\n\n"),
    isSearched: true,
  };
}

const ANY_CODE =
  "Any command can also exit with 1, 124, 130 or 143: [all codes](/reference/#exit-codes).";

function jsonText(node: CommandNode): string {
  const text = documentText(node).replaceAll("](#", "](/json/#");
  return text === "" ? "" : `\`--json\` prints: ${text}.`;
}

const commandSlug = ({ path }: CommandNode) => `commands/${path.join("-")}`;

function slugOf(path: string): string {
  return path === "README.md" ? "" : posix.basename(path, ".md").toLowerCase();
}

function linkTo(path: string): string {
  return path === "README.md" ? "/" : `/${slugOf(path)}/`;
}

/**
 * The links of a page as addresses of the site; one whose text is a file has the name of the page
 * instead. Code is left as it is.
 */
function rewritten(path: string, text: string): string {
  const parts = text.split(/(^ *```[\s\S]*?^ *```$|`[^`\n]*`)/mu);
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(LINK, withAddress))).join("");

  function withAddress(whole: string, label: string, target: string): string {
    if (/^(?:https?:|#|\/)/u.test(target)) return whole;
    const [file = "", anchor] = target.split("#");
    const found = posix.join(posix.dirname(path), file);
    const shown = /\.md$|^README$/u.test(label) ? (NAMES[found] ?? label) : label;
    return `[${shown}](${addressOf(path, found)}${anchor === undefined ? "" : `#${anchor}`})`;
  }
}

function addressOf(from: string, path: string): string {
  if (WRITTEN.includes(path)) return linkTo(path);
  if (isCopied(path)) return path.replace("docs/", "/");
  throw new Error(`${from}: ${path} is not a page of the site`);
}

/** Whether a file is on the site as it is. */
function isCopied(path: string): boolean {
  return /^docs\/(?:images\/[^/]+|[^/]+\.json)$/u.test(path);
}
