import type { CST, Document, ErrorCode } from "yaml";
import { UsageError } from "../../errors.ts";
import type { FileIssues } from "./issues.ts";

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
const MAX_TOKENS = 200_000;

/** The limit of nested collections; the parser counts some of them twice. */
const MAX_PARSER_DEPTH = 128;

/**
 * The text without its byte order mark.
 * @throws {UsageError} where it cannot be a routing file
 */
export function decodedText(text: string, path: string): string {
  if (Buffer.byteLength(text) > MAX_MB * 1024 * 1024) {
    throw new UsageError(`${path} is larger than ${MAX_MB} MB: not a routing file`);
  }
  if (isUtf16(text)) {
    throw new UsageError(`${path} is written in UTF-16`, { remedy: "Save it as UTF-8." });
  }
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Whether a text is UTF-16 that was read as UTF-8: every second byte is then mostly NUL. */
function isUtf16(text: string): boolean {
  if (!text.includes("\0")) return false;
  const start = text.slice(0, 200);
  return start.split("\0").length - 1 >= start.length / 4;
}

/** Reports characters that a text file cannot have. */
export function checkCharacters(text: string, issues: FileIssues): void {
  const nul = text.indexOf("\0");
  if (nul >= 0) issues.error(nul, "NUL character: the file is not text");
  const undecoded = text.indexOf(UNDECODED);
  if (undecoded >= 0) issues.error(undecoded, "the file is not UTF-8: save it as UTF-8");
}

/**
 * Parses YAML, and JSON with it, with limits on size and tags.
 * @returns undefined where it could not be parsed, which is among the issues then
 */
export function parseYaml(yaml: Yaml, text: string, issues: FileIssues): Document | undefined {
  const tokens = tokensOf(yaml, text, issues);
  if (tokens === undefined) return undefined;
  const composer = new yaml.Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    // The parser's check takes quadratic time; `yamlTree` makes its own.
    uniqueKeys: false,
    // `yamlTree` refuses tags that JSON has no value for.
    resolveKnownTags: false,
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return undefined;
  const lines = new Set<number>();
  for (const { code, pos } of document.errors) {
    const [at] = pos;
    const line = text.lastIndexOf("\n", at - 1);
    // A further error of one line mostly follows from the first.
    if (!lines.has(line)) issues.error(at, MESSAGES[code]);
    lines.add(line);
  }
  if (second !== undefined) issues.error(second.range[0], MESSAGES.MULTIPLE_DOCS);
  return document.errors.length === 0 && second === undefined ? document : undefined;
}

/** Yields the tokens one by one, so that too many or too deep ones end the parsing early. */
function tokensOf({ Lexer, Parser }: Yaml, text: string, issues: FileIssues) {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const at = parser.offset;
    for (const token of parser.next(lexeme)) tokens.push(token);
    count += 1;
    if (count > MAX_TOKENS) {
      issues.error(at, "the file is too long: split it into several");
      return undefined;
    }
    if (parser.stack.length > MAX_PARSER_DEPTH) {
      issues.error(at, MESSAGES.RESOURCE_EXHAUSTION);
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** The messages for the parser's errors: its own quote the text, which may be a secret. */
const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) cannot have an anchor or a tag",
  BAD_ALIAS: "an anchor (&name) or alias (*name) needs a name",
  BAD_COLLECTION_TYPE: "the tag (!) does not fit its value: remove it",
  BAD_DIRECTIVE: "unknown directive (%): remove the line",
  BAD_DQ_ESCAPE: "unknown escape: write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "wrong indentation: align the line with those that it belongs to",
  BAD_PROP_ORDER: "an anchor or a tag must be before its value, after the - or :",
  BAD_SCALAR_START: "a value cannot begin with this character: put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a key with a value is not allowed here: check the indentation, or use quotes",
  BLOCK_IN_FLOW: "use brackets inside brackets: [a, b] or {key: value}",
  DUPLICATE_KEY: "duplicate key",
  IMPOSSIBLE: "not valid YAML",
  KEY_OVER_1024_CHARS: "the key is too long",
  MISSING_CHAR: "a closing quote, a comma, a colon or a space is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line, with its colon",
  MULTIPLE_ANCHORS: "a value can have only one anchor (&name)",
  MULTIPLE_DOCS: "a second document begins here: the file must be one document",
  MULTIPLE_TAGS: "a value can have only one tag (!)",
  NON_STRING_KEY: "a key must be text",
  RESOURCE_EXHAUSTION: "too many levels of nesting",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  TAG_RESOLVE_FAILED: "unknown tag (!): remove it",
  UNEXPECTED_TOKEN: "unexpected text: look for a missing quote, colon or bracket before it",
};
