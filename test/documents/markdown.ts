import type { CommandNode } from "../../src/cli/define.ts";
import { nodesOf } from "../../src/cli/tree.ts";
import { EXIT } from "../../src/errors.ts";
import { ACTIONS, KEEP_REASONS, OUTCOMES, REASONS } from "../../src/notify/plan/vocabulary.ts";
import type { CommandPath } from "../../src/values/command-paths.ts";
import { capitalised } from "../../src/values/counted.ts";
import { COMMON_EXITS } from "../exit-codes.ts";
import {
  DEFINITIONS,
  type Definition,
  DOCUMENTS,
  EXTENDED,
  isRecord,
  type SchemaName,
} from "./documents.ts";

/** `docs/json.md`: the JSON of each command, its fields, and the exit codes beside it. */
export function documentsPage(root: CommandNode): string {
  const leaves = root.children.flatMap(nodesOf).filter(({ children }) => children.length === 0);
  return `${[
    "# JSON of amp",
    "Generated from the schemas in `src/documents` by `npm run generate`; do not edit. Tests check the JSON of every command against these schemas.",
    RULES,
    "## Words",
    "`action` is what applying a plan will do to a resource:",
    meaningTable("action", ACTIONS),
    "`reason` is why an action is a conflict or unknown, or why a resource is created again:",
    meaningTable("reason", REASONS),
    "`reason` of what is `kept` is why `--prune` does not delete it:",
    meaningTable("reason", KEEP_REASONS),
    "`outcome` is the result for a resource:",
    meaningTable("outcome", OUTCOMES),
    "## Commands",
    `Every command can also end with ${COMMON_EXITS.join(", ")}. Codes without a remark are explained in the [table of exit codes](reference.md#exit-codes).`,
    table(
      ["Command", "stdout", "Exit codes"],
      leaves.map((node) => [`\`amp ${node.path.join(" ")}\``, documentText(node), exitsText(node)]),
    ),
    "With `--dry-run`, a command that writes prints a list of [unsentRequest](#unsentrequest); if the table lists a plan, it prints that plan.",
    "## Documents",
    ...(Object.keys(DEFINITIONS) as SchemaName[]).map(section),
  ].join("\n\n")}\n`;
}

const RULES = `- \`--json\` (or \`--output json\`) prints one document on stdout. A list is an array; \`--output ndjson\` prints one
  item per line, as it arrives.
- stderr is empty if the exit code is 0, and otherwise one [error](#error). (On GitHub Actions it may also have lines that
  begin with \`::add-mask::\`: see [credentials.md](credentials.md).) With \`--progress json\`, stderr is one
  document per line: [progress](#progress), and the error at the end.
- A field that is absent is unknown or does not apply. New fields and new words may be added; existing ones keep their
  meaning.
- Records of the service are printed as the service sends them, with fields that are not described here; secrets are
  redacted.
- The same as JSON Schema: [json.schema.json](json.schema.json), for example \`json.schema.json#/$defs/plan\`.`;

function exitsText({ exitCodes }: CommandNode): string {
  const common = new Set<string>(Object.values(EXIT).map(({ meaning }) => meaning));
  return exitCodes
    .map(({ code, meaning }) => (common.has(meaning) ? code : `${code} (${meaning})`))
    .join(", ");
}

/** The JSON of a command, with links to the documents of `docs/json.md`. */
export function documentText({ path }: CommandNode): string {
  const { one, list, plan, watch, other = "" } = DOCUMENTS[path.join(" ") as CommandPath];
  const link = documentLink;
  const watched = watch === undefined ? "" : `; with \`--watch\`, lines of ${link(watch)}`;
  if (list !== undefined) return `list of ${link(list)}${watched}`;
  if (one === undefined) return other;
  return [one, plan].flatMap((name) => (name === undefined ? [] : link(name))).join(", or ");
}

function documentLink(name: string): string {
  return `[${name}](#${name.toLowerCase()})`;
}

function section(name: SchemaName): string {
  const schema = DEFINITIONS[name] ?? {};
  const { base, has } = EXTENDED[name] ?? {};
  const variants = schema.oneOf ?? schema.anyOf ?? [schema];
  const tables = variants.map((one) => {
    if (one.$ref !== undefined) return typeText(one);
    const rows = table(["Field", "Type", "Meaning"], fieldRows(one, ""));
    const when = variants.length > 1 && one.description;
    return when ? `${capitalised(when)}:\n\n${rows}` : rows;
  });
  const part = has === "some" ? ", with an option for a part only those of the part," : ",";
  const extended = base && `All fields of ${documentLink(base)}${part} and:`;
  const note = extended ?? (isRecord(name) ? RECORD_NOTE : undefined);
  return [`### ${name}`, ...(note === undefined ? [] : [note]), ...tables].join("\n\n");
}

const RECORD_NOTE = "A record of the service; `amp explain` also shows the source of each field.";

/** The rows of the fields of a schema, and of those inside them. */
function fieldRows({ properties = {}, required = [] }: Definition, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const mark = required.includes(name) ? "" : "?";
    const row = [`\`${path}\`${mark}`, typeText(field), meaningText(field)];
    const inner = field.items ?? field;
    // A field of the document that this one extends.
    if (field.$ref?.includes("/properties/")) return [];
    // The records of the service are described in its own documentation.
    if (prefix.split(/\W+/u).length > 3 || isNullable(field)) return [row];
    return [row, ...fieldRows(inner, `${path}${field.items ? "[]." : "."}`)];
  });
}

function typeText(field: Definition): string {
  const { type, items, enum: values, const: value, anyOf, $ref } = field;
  if ($ref !== undefined) return documentLink($ref.replace("#/$defs/", ""));
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values !== undefined) return values.map((one) => `\`${String(one)}\``).join(", ");
  if (items !== undefined)
    return `list of ${typeText(items)}${isNullable(field) ? " or null" : ""}`;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(" or ");
  return [type ?? "any"].flat().join(" or ");
}

/** Whether it may be null, as most fields of records. */
function isNullable({ type }: Definition): boolean {
  return Array.isArray(type);
}

function meaningText({ description = "", meanings = {} }: Definition): string {
  const isNamed = Object.keys(meanings).length > 0 && !isVocabulary(meanings);
  const all = isNamed
    ? Object.entries(meanings).map(([word, meaning]) => `\`${word}\`: ${meaning}`)
    : [];
  return [description, ...all].filter(Boolean).join("; ");
}

function isVocabulary(meanings: object): boolean {
  return [ACTIONS, REASONS, KEEP_REASONS, OUTCOMES].some((known) =>
    Object.keys(meanings).every((word) => Object.hasOwn(known, word)),
  );
}

function meaningTable(what: string, meanings: Readonly<Record<string, string>>): string {
  return table(
    [what, "Meaning"],
    Object.entries(meanings).map(([word, meaning]) => [`\`${word}\``, meaning]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
