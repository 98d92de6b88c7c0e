import { UsageError } from "../../errors.ts";
import type { Problems } from "./problems.ts";

const LARGEST_MB = 10;

/** What some editors begin a file with. */
const BYTE_ORDER_MARK = "\uFEFF";

/** What a decoder puts where bytes are no UTF-8. */
const UNDECODED = "\uFFFD";

/**
 * The text without its byte order mark.
 * @throws {UsageError} for what is no routing file at all
 */
export function fitText(text: string, path: string): string {
  if (Buffer.byteLength(text) > LARGEST_MB * 1024 * 1024) {
    throw new UsageError(`${path} is larger than ${LARGEST_MB} MB: that is no routing file`);
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
export function checkCharacters(text: string, problems: Problems): void {
  const nul = text.indexOf("\0");
  if (nul >= 0) problems.add(nul, "here stands a NUL: this is no text file");
  const undecoded = text.indexOf(UNDECODED);
  if (undecoded >= 0) {
    problems.add(undecoded, "here stands something that is no UTF-8: save the file as UTF-8");
  }
}
