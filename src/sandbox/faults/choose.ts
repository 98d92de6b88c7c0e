/** Which requests are meant; see the script for what each field says. */
export interface Rule {
  readonly on: string;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
}

/** Tells which rule is for a request, and counts it for every rule that it concerns. */
export type Chooser<Chosen> = (method: string, pathname: string) => Chosen | undefined;

/** A chooser that has seen no request yet. Of several rules that hold, the first wins. */
export function chooser<Chosen extends Rule>(among: readonly Chosen[]): Chooser<Chosen> {
  const rules = among.map((rule) => ({ rule, concerns: matcher(rule.on), seen: 0 }));
  return (method, pathname) => {
    let chosen: Chosen | undefined;
    for (const each of rules) {
      if (!each.concerns(method, pathname)) continue;
      each.seen += 1;
      if (holds(each.rule, each.seen)) chosen ??= each.rule;
    }
    return chosen;
  };
}

function holds({ nth, times }: Rule, seen: number): boolean {
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
