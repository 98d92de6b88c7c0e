import { EXIT } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import type { CommandNode, ParamNode } from "./command-node.ts";
import { describeParam, usageLine } from "./help.ts";
import { nodesOf } from "./tree.ts";

/** Every command in one page of Markdown: what `--help` says, to be read and searched at leisure. */
export function reference(root: CommandNode): string {
  const sections = root.children.flatMap(nodesOf);
  return `${[
    "# Reference of amp",
    "Generated from the command tree by `npm run generate`; do not edit.",
    contents(root),
    ...sections.map((node) => (node.children.length > 0 ? group(node) : command(node))),
    `## ${EVERYWHERE}`,
    params(root.options),
    "Precedence: option, environment variable, `.amp.yaml`, profile.",
    `## ${ENVIRONMENT}`,
    table(["Variable", "Meaning"], environment()),
    `## ${EXIT_CODES}`,
    table(["Code", "Meaning"], exitCodes()),
  ].join("\n\n")}\n`;
}

const EVERYWHERE = "Global options";
const ENVIRONMENT = "Environment";
const EXIT_CODES = "Exit codes";

function contents(root: CommandNode): string {
  const entries = root.children.flatMap(nodesOf).map((node) => {
    const indent = "  ".repeat(node.path.length - 1);
    return `${indent}- ${link(title(node))}: ${prose(node.summary)}`;
  });
  const appendix = [EVERYWHERE, ENVIRONMENT, EXIT_CODES].map((heading) => `- ${link(heading)}`);
  return [...entries, ...appendix].join("\n");
}

/** Anchors as GitHub makes them. */
function link(heading: string): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\w -]/gu, "")
    .replaceAll(" ", "-");
  return `[${heading}](#${anchor})`;
}

function title({ path }: CommandNode): string {
  return ["amp", ...path].join(" ");
}

function group(node: CommandNode): string {
  const commands = node.children.map((child) => `- ${link(title(child))}: ${prose(child.summary)}`);
  return paragraphs(heading(node), sentence(node.summary), alias(node), commands.join("\n"));
}

function command(node: CommandNode): string {
  return paragraphs(
    heading(node),
    sentence(node.summary),
    ...(node.description?.split("\n\n").map(description) ?? []),
    alias(node),
    labelled("Usage", code("text", [usageLine(title(node), node.args, node.options)])),
    labelled("Arguments", params(node.args)),
    labelled("Options", params(node.options)),
    labelled("Examples", code("sh", node.examples.flatMap(example))),
  );
}

/** A paragraph, or with lines that are set in: those as they are, below what introduces them. */
function description(paragraph: string): string {
  const runs = paragraph.split(/\n(?=\S)/u).flatMap((run) => {
    const [first = "", ...rest] = run.split("\n");
    const [said, shown] = /^\s/u.test(first) ? [[], [first, ...rest]] : [[prose(first)], rest];
    return [...said, ...(shown.length === 0 ? [] : [code("text", shown.map(setOut))])];
  });
  return runs.join("\n\n");
}

function setOut(line: string): string {
  return line.replace(/^ {2}/u, "");
}

function heading(node: CommandNode): string {
  return `${node.path.length === 1 ? "##" : "###"} ${title(node)}`;
}

function alias({ aliases }: CommandNode): string | undefined {
  return aliases.length === 0
    ? undefined
    : `Also: ${aliases.map((name) => `\`${name}\``).join(", ")}`;
}

function params(nodes: readonly ParamNode[]): string {
  return nodes
    .map((node) => {
      const [term, explanation] = describeParam(node);
      return `- \`${term}\`: ${prose(explanation)}`;
    })
    .join("\n");
}

function example({ run, note }: CommandNode["examples"][number]): string[] {
  return note === undefined ? [run] : [`# ${note}`, run];
}

function environment(): string[][] {
  return Object.values(SETTINGS).flatMap((setting) =>
    "env" in setting ? [[`\`${setting.env}\``, prose(setting.summary)]] : [],
  );
}

function exitCodes(): string[][] {
  return Object.values(EXIT).map(({ code, meaning }) => [String(code), prose(meaning)]);
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = headings.map(() => "---");
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function labelled(label: string, body: string): string {
  return body === "" ? "" : `${label}:\n\n${body}`;
}

function code(language: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
}

function sentence(summary: string): string {
  return prose(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
}

/** Text of the tree is no Markdown: what would be read as such is escaped. */
function prose(text: string): string {
  return text.replace(/[\\`*[\]<|]|\b_|_\b/gu, "\\$&");
}

function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
