import { withoutSecrets } from "../secret.ts";

/**
 * The command line for a log or a lock that others read. Of an address, of `key=value` and of JSON,
 * only the beginning is told: a webhook's URL or a header may open something.
 */
export function tellableLine(argv: readonly string[]): string {
  const words = argv.map((word) => word.replace(/(=|:\/\/|^\s*[{[]).+$/su, "$1…"));
  return withoutSecrets(["amp", ...words].join(" "));
}
