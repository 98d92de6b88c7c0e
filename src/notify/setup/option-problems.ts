import { DESTINATION_TYPE_NAMES, destinationType } from "../../api/catalogue/destination-types.ts";
import { type InputIssue, UsageError } from "../../errors.ts";
import { uncapitalised } from "../../values/counted.ts";
import { mistypedName, nearest } from "../../values/nearest.ts";
import { nameCheck, nearestEvent, nearestName } from "../model/names.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { SetupOptions } from "./options.ts";

/** An option with a value that is wrong. */
export interface OptionProblem {
  /** The error where it is the only one; absent for a value that alone is only warned of. */
  readonly error?: UsageError;
  /** Its line where there are several. */
  readonly issue: InputIssue;
}

/** Mistyped event types and destination types: those that have nearly the name of a known one. */
export function mistypedOptions({ event, destinationType: type }: SetupOptions): OptionProblem[] {
  const events = event.flatMap((value): OptionProblem[] => {
    const near = nearestEvent(value);
    if (near === undefined) return [];
    const error = mistypedName(`Unknown event type ${JSON.stringify(value)}`, {
      near,
      anyway: "add its route with amp notify event-routes create",
      done: "Nothing was sent.",
    });
    const detail = `unknown event type; did you mean ${near}?`;
    return [{ error, issue: { flag: "--event", value, detail } }];
  });
  if (type === undefined || destinationType(type) !== undefined) return events;
  const near = nearest(type, DESTINATION_TYPE_NAMES);
  if (near === undefined) return events;
  const detail = `unknown destination type; did you mean ${near}?`;
  return [...events, { issue: { flag: "--destination-type", value: type, detail } }];
}

/**
 * Names that the live platform refuses, which it would do after the first create. What exists may have
 * any name, and of a service without lists no rule is known.
 * @param live lists the routing; called only for such a name
 */
export async function invalidNames(
  { destinationName, topic }: Pick<SetupOptions, "destinationName" | "topic">,
  live: () => Promise<LiveRouting | undefined>,
): Promise<OptionProblem[]> {
  const given = [
    ["destination", "--destination-name", destinationName],
    ["topic", "--topic", topic],
  ] as const;
  const problems: OptionProblem[] = [];
  for (const [kind, flag, value] of given) {
    const verdict = value === undefined || nameCheck(kind)(value);
    if (value === undefined || verdict === true) continue;
    const listed = (await live())?.[kind];
    if (listed === undefined || listed.some((record) => record.name === value)) continue;
    const near = nearestName(value);
    const rule = uncapitalised(verdict);
    const remedy = near === undefined ? {} : { remedy: `Use another name, for example ${near}.` };
    const detail = near === undefined ? rule : `${rule}; for example ${near}`;
    const error = new UsageError(`${flag} ${JSON.stringify(value)}: ${rule}`, remedy);
    problems.push({ error, issue: { flag, value, detail } });
  }
  return problems;
}

/**
 * Refuses options that are not valid, all in one error.
 * @throws {UsageError}
 */
export function assertValid(problems: readonly OptionProblem[]): void {
  const [error] = problems.flatMap((problem) => problem.error ?? []);
  if (error === undefined) return;
  if (problems.length === 1) throw error;
  throw new UsageError(`${problems.length} options are not valid`, {
    issues: problems.map(({ issue }) => issue),
    done: "Nothing was sent.",
  });
}
