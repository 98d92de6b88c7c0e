import type { Fault } from "./script.ts";

/** Tells which fault a request meets, and counts it for every rule that it concerns. */
export type Chooser = (method: string, pathname: string) => Fault | undefined;

/** A chooser that has seen no request yet. Of several faults that hold, the first wins. */
export function chooser(faults: readonly Fault[]): Chooser {
  const rules = faults.map((fault) => ({ fault, concerns: matcher(fault.on), seen: 0 }));
  return (method, pathname) => {
    let chosen: Fault | undefined;
    for (const rule of rules) {
      if (!rule.concerns(method, pathname)) continue;
      rule.seen += 1;
      if (holds(rule.fault, rule.seen)) chosen ??= rule.fault;
    }
    return chosen;
  };
}

function holds({ nth, times }: Fault, seen: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return seen >= first && seen < first + count;
}

/**
 * `POST topics` is for each path that ends in the segment `topics`; a `*` stands for anything, the
 * whole method too. The script admits nothing in it that a pattern would trip over.
 */
function matcher(on: string): (method: string, pathname: string) => boolean {
  const [method = "", tail = ""] = on.split(" ");
  const pattern = new RegExp(`(?:^|/)${tail.replace(/^\//u, "").replaceAll("*", ".*")}$`, "u");
  return (given, pathname) => (method === "*" || method === given) && pattern.test(pathname);
}
