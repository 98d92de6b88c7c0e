/**
 * Loaded with `--import` into the program under test: the clock of its machine is ahead by the
 * milliseconds that a file says, and jumps when that file changes. Time passes as it does.
 */
import { readFileSync } from "node:fs";
import { CLOCK_VARIABLE } from "./trip.ts";

const file = process.env[CLOCK_VARIABLE] ?? "";
const RealDate = Date;
// The files of the program are watched by another module, which must not see this one's reads.
const read = readFileSync;

function ahead(): number {
  try {
    return Number(read(file, "utf8"));
  } catch {
    return 0;
  }
}

class ShiftedDate extends RealDate {
  constructor(...words: readonly unknown[]) {
    if (words.length === 0) super(ShiftedDate.now());
    else super(...(words as [number]));
  }

  static override now(): number {
    return RealDate.now() + ahead();
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
