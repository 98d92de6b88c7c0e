import * as z from "zod";
import { checkDocument } from "../document.ts";

/** The requests that a rule applies to; the schema below describes the fields. */
export interface RequestRule {
  readonly on: string;
  readonly nth?: number | undefined;
  readonly times?: number | undefined;
}

/**
 * Chooses the rule for each request, and counts the request for every rule that is `on` it. Of
 * several rules that apply, the first is chosen.
 */
export function chooser<Chosen extends RequestRule>(among: readonly Chosen[]) {
  const rules = among.map((rule) => ({ rule, concerns: matcher(rule.on), seen: 0 }));
  return (method: string, pathname: string): Chosen | undefined => {
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
 * Matches requests: `POST topics` matches each path that ends in the segment `topics`; a `*`
 * matches anything, also as the method. The schema allows no other special character of a pattern.
 */
function matcher(on: string): (method: string, pathname: string) => boolean {
  const [method = "", tail = ""] = on.split(" ");
  const pattern = new RegExp(`(?:^|/)${tail.replace(/^\//u, "").replaceAll("*", ".*")}$`, "u");
  return (given, pathname) => (method === "*" || method === given) && pattern.test(pathname);
}

/** The conditions of a rule; each rule counts the requests that it is `on`. */
const when = {
  /** The method or `*`, and the end of the path without its query: `POST topics`. See `matcher`. */
  on: z.string().regex(/^(?:[A-Z]+|\*) [\w/*-]+$/u, 'must be of the form "POST topics"'),
  /** The number of the first request with the fault; default: the first. */
  nth: z.int().positive().optional(),
  /** The number of requests with the fault; default: one with `nth`, all without. */
  times: z.int().positive().optional(),
};
/** True if the request takes effect in spite of the fault. */
const commit = z.boolean().default(true);
const status = z.int().min(200).max(599);

const rule = z.discriminatedUnion("do", [
  /** The connection is reset without a response. */
  z.strictObject({ ...when, do: z.literal("reset"), commit }),
  /** A problem or a redirect replaces the response. `retryAfter` is in seconds. */
  z.strictObject({
    ...when,
    do: z.literal("status"),
    status: status.min(300),
    commit,
    retryAfter: z.int().nonnegative().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  /** Half of the body is sent, then the connection is closed. */
  z.strictObject({ ...when, do: z.literal("cut"), commit }),
  /** The response is a success without a body. */
  z.strictObject({ ...when, do: z.literal("empty"), commit, status: status.max(299).default(201) }),
  /** The response is the page of a portal or proxy, as a success. */
  z.strictObject({ ...when, do: z.literal("html"), commit, status: status.default(200) }),
  /** The response lacks the ID of its record. */
  z.strictObject({ ...when, do: z.literal("no-id") }),
  /**
   * The response comes after `ms` milliseconds; `late`: the world handles the request only then.
   */
  z.strictObject({
    ...when,
    do: z.literal("slow"),
    ms: z.int().nonnegative(),
    late: z.boolean().default(false),
  }),
  /** So many requests pass in any `seconds`; others get 429 and the wait in Retry-After. */
  z.strictObject({
    ...when,
    do: z.literal("rate-limit"),
    requests: z.int().positive().default(10),
    seconds: z.int().positive().default(1),
  }),
  /** The response is that of the world as it was that many changes ago. */
  z.strictObject({ ...when, do: z.literal("stale"), changes: z.int().positive().default(1) }),
]);

const script = z.strictObject({
  /** Whether the service has the lists of routing; false: 404, as in spec.md. */
  lists: z.boolean().default(true),
  /**
   * Whether names are unique; false: two resources may have one name, like two equal routes.
   * Absent: as the sandbox has it.
   */
  uniqueNames: z.boolean().optional(),
  faults: z.array(rule).default([]),
});

/** A fault script as it is written: defaults may be left out. */
export type FaultScript = z.input<typeof script>;
/** One rule of a script: a fault, and the requests that it is for. */
export type Fault = z.output<typeof rule>;
/** The kinds of faults. */
export type FaultKind = Fault["do"];
/** The rule of one kind. */
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { do: Kind }>;

/**
 * Reads a fault script.
 * @throws {UsageError} where it is not a script
 */
export function readScript(value: unknown): z.output<typeof script> {
  return checkDocument("The fault script", script, value);
}
