import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** jq as WebAssembly, and the script that runs it. */
interface JqEngine {
  readonly script: string;
  readonly wasm: Uint8Array;
  /** Whether the WebAssembly is compressed by Brotli. */
  readonly isPacked: boolean;
}

/** Reads jq from its package; a build embeds it, because no file may lie beside the program. */
export function readEngine(): JqEngine {
  const require = createRequire(import.meta.url);
  const path = require.resolve("jq-web");
  const wasm = readFileSync(path.replace(/js$/u, "wasm"));
  return { script: readFileSync(path, "utf8"), wasm, isPacked: false };
}
