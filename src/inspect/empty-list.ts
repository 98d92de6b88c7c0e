import type { ListResult } from "../api/operations/endpoint.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";

/** The words for the options by which the service limits a list, and the columns that hold their values. */
const FIELDS = {
  groupRef: ["group ref", "group"],
  consumerRef: ["consumer ref", "consumer"],
  provider: ["provider", "provider"],
} as const;

/** The options by which the service limits a list. */
type Limits = { readonly [Field in keyof typeof FIELDS]?: string | undefined };

/**
 * Says of an empty list that no item has the very value of an option: a ref in another case, or the
 * name of a customer, looks as if the customer had none.
 * @param searching the same list with a filter, which finds parts of names in any case
 */
export function explainEmpty<Item>(
  list: ListResult<Item>,
  noun: string,
  limits: Limits,
  report: Pick<CommandContext["report"], "notice">,
  searching: (filter: readonly string[]) => SuggestedCommand,
): ListResult<Item> {
  if (Symbol.asyncIterator in list || list.length > 0) return list;
  for (const [option, [field, column]] of Object.entries(FIELDS)) {
    const value = limits[option as keyof Limits];
    if (value === undefined) continue;
    const text = `No ${noun} has the ${field} ${JSON.stringify(value)}. To search by name:`;
    report.notice(text, searching([`${column}~${value}`]));
  }
  return list;
}
