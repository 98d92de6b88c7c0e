/**
 * The command line for a log or a lock that others read. Of an address, and of `key=value`, only the
 * beginning is told: a webhook's URL or a header may open something.
 */
export function tellableLine(argv: readonly string[]): string {
  return ["amp", ...argv.map((word) => word.replace(/(=|:\/\/).+$/su, "$1…"))].join(" ");
}
