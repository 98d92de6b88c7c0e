/** A part of a text that the parser cannot read, because a bracket or a quote is wrong. */
export interface OpenPart {
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
 * Finds brackets and quotes that are not closed: the parser reports them where it gives up, which is
 * a line or the whole file later.
 * @param text the whole text
 */
export function openPartsOf(text: string): {
  /** Takes the next lexeme, which begins at an offset. */
  next(lexeme: string, at: number): void;
  end(): readonly OpenPart[];
} {
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
    if (last === undefined) {
      found.push({
        at,
        end: text.length,
        message: `"${closing}" has no opening bracket: remove it`,
      });
    } else if (CLOSING[last.opening] !== closing) {
      // Of `{ a: [b }` the inner bracket is the one that is not closed.
      const [outer] = open.slice(-1);
      if (outer !== undefined && CLOSING[outer.opening] === closing) {
        open.pop();
        found.push({ at: last.at, end: endOfEntry(text, at), message: unclosed(last) });
      } else {
        const message = `"${closing}" cannot close the "${last.opening}" of line ${lineOf(text, last.at)}: write "${CLOSING[last.opening]}"`;
        found.push({ at, end: at + 1, message });
      }
    }
  };

  return {
    next(lexeme, at) {
      const wasScalar = isScalar;
      isScalar = lexeme === SCALAR_MARK;
      if (wasScalar) return;
      if (lexeme === "[" || lexeme === "{") open.push({ at, opening: lexeme });
      else if (lexeme === "]" || lexeme === "}") close(lexeme, at);
      else if (lexeme === INDENT_MARK) indentEnds(at);
      else if (isUnclosedQuote(lexeme)) {
        quotes.push(at);
        const message = `this quote (${lexeme.charAt(0)}) is not closed: add another at the end of the value`;
        found.push({ at, end: at + lexeme.length, message });
      }
    },
    end() {
      giveUp(text.length);
      return found;
    },
  };
}

function unclosed({ opening }: Bracket): string {
  return `this "${opening}" is not closed: add "${CLOSING[opening]}" after its last value`;
}

function isUnclosedQuote(lexeme: string): boolean {
  if (lexeme.startsWith("'")) return !/^'(?:[^']|'')*'$/u.test(lexeme);
  return lexeme.startsWith('"') && !/^"(?:[^"\\]|\\[\s\S])*"$/u.test(lexeme);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** The first character of the line that is not a space. */
function firstOfLine(text: string, at: number): number {
  return at + (/^\s*/u.exec(text.slice(at))?.[0].length ?? 0);
}

/** The parser stays inside the brackets until a line that begins at the margin. */
function endOfEntry(text: string, at: number): number {
  const next = text.slice(at).search(/\n\S/u);
  return next < 0 ? text.length : at + next;
}
