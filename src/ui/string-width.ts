import { createRequire } from "node:module";

/**
 * Loads the library that measures graphemes, synchronously and only for texts that need it: its
 * expressions hold all emoji and take 24 ms to compile. A build embeds the library and replaces
 * this file: see `build/stamp.ts`.
 */
export function loadStringWidth(): typeof import("string-width").default {
  return createRequire(import.meta.url)("string-width").default;
}
