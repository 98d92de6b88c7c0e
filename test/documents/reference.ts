import type { CommandNode, ParamNode } from "../../src/cli/define.ts";
import { describeParam, usageLines } from "../../src/cli/help.ts";
import { environmentVariables, exitCodes } from "../../src/cli/help-topics.ts";
import { nodesOf } from "../../src/cli/tree.ts";
import { capitalised } from "../../src/values/counted.ts";

/** The reference of all commands as a page of Markdown, with the text of `--help`. */
export function reference(root: CommandNode): string {
  return `${[
    "# Reference of amp",
    "Generated from the command tree by `npm run generate`; do not edit. The first block of a command is its usage, the last its examples.",
    contents(root),
    ...root.children.flatMap(nodesOf).map(section),
    appendix(root),
  ].join("\n\n")}\n`;
}

/** What all commands have in common: global options, variables and exit codes. */
export function appendix(root: CommandNode): string {
  return [
    `## ${EVERYWHERE}`,
    params(root.options),
    "Precedence: option, environment variable, `.amp.yaml`, profile.",
    `## ${ENVIRONMENT}`,
    table(
      ["Variable", "Meaning"],
      environmentVariables().map(([name, meaning]) => [`\`${name}\``, prose(meaning)]),
    ),
    `## ${EXIT_CODES}`,
    table(
      ["Code", "Meaning"],
      exitCodes().map(([code, meaning]) => [code, prose(meaning)]),
    ),
    "Each error has a name, too: [errors.md](errors.md).",
  ].join("\n\n");
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

/** A command as it is typed. */
export function title({ path }: CommandNode): string {
  return ["amp", ...path].join(" ");
}

function section(node: CommandNode): string {
  const { said, usage, args, options, examples } = commandParts(node);
  return [
    `${node.path.length === 1 ? "##" : "###"} ${title(node)}`,
    said,
    usage,
    labelled("Arguments", args),
    labelled("Options", options),
    examples,
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** What the page of a command has, each part as Markdown; empty where it has none. */
export function commandParts(node: CommandNode) {
  const { summary, aliases, children, args, options } = node;
  const usage = children.length > 0 ? [] : usageLines(title(node), args, options);
  const said = [
    prose(`${capitalised(summary)}.`),
    ...(node.description?.split("\n\n").map(description) ?? []),
    aliases.length > 0 && `Also: ${aliases.map((name) => `\`${name}\``).join(", ")}`,
  ];
  return {
    said: said.filter(Boolean).join("\n\n"),
    usage: code("text", usage),
    args: params(args),
    options: params(options),
    examples: code("sh", node.examples.flatMap(example)),
  };
}

/** A paragraph; indented lines become a code block below the line that introduces them. */
function description(paragraph: string): string {
  const runs = paragraph.split(/\n(?=\S)/u).flatMap((run) => {
    const [first = "", ...rest] = run.split("\n");
    const [said, shown] = /^\s/u.test(first) ? [[], [first, ...rest]] : [[prose(first)], rest];
    return [
      ...said,
      ...(shown.length === 0
        ? []
        : [
            code(
              "text",
              shown.map((line) => line.replace(/^ {2}/u, "")),
            ),
          ]),
    ];
  });
  return runs.join("\n\n");
}

function params(nodes: readonly ParamNode[]): string {
  return nodes
    .map(describeParam)
    .map(([term, explanation]) => `- \`${term}\`: ${prose(explanation)}`)
    .join("\n");
}

function example({ run, note }: CommandNode["examples"][number]): string[] {
  return note === undefined ? [run] : [`# ${note}`, run];
}

/** A table of Markdown. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = headings.map(() => "---");
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function labelled(label: string, body: string): string {
  return body === "" ? "" : `${label}:\n${body}`;
}

function code(language: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
}

/** Text of the tree with the characters escaped that Markdown would interpret. */
export function prose(text: string): string {
  return text.replace(/[\\`*[\]<|]|\b_|_\b/gu, "\\$&");
}
