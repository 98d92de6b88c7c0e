import type { CST, Document, ErrorCode } from "yaml";
import { UsageError } from "../../errors.ts";
import type { FileIssues } from "./issues.ts";

const MAX_MB = 10;

/** What some editors begin a file with. */
const BYTE_ORDER_MARK = "\uFEFF";

/** What a decoder puts where bytes are no UTF-8. */
const UNDECODED = "\uFFFD";

/**
 * The text without its byte order mark.
 * @throws {UsageError} for what is no routing file at all
 */
export function decodedText(text: string, path: string): string {
  if (Buffer.byteLength(text) > MAX_MB * 1024 * 1024) {
    throw new UsageError(`${path} is larger than ${MAX_MB} MB: that is no routing file`);
  }
  if (isUtf16(text)) {
    throw new UsageError(`${path} is written in UTF-16`, { remedy: "Save it as UTF-8." });
  }
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Read as UTF-8, every second byte of a text of UTF-16 is mostly NUL. */
function isUtf16(text: string): boolean {
  if (!text.includes("\0")) return false;
  const start = text.slice(0, 200);
  return start.split("\0").length - 1 >= start.length / 4;
}

/** Characters that no text holds. */
export function checkCharacters(text: string, problems: FileIssues): void {
  const nul = text.indexOf("\0");
  if (nul >= 0) problems.error(nul, "here stands a NUL: this is no text file");
  const undecoded = text.indexOf(UNDECODED);
  if (undecoded >= 0) {
    problems.error(undecoded, "here stands something that is no UTF-8: save the file as UTF-8");
  }
}

type Yaml = typeof import("yaml");

/** A file of 1,000 routes has some 8,000. Bounds the time: 10 MB of them would take minutes. */
const MAX_TOKENS = 200_000;

/** Collections within collections; the parser counts some of them twice. */
const MAX_PARSER_DEPTH = 128;

/**
 * Parses YAML, and JSON with it, without trust in what it is given.
 * @returns undefined where it could not be parsed, which the problems tell
 */
export function parseYaml(yaml: Yaml, text: string, problems: FileIssues): Document | undefined {
  const tokens = tokensOf(yaml, text, problems);
  if (tokens === undefined) return undefined;
  const composer = new yaml.Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    // Its check takes the square of the keys; `treeOf` makes its own.
    uniqueKeys: false,
    // `treeOf` refuses what no plain JSON is.
    resolveKnownTags: false,
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return undefined;
  const lines = new Set<number>();
  for (const { code, pos } of document.errors) {
    const [at] = pos;
    const line = text.lastIndexOf("\n", at - 1);
    // What follows on the same line mostly follows from it.
    if (!lines.has(line)) problems.error(at, MESSAGES[code]);
    lines.add(line);
  }
  if (second !== undefined) {
    problems.error(second.range[0], "a second document begins here: put everything into one");
  }
  return document.errors.length === 0 && second === undefined ? document : undefined;
}

/** The tokens one by one, so that too many and too deep ones end it early. */
function tokensOf({ Lexer, Parser }: Yaml, text: string, problems: FileIssues) {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const at = parser.offset;
    for (const token of parser.next(lexeme)) tokens.push(token);
    count += 1;
    if (count > MAX_TOKENS) {
      problems.error(at, "there is too much in this file: split it into several");
      return undefined;
    }
    if (parser.stack.length > MAX_PARSER_DEPTH) {
      problems.error(at, "this is nested too deeply");
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** In words of our own: those of the parser quote the text, which may be a secret. */
const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) can have no anchor or tag of its own",
  BAD_ALIAS: "an anchor (&name) or alias (*name) needs a name",
  BAD_DIRECTIVE: "this directive (%) is not known: remove the line",
  BAD_DQ_ESCAPE: "this escape does not exist: write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "the indentation does not fit: align it with the lines that it belongs to",
  BAD_PROP_ORDER: "an anchor or tag stands before its value, after the - or :",
  BAD_SCALAR_START: "a value cannot begin so: put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a key with a value cannot stand here: mind the indentation, or use quotes",
  BLOCK_IN_FLOW: "within brackets everything stands in brackets: write [a, b] or {key: value}",
  DUPLICATE_KEY: "this key stands here twice: keep one",
  IMPOSSIBLE: "this cannot be read as YAML",
  KEY_OVER_1024_CHARS: "this key is too long",
  MISSING_CHAR: "something is missing here: a closing quote, a comma, a colon or a space",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line, with its colon",
  MULTIPLE_ANCHORS: "a value can have one anchor (&name) only",
  MULTIPLE_DOCS: "a second document begins here: put everything into one",
  MULTIPLE_TAGS: "a value can have one tag (!) only",
  NON_STRING_KEY: "a key must be text",
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  TAG_RESOLVE_FAILED: "this tag (!) is not known: remove it",
  UNEXPECTED_TOKEN:
    "this does not belong here: look for a missing quote, colon or bracket before it",
  BAD_COLLECTION_TYPE: "this tag (!) does not fit its value: remove it",
};
