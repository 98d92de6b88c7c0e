import type { CST, Document } from "yaml";
import { inputErrors } from "../../values/errors.ts";
import { routingErrors } from "../errors.ts";
import { collectIssues, type FileIssues } from "./issues.ts";
import {
  DEPTH_MESSAGE,
  type OpenPart,
  openPartsOf,
  SECOND_DOCUMENT,
  syntaxIssues,
} from "./yaml-errors.ts";
import { type YamlTree, yamlTree } from "./yaml-tree.ts";

type Yaml = typeof import("yaml");

const MAX_MB = 10;

/** The byte order mark, with which some editors begin a file. */
const BYTE_ORDER_MARK = "\uFEFF";

/** The character that a decoder writes for bytes that are not UTF-8. */
const UNDECODED = "\uFFFD";

/**
 * The limit of tokens, which bounds the time: 10 MB of them would take minutes. A file of 1,000
 * routes has some 8,000.
 */
const MAX_TOKENS = 600_000;

/** The limit of nested collections; the parser counts some of them twice. */
const MAX_PARSER_DEPTH = 128;

/** A text that is valid YAML, and where its further issues are collected. */
interface ReadYaml {
  readonly tree: YamlTree;
  readonly issues: FileIssues;
}

/**
 * Reads YAML, and JSON with it.
 * @param path for messages
 * @throws {UsageError} with line and column of each error, where it cannot be parsed
 */
export async function readYaml(text: string, path: string): Promise<ReadYaml> {
  const source = decodedText(text, path);
  const issues = collectIssues(source, path);
  checkCharacters(source, issues);
  issues.check();
  const yaml = await import("yaml");
  const document = parseYaml(yaml, source, issues);
  const tree = document === undefined ? undefined : yamlTree(yaml, document, issues);
  return tree === undefined ? issues.fail() : { tree, issues };
}

/**
 * The text without its byte order mark.
 * @throws {UsageError} where it cannot be a routing file
 */
function decodedText(text: string, path: string): string {
  if (Buffer.byteLength(text) > MAX_MB * 1024 * 1024) {
    throw inputErrors.file_too_large(path, `${MAX_MB} MB: not a routing file`);
  }
  if (isUtf16(text)) throw routingErrors.routing_file_utf16(path);
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Whether a text is UTF-16 that was read as UTF-8: every second byte is then mostly NUL. */
function isUtf16(text: string): boolean {
  if (!text.includes("\0")) return false;
  const start = text.slice(0, 200);
  return start.split("\0").length - 1 >= start.length / 4;
}

function checkCharacters(text: string, issues: FileIssues): void {
  const nul = text.indexOf("\0");
  if (nul >= 0) issues.error(nul, "NUL character: the file is not text");
  const undecoded = text.indexOf(UNDECODED);
  if (undecoded >= 0) issues.error(undecoded, "the file is not UTF-8: save it as UTF-8");
  const conflict = text.search(/^(?:<{7}|={7}|>{7})(?:\s|$)/mu);
  if (conflict >= 0) {
    issues.error(
      conflict,
      "unresolved merge conflict: keep one side, and remove <<<<<<<, =======, >>>>>>>",
    );
  }
}

/**
 * Parses with limits on size and tags.
 * @returns undefined where it could not be parsed, which is among the issues then
 */
function parseYaml(yaml: Yaml, text: string, issues: FileIssues): Document | undefined {
  const read = tokensOf(yaml, text, issues);
  if (read === undefined) return undefined;
  const composer = new yaml.Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    // The parser's check takes quadratic time; `yamlTree` makes its own.
    uniqueKeys: false,
    // `yamlTree` refuses tags that JSON has no value for.
    resolveKnownTags: false,
  });
  const [document, second] = [...composer.compose(read.tokens, true, text.length)];
  if (document === undefined) return undefined;
  for (const { at, message } of syntaxIssues(text, document.errors, read.open)) {
    issues.error(at, message);
  }
  if (second !== undefined) issues.error(second.range[0], SECOND_DOCUMENT);
  return document.errors.length === 0 && second === undefined ? document : undefined;
}

/** Yields the tokens one by one, so that too many or too deep ones end the parsing early. */
function tokensOf(
  { Lexer, Parser }: Yaml,
  text: string,
  issues: FileIssues,
): { readonly tokens: readonly CST.Token[]; readonly open: readonly OpenPart[] } | undefined {
  const parser = new Parser();
  const open = openPartsOf(text);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const at = parser.offset;
    open.next(lexeme, at);
    for (const token of parser.next(lexeme)) tokens.push(token);
    count += 1;
    if (count > MAX_TOKENS) {
      issues.error(at, "the file is too long: split it into several");
      return undefined;
    }
    if (parser.stack.length > MAX_PARSER_DEPTH) {
      issues.error(at, DEPTH_MESSAGE);
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, open: open.end() };
}
