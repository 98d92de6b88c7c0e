import { createRequire } from "node:module";

/** jq as WebAssembly, one call for each run of a program. */
export interface JqEngine {
  /**
   * The output of a program without its last line end; undefined for none.
   * @throws an error with jq's own `stderr`
   */
  raw(json: string, program: string, flags: readonly string[]): string | undefined;
}

/** Loads jq from its package; a build embeds it, because no file may lie beside the program. */
export function loadEngine(): Promise<JqEngine> {
  const require = createRequire(import.meta.url);
  return require("jq-web");
}
