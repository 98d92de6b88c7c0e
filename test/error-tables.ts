import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** A row of a table of errors, as the source says it. */
export interface ErrorRow {
  /** The file of the table, relative to `src`. */
  readonly path: string;
  readonly name: string;
  /** The group of the table: an exit, or `unknown-outcome`. */
  readonly group: string;
  /** The text, with `<name>` for what a call adds. */
  readonly text: string;
  /** What to do, and the command that is suggested; empty where there is neither. */
  readonly remedy: string;
  /** The facts that it names. */
  readonly facts: readonly string[];
}

/** All rows of the tables of errors. */
export function errorRows(): ErrorRow[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.split("/").at(-1) === "errors.ts")
    .sort()
    .flatMap((path) => rowsOf(path, readFileSync(SRC + path, "utf8")));
}

/** What the file that is read calls a text or a command, by its name. */
const constants = new Map<string, Node>();

function rowsOf(path: string, text: string): ErrorRow[] {
  const rows: ErrorRow[] = [];
  const { program } = parseSync(path, text);
  constants.clear();
  for (const each of program.body) {
    if (each.type !== "VariableDeclaration") continue;
    for (const { id, init } of each.declarations)
      if (id.type === "Identifier" && init) constants.set(id.name, init);
  }
  new Visitor({
    CallExpression({ callee, arguments: [table] }) {
      if (callee.type !== "Identifier" || callee.name !== "errorTable") return;
      for (const [group, { value }] of properties(table)) {
        for (const [name, row] of properties(value))
          rows.push({ path, name, group, ...said(row.value) });
      }
    },
  }).visit(program);
  return rows;
}

type Node = ESTree.Expression | ESTree.Argument | ESTree.PrivateIdentifier;

function properties(node: Node | undefined): [string, ESTree.ObjectProperty][] {
  if (node?.type !== "ObjectExpression") return [];
  return node.properties.flatMap((each) => {
    if (each.type !== "Property") return [];
    const name = each.key.type === "Literal" ? each.key.value : (each.key as { name: string }).name;
    return [[String(name), each] as [string, ESTree.ObjectProperty]];
  });
}

function said(row: Node): Pick<ErrorRow, "text" | "remedy" | "facts"> {
  const facts = resultOf(row);
  if (facts.type !== "ObjectExpression") return { text: pattern(facts), remedy: "", facts: [] };
  const { text, remedy, suggestion, choices } = Object.fromEntries(properties(facts));
  const isSpread = facts.properties.some(({ type }) => type === "SpreadElement");
  const parts = [
    remedy && pattern(remedy.value),
    choices && "Choose one of the known words.",
    suggestion && commandsOf(suggestion.value),
    isSpread && !remedy && "…",
  ];
  return {
    text: text === undefined ? "…" : pattern(text.value),
    remedy: parts.filter(Boolean).join(" "),
    facts: properties(facts).map(([name]) => name),
  };
}

/** What a function returns, without the brackets around it. */
function resultOf(node: Node): Node {
  if (node.type === "ParenthesizedExpression") return resultOf(node.expression);
  if (node.type !== "ArrowFunctionExpression" || node.body === null) return node;
  const { body } = node;
  if (body.type !== "BlockStatement") return resultOf(body);
  const last = body.body.at(-1);
  return last?.type === "ReturnStatement" && last.argument ? resultOf(last.argument) : node;
}

/** A text with a placeholder for each value in it. */
function pattern(node: Node): string {
  switch (node.type) {
    case "ParenthesizedExpression":
      return pattern(node.expression);
    case "Literal":
      return String(node.value);
    case "TemplateLiteral":
      return node.quasis
        .map(({ value }, at) => {
          const { [at]: expression } = node.expressions;
          return (value.cooked ?? "") + (expression ? pattern(expression) : "");
        })
        .join("");
    case "ConditionalExpression":
      return [...new Set([pattern(node.consequent), pattern(node.alternate)])]
        .filter((one) => one !== "" && one !== "<undefined>")
        .join(" / ");
    case "LogicalExpression":
      return pattern(node.operator === "&&" ? node.right : node.left);
    case "Identifier": {
      const known = constants.get(node.name);
      if (known?.type === "Literal" || known?.type === "TemplateLiteral") return pattern(known);
      return `<${node.name
        .replaceAll(/(?<=[a-z])[A-Z]/gu, "-$&")
        .replaceAll("_", "-")
        .toLowerCase()}>`;
    }
    case "MemberExpression":
      return pattern(node.property);
    case "CallExpression": {
      const [first] = node.arguments;
      const isQuoted =
        node.callee.type === "MemberExpression" && pattern(node.callee) === "<stringify>";
      if (isQuoted && first) return `"${pattern(first)}"`;
      if (node.callee.type === "MemberExpression") return pattern(node.callee.object);
      return first ? pattern(first) : "…";
    }
    default:
      return "…";
  }
}

/** The suggested commands of an expression: `amp auth login`. */
function commandsOf(node: Node): string {
  switch (node.type) {
    case "ParenthesizedExpression":
      return commandsOf(node.expression);
    case "ConditionalExpression":
      return [node.consequent, node.alternate].map(commandsOf).filter(Boolean).join(" or ");
    case "LogicalExpression":
      return commandsOf(node.right);
    case "ArrayExpression":
      return node.elements
        .map((one) => (one ? commandsOf(one as Node) : ""))
        .filter(Boolean)
        .join(", ");
    case "CallExpression": {
      const [first] = node.arguments;
      const known = node.callee.type === "Identifier" && constants.get(node.callee.name);
      if (known) return commandsOf(resultOf(known));
      // `suggest(…).asCorrection()`
      if (first === undefined && node.callee.type === "MemberExpression")
        return commandsOf(node.callee.object);
      if (first?.type !== "Literal") return "…";
      const help = node.callee.type === "Identifier" && node.callee.name === "suggestHelp";
      return `\`amp ${first.value}${help ? " --help" : ""}\``;
    }
    case "Identifier":
      return node.name === "undefined" ? "" : "…";
    default:
      return "…";
  }
}
