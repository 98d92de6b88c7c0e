import type { CST, Document, ErrorCode, YAMLParseError } from "yaml";
import { inputErrors } from "../../values/errors.ts";
import { routingErrors } from "../errors.ts";
import { collectIssues, type FileIssues } from "./issues.ts";
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

interface SyntaxIssue {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
}

/**
 * The errors of a text that cannot be parsed: what is not closed, and of the parser's own errors
 * those that do not follow from an earlier one.
 */
function syntaxIssues(
  text: string,
  errors: readonly Pick<YAMLParseError, "code" | "message" | "pos">[],
  open: readonly OpenPart[],
): readonly SyntaxIssue[] {
  const space = errors.length === 0 ? null : ODD_INDENT.exec(text);
  const tab = errors.findIndex(({ code }) => code === "TAB_AS_INDENT");
  if (space) return [{ at: space.index + (space[1]?.length ?? 0), message: ODD_INDENT_MESSAGE }];
  const found: SyntaxIssue[] = open.flatMap(({ at, message }) =>
    message === undefined ? [] : { at, message },
  );
  const lines = new Set(open.map(({ at }) => lineStart(text, at)));
  let lost = -1;
  // The lines around a tab do not fit each other, for it has no width.
  for (const { code, message, pos } of tab < 0 ? errors : errors.slice(tab)) {
    const [at, end] = pos;
    const isExplained = open.some((part) => at >= part.at && at <= part.end);
    const line = lineStart(text, at);
    // A further error of one line mostly follows from the first, and so does each error in a key
    // that the parser reads across lines.
    if (isExplained || lines.has(line) || at <= lost) continue;
    lines.add(line);
    if (code === "MULTILINE_IMPLICIT_KEY") lost = lineEnd(text, end);
    // After text that fits nowhere, or a tab, the parser does not find its way back.
    if (code === "UNEXPECTED_TOKEN" || code === "TAB_AS_INDENT") lost = text.length;
    found.push({ at: shownAt(text, at, code), message: messageOf(text, at, code, message) });
  }
  return found;
}

/** White space before a line's text that is neither a space nor a tab: YAML takes it for text. */
const ODD_INDENT = /^([ \t]*)[^\S \t\r\n]/mu;
const ODD_INDENT_MESSAGE = "indent with ordinary spaces: this is another kind (a no-break space?)";

function messageOf(text: string, at: number, code: ErrorCode, said: string): string {
  const before = text.slice(lineStart(text, at), at);
  const after = text.slice(at, lineEnd(text, at));
  if (code === "MISSING_CHAR") {
    return MISSING.find(([pattern]) => pattern.test(said))?.[1] ?? MESSAGES.MISSING_CHAR;
  }
  if (code === "MULTILINE_IMPLICIT_KEY") {
    return /^[\w$-]+:\S/u.test(after)
      ? "a space is missing after the colon: write key: value"
      : "a colon is missing on this line: write key: value";
  }
  if (code === "BLOCK_AS_IMPLICIT_KEY" && /:\s/u.test(before) && /:(?:\s|$)/u.test(after)) {
    return "the value has a colon and a space: put it in quotes";
  }
  if (code === "BLOCK_IN_FLOW" && !after.startsWith("-")) {
    return "a comma is missing after this value";
  }
  return MESSAGES[code];
}

/** The parser reports a wrong indentation at the margin; the text of the line is easier to see. */
function shownAt(text: string, at: number, code: ErrorCode): number {
  const indent = code === "BAD_INDENT" ? /^ +(?=\S)/u.exec(text.slice(at)) : null;
  return at + (indent?.[0].length ?? 0);
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The missing part, by the words of the parser, which are never shown. */
const MISSING: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^Missing , (?:or : )?between/u, "a comma is missing before this value"],
  [/^Missing space after :/u, "a space is missing after the colon"],
  [/^Implicit map keys need/u, "a colon is missing after this key: write key: value"],
  [/^Sequence item without -/u, 'each value of this list must begin with "- "'],
  [/^Comments must be/u, "a space is missing before # (or put the value in quotes)"],
  [/directives-end/u, "remove the line that begins with %, which a routing file does not need"],
];

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

const SECOND_DOCUMENT = MESSAGES.MULTIPLE_DOCS;

/** The message for collections that are nested too deeply. */
const DEPTH_MESSAGE = MESSAGES.RESOURCE_EXHAUSTION;

/** A part of a text that the parser cannot read, because a bracket or a quote is wrong. */
interface OpenPart {
  /** The offset of the bracket or quote. */
  readonly at: number;
  /** The offset up to which the parser's own errors only follow from this one. */
  readonly end: number;
  /** Absent where this only follows from another part. */
  readonly message?: string;
}

const CLOSING = { "[": "]", "{": "}" } as const;

type Opening = keyof typeof CLOSING;

interface Bracket {
  readonly at: number;
  readonly opening: Opening;
}

/** The lexer's mark before a plain scalar, whose text may be a bracket, too. */
const SCALAR_MARK = "\u001F";

/** The lexer's mark where a line is indented less than the brackets that are open need. */
const INDENT_MARK = "\u0018";

/**
 * Finds brackets and quotes that are not closed: the parser reports them where it gives up, which
 * is a line or the whole file later.
 * @param text the whole text
 */
function openPartsOf(text: string) {
  const found: OpenPart[] = [];
  const open: Bracket[] = [];
  /** The offsets of quotes that are not closed: what would close a bracket is behind them. */
  const quotes: number[] = [];
  let isScalar = false;

  /** All brackets that are open where reading them ended. */
  const giveUp = (at: number) => {
    for (const bracket of open.splice(0)) {
      const isInQuote = quotes.some((quote) => quote > bracket.at);
      found.push({ at: bracket.at, end: at, ...(isInQuote ? {} : { message: unclosed(bracket) }) });
    }
  };
  /** The line is indented too little, unless its brackets are closed by no line. */
  const indentEnds = (at: number) => {
    const [inner] = open.slice(-1);
    const bracket = /[[\]{}]/u.exec(text.slice(at))?.[0];
    if (inner === undefined || bracket !== CLOSING[inner.opening]) return giveUp(at);
    open.length = 0;
    const line = lineOf(text, inner.at);
    const message = `indent this line further than line ${line}, where the "${inner.opening}" before it opens`;
    found.push({ at: firstOfLine(text, at), end: text.length, message });
  };
  const close = (closing: string, at: number) => {
    const last = open.pop();
    if (last && CLOSING[last.opening] === closing) return;
    if (last === undefined) {
      const message = `"${closing}" has no opening bracket: remove it`;
      found.push({ at, end: text.length, message });
    } else if (CLOSING[open.at(-1)?.opening ?? last.opening] === closing) {
      // Of `{ a: [b }` the inner bracket is the one that is not closed.
      open.pop();
      found.push({ at: last.at, end: endOfEntry(text, at), message: unclosed(last) });
    } else {
      const message = `"${closing}" cannot close the "${last.opening}" of line ${lineOf(text, last.at)}: write "${CLOSING[last.opening]}"`;
      found.push({ at, end: at + 1, message });
    }
  };

  return {
    /** Takes the next lexeme, which begins at an offset. */
    next(lexeme: string, at: number): void {
      const wasScalar = isScalar;
      isScalar = lexeme === SCALAR_MARK;
      if (wasScalar) return;
      if (lexeme === "[" || lexeme === "{") open.push({ at, opening: lexeme });
      else if (lexeme === "]" || lexeme === "}") close(lexeme, at);
      else if (lexeme === INDENT_MARK) indentEnds(at);
      else if (isUnclosedQuote(lexeme)) {
        quotes.push(at);
        found.push({ at, end: at + lexeme.length, message: unclosedQuote(lexeme) });
      }
    },
    end(): readonly OpenPart[] {
      giveUp(text.length);
      return found;
    },
  };
}

function unclosed({ opening }: Bracket): string {
  return `this "${opening}" is not closed: add "${CLOSING[opening]}" after its last value`;
}

function unclosedQuote(lexeme: string): string {
  return `this quote (${lexeme.charAt(0)}) is not closed: add another at the end of the value`;
}

function isUnclosedQuote(lexeme: string): boolean {
  if (lexeme.startsWith("'")) return !/^'(?:[^']|'')*'$/u.test(lexeme);
  return lexeme.startsWith('"') && !/^"(?:[^"\\]|\\[\s\S])*"$/u.test(lexeme);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function firstOfLine(text: string, at: number): number {
  return at + (/^\s*/u.exec(text.slice(at))?.[0].length ?? 0);
}

/** The parser stays inside the brackets until a line that begins at the margin. */
function endOfEntry(text: string, at: number): number {
  const next = text.slice(at).search(/\n\S/u);
  return next < 0 ? text.length : at + next;
}
