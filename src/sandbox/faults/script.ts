import * as z from "zod";
import { UsageError } from "../../errors.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";

/** Which requests are meant; see the script for what each field says. */
export interface RequestRule {
  readonly on: string;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
}

/** Tells which rule is for a request, and counts it for every rule that it concerns. */
export type Chooser<Chosen> = (method: string, pathname: string) => Chosen | undefined;

/** A chooser that has seen no request yet. Of several rules that hold, the first wins. */
export function chooser<Chosen extends RequestRule>(among: readonly Chosen[]): Chooser<Chosen> {
  const rules = among.map((rule) => ({ rule, concerns: matcher(rule.on), seen: 0 }));
  return (method, pathname) => {
    let chosen: Chosen | undefined;
    for (const each of rules) {
      if (!each.concerns(method, pathname)) continue;
      each.seen += 1;
      if (applies(each.rule, each.seen)) chosen ??= each.rule;
    }
    return chosen;
  };
}

function applies({ nth, times }: RequestRule, seen: number): boolean {
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

/** When a rule holds; each rule counts the requests that it is `on`. */
const when = {
  /** Method or `*`, and the end of the path without its query: `POST topics`. See `matcher`. */
  on: z.string().regex(/^(?:[A-Z]+|\*) [\w/*-]+$/u, 'must be of the form "POST topics"'),
  /** The first of them that goes wrong; from the first on where absent. */
  nth: z.int().positive().optional(),
  /** How many go wrong; where absent, one from `nth` on, or all of them without `nth`. */
  times: z.int().positive().optional(),
};
/** Whether the world gets to know of the request all the same. */
const commit = z.boolean().default(true);
const status = z.int().min(200).max(599);

const rule = z.discriminatedUnion("do", [
  /** The connection is reset, and nothing is answered. */
  z.strictObject({ ...when, do: z.literal("reset"), commit }),
  /** A problem, or a redirect, in place of the answer. `retryAfter` is in seconds. */
  z.strictObject({
    ...when,
    do: z.literal("status"),
    status: status.min(300),
    commit,
    retryAfter: z.int().nonnegative().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  /** Half of the body comes, and then the end of the connection. */
  z.strictObject({ ...when, do: z.literal("cut"), commit }),
  /** A success without a body. */
  z.strictObject({ ...when, do: z.literal("empty"), commit, status: status.max(299).default(201) }),
  /** A page of some portal or proxy, as a success. */
  z.strictObject({ ...when, do: z.literal("html"), commit, status: status.default(200) }),
  /** The answer without its record's id. */
  z.strictObject({ ...when, do: z.literal("no-id") }),
  /** The answer comes after so many milliseconds; `late`: the world sees the request only then. */
  z.strictObject({
    ...when,
    do: z.literal("slow"),
    ms: z.int().nonnegative(),
    late: z.boolean().default(false),
  }),
  /** The answer of the world as it was that many changes ago. */
  z.strictObject({ ...when, do: z.literal("stale"), changes: z.int().positive().default(1) }),
]);

const script = z.strictObject({
  /** False: 404 to every list of the routing, as from a service that does what spec.md says. */
  lists: z.boolean().default(true),
  /** False: a name may be given twice, as routes may be made twice. */
  uniqueNames: z.boolean().default(true),
  faults: z.array(rule).default([]),
});

/** What goes wrong, and when, as it is written down: defaults may be left out. */
export type FaultScript = z.input<typeof script>;
/** The same with every default filled in. */
export type ReadScript = z.output<typeof script>;
/** One line of a script: what goes wrong with which requests. */
export type Fault = ReadScript["faults"][number];
/** What may go wrong. */
export type FaultKind = Fault["do"];
/** The line of one kind. */
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { do: Kind }>;

/** @throws {UsageError} where it is no script; it tells the place */
export function readScript(value: unknown): ReadScript {
  const read = script.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join(".");
  throw new UsageError("This is no script of faults", {
    detail: [place, schemaIssueText(issue?.message ?? "")].filter(Boolean).join(": "),
  });
}

/** @throws {UsageError} where the text is no script */
export function parseScript(text: string): ReadScript {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new UsageError("The script of faults is not valid JSON", { detail }, { cause: error });
  }
  return readScript(value);
}
