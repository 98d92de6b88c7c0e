import * as z from "zod/mini";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";
import { eventProblem } from "../model/names.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { described, knownOr, listSchema, mustBe, textSchema } from "./schema-parts.ts";
import { textsAt, type YamlTree } from "./yaml-tree.ts";

/** A combination that a routing must not have: all of its patterns fit. Two of them are given. */
export interface Forbidden {
  readonly event?: string | undefined;
  readonly topic?: string | undefined;
  readonly destination?: string | undefined;
}

/** The rules that a routing file has for itself. */
export interface OwnRules {
  /** The event types, or patterns of known ones, that must reach a destination. */
  readonly require: readonly string[];
  readonly forbid: readonly Forbidden[];
}

const FORBID_EXAMPLE = "{ event: read.*, destination: chat }";

const forbidden = described(
  z
    .strictObject(
      {
        event: z.optional(textSchema(["event", "event: read.*"], "Event type, or a pattern.")),
        topic: z.optional(
          textSchema(["topic", "topic: internal-*"], "Name of a topic, or a pattern."),
        ),
        destination: z.optional(
          textSchema(["destination", "destination: chat"], "Name of a destination, or a pattern."),
        ),
      },
      mustBe("a mapping", ["", FORBID_EXAMPLE]),
    )
    .check(
      z.refine((pair) => Object.keys(pair).length >= 2, {
        error: `needs two of event, topic and destination; for example: ${FORBID_EXAMPLE}`,
      }),
    ),
  "A combination that must not exist, by patterns in which * matches any characters.",
  { minProperties: 2 },
);

/** The parts of the file that say what its routing must and must not do. */
export const OWN_RULES = {
  require: listSchema(
    knownOr(
      EVENT_TYPES.map((name) => [name, EVENTS[name].fires]),
      ["an event type", "[connection.error]"],
      "Another event type, all (every known one), or a pattern such as connection.*.",
    ),
    ["require", "[connection.error]"],
    "Event types that must reach a destination: plan, apply and check refuse the file otherwise.",
  ),
  forbid: listSchema(
    forbidden,
    ["forbid", `[${FORBID_EXAMPLE}]`],
    "Routes that must not exist: plan, apply and check refuse the file otherwise.",
  ),
} as const;

/** The keys of an entry of `forbid`. */
export const FORBID_KEYS: readonly string[] = Object.keys(forbidden.def.shape);

/** Refuses required event types that are neither an event type nor a pattern of known ones. */
export function checkRequired(tree: YamlTree, issues: FileIssues): void {
  for (const item of textsAt(tree, "require")) {
    const problem = eventProblem(item.text);
    if (problem !== undefined) issues.error(item.at, `require: ${quoted(item.text)} ${problem}`);
  }
}
