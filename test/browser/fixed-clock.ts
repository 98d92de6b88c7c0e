/**
 * Loaded with `--import` into a program whose screen is drawn: its clock stands, soon after the last
 * operations of the sandbox. So does the one by which it dates its responses.
 */
import { ServerResponse } from "node:http";

const NOW = Date.parse("2026-09-01T12:05:00Z");
const RealDate = Date;

class FixedDate extends RealDate {
  constructor(...words: readonly unknown[]) {
    super(...((words.length === 0 ? [NOW] : words) as [number]));
  }

  static override now(): number {
    return NOW;
  }
}

globalThis.Date = FixedDate as DateConstructor;

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (this: ServerResponse, ...words: unknown[]) {
  this.setHeader("date", new Date().toUTCString());
  return Reflect.apply(writeHead, this, words);
} as typeof writeHead;
