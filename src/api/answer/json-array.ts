import { utf8Text } from "../../values/basics.ts";
import { sizeText } from "../../values/counted.ts";
import { jsonProblem, parseJson } from "../../values/json.ts";

/** The text is not a complete JSON array. All records before the flaw were yielded. */
export class JsonArrayError extends Error {
  override readonly name = "JsonArrayError";
  /** The first missing record; 1 is the first of all. */
  readonly record: number;
  /** The bytes before the flaw: before the invalid record, or before the end. */
  readonly offset: number;

  constructor(what: string, record: number, offset: number) {
    super(`${what} (record ${record}, byte ${offset})`);
    this.record = record;
    this.offset = offset;
  }
}

/**
 * The size of a batch: a number of records, or the bytes that the last one exceeds. V8 frees longer
 * texts late: with 256 kB the whole program took 220 MB in place of 150, and no less time.
 */
const BATCH = { records: 200, bytes: 60 * 1024, maxRecord: Number.POSITIVE_INFINITY };
type Sizes = Readonly<typeof BATCH>;

/**
 * The records of a top-level JSON array, parsed, in batches as its bytes arrive. Only one batch is
 * held in memory, whatever the length of the array.
 * @param sizes `maxRecord`: the maximum bytes of one record
 * @throws {JsonArrayError}
 */
export async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  sizes: Partial<Sizes> = {},
): AsyncGenerator<unknown[], void, undefined> {
  const splitter = new Splitter({ ...BATCH, ...sizes });
  try {
    for await (const chunk of chunks) yield* splitter.take(chunk);
  } catch (error) {
    // No more bytes come; the complete records are valid.
    if (!(error instanceof JsonArrayError)) yield* splitter.left();
    throw error;
  }
  yield* splitter.end();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = new Set<number | undefined>([0x20, 0x09, 0x0a, 0x0d]);
const BOM = [0xef, 0xbb, 0xbf] as const;

/** Splits the bytes at the commas of the array; `JSON.parse` checks the text between as it would the whole. */
class Splitter {
  readonly #batch: Sizes;
  /** The byte order mark is skipped here at the start; anywhere else it is part of the text. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  #phase: "before" | "inside" | "behind" = "before";
  /** The bytes that are not handed over yet, and room for more. */
  #bytes = new Uint8Array(4 * BATCH.bytes);
  #length = 0;
  /** The number of bytes that were dropped before these. */
  #dropped = 0;
  /** The next byte to scan; one behind the last if an escape is cut there. */
  #at = 0;
  #depth = 0;
  #isInString = false;
  /** The position of the bracket or comma before the batch, and those of the commas in it. */
  #start = 0;
  #commas: number[] = [];
  /** The number of records that were handed over. */
  #records = 0;

  constructor(batch: Sizes) {
    this.#batch = batch;
  }

  *take(chunk: Uint8Array): Generator<unknown[]> {
    this.#append(chunk);
    if (this.#phase === "before") this.#enter();
    if (this.#phase === "inside") yield* this.#cut();
    yield* this.#checkSize();
    if (this.#phase === "behind" && this.#skipSpace() < this.#length) {
      throw this.#error("continues after its end", this.#records + 1, this.#at);
    }
  }

  /** @throws {JsonArrayError} if a record, with the blanks before it, is too large to wait for */
  *#checkSize(): Generator<unknown[]> {
    const { maxRecord } = this.#batch;
    const from = this.#phase === "inside" ? (this.#commas.at(-1) ?? this.#start) : this.#at;
    if (this.#length - from <= maxRecord) return;
    const record = this.#records + this.#commas.length + 1;
    yield* this.left();
    throw this.#error(`has a record larger than ${sizeText(maxRecord)}`, record, from);
  }

  *end(): Generator<unknown[]> {
    if (this.#phase === "behind") return;
    if (this.#phase === "before") throw this.#error("is empty", 1, this.#length);
    yield* this.left();
    throw this.#error("is truncated", this.#records + 1, this.#length);
  }

  /** The complete records that were not handed over because more were to come. */
  *left(): Generator<unknown[]> {
    if (this.#phase !== "inside") return;
    // Only a closing brace proves that the last record is complete: a number may go on.
    const isWhole =
      this.#depth === 1 && !this.#isInString && this.#bytes[this.#length - 1] === CLOSE_BRACE;
    const { good } = this.#sift(isWhole ? [...this.#commas, this.#length] : this.#commas);
    this.#records += good.length;
    if (good.length > 0) yield good;
  }

  #append(chunk: Uint8Array): void {
    const done = this.#phase === "inside" ? this.#start : this.#at;
    const kept = this.#length - done;
    // One byte more, because a bracket may be set behind the end.
    const needed = kept + chunk.length + 1;
    const target = needed > this.#bytes.length ? new Uint8Array(2 * needed) : this.#bytes;
    if (target !== this.#bytes) target.set(this.#bytes.subarray(done, this.#length));
    else if (done > 0) target.copyWithin(0, done, this.#length);
    target.set(chunk, kept);
    this.#bytes = target;
    this.#length = kept + chunk.length;
    this.#dropped += done;
    this.#at -= done;
    this.#start -= done;
    this.#commas = this.#commas.map((comma) => comma - done);
  }

  #enter(): void {
    const isFirst = this.#dropped + this.#at === 0;
    if (isFirst && this.#bytes[0] === BOM[0]) {
      if (this.#length < BOM.length) return;
      if (BOM.every((byte, index) => byte === this.#bytes[index])) this.#at = BOM.length;
    }
    if (this.#skipSpace() >= this.#length) return;
    if (this.#bytes[this.#at] !== OPEN) throw this.#error("is not a JSON array", 1, this.#at);
    this.#phase = "inside";
    this.#start = this.#at;
    this.#depth = 1;
    this.#at += 1;
  }

  *#cut(): Generator<unknown[]> {
    while (this.#scan()) {
      const end = this.#at - 1;
      if (this.#depth === 0) {
        yield* this.#handOver(end);
        this.#phase = "behind";
        return;
      }
      const isFull =
        this.#commas.length + 1 >= this.#batch.records || end - this.#start >= this.#batch.bytes;
      if (isFull) yield* this.#handOver(end);
      else this.#commas.push(end);
    }
  }

  /** Scans to the next comma or the end of the array; false if more bytes must come first. */
  #scan(): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    let at = this.#at;
    let depth = this.#depth;
    let isInString = this.#isInString;
    let isFound = false;
    while (at < length && !isFound) {
      const byte = bytes[at];
      at += 1;
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH) at += 1;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA) isFound = depth === 1;
      else if (byte === OPEN || byte === OPEN_BRACE) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_BRACE) {
        depth -= 1;
        isFound = depth === 0;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.#isInString = isInString;
    return isFound;
  }

  *#handOver(end: number): Generator<unknown[]> {
    const expected = this.#commas.length + 1;
    const isEmpty = this.#depth === 0 && this.#records === 0 && expected === 1;
    const isClosed = this.#depth > 0 || this.#bytes[end] === CLOSE;
    const found = isClosed ? this.#parse(this.#start, end) : undefined;
    if (found?.length !== expected && !(isEmpty && found?.length === 0)) {
      const text = utf8Text(this.#bytes.subarray(this.#start, end));
      const problem = text === undefined ? "is not valid UTF-8" : jsonProblem(text);
      const { good, flaw } = this.#sift([...this.#commas, ...(isClosed ? [end] : [])]);
      if (good.length > 0) yield good;
      throw this.#error(problem, this.#records + good.length + 1, flaw);
    }
    this.#records += found.length;
    this.#commas = [];
    this.#start = end;
    if (found.length > 0) yield found;
  }

  /** The records up to these ends, one by one, as far as they are valid JSON. */
  #sift(ends: readonly number[]): { good: unknown[]; flaw: number } {
    const good: unknown[] = [];
    let from = this.#start;
    for (const end of ends) {
      const found = this.#parse(from, end);
      if (found?.length !== 1) break;
      good.push(found[0]);
      from = end;
    }
    return { good, flaw: from + 1 };
  }

  /** The text between two brackets or commas, parsed; `undefined` if it is not JSON in UTF-8. */
  #parse(from: number, end: number): unknown[] | undefined {
    try {
      return parseJson(this.#text(from, end)) as unknown[];
    } catch {
      return undefined;
    }
  }

  #text(from: number, end: number): string {
    this.#bytes[from] = OPEN;
    this.#bytes[end] = CLOSE;
    return this.#decoder.decode(this.#bytes.subarray(from, end + 1));
  }

  #skipSpace(): number {
    while (this.#at < this.#length && SPACE.has(this.#bytes[this.#at])) this.#at += 1;
    return this.#at;
  }

  #error(what: string, record: number, at: number): JsonArrayError {
    return new JsonArrayError(what, record, this.#dropped + at);
  }
}
