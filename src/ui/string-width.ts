import { createRequire } from "node:module";

/**
 * The library that knows how wide a grapheme is, loaded at once: it takes 24 ms to start (its
 * expressions hold all emoji), and few texts need it. A build, which embeds it, writes its own in
 * place of this file: see `build/stamp.ts`.
 */
export function loadStringWidth(): typeof import("string-width").default {
  return createRequire(import.meta.url)("string-width").default;
}
