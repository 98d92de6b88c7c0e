import type { ListResult } from "../api/operations/endpoint.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { ListedConnection } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { batchesOf, isBatches } from "../values/batches.ts";
import { unlikeness } from "../values/nearest.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";

const FIELDS = {
  groupRef: "group ref",
  consumerRef: "consumer ref",
  provider: "provider",
} as const;

type Field = keyof typeof FIELDS;

type Limits = { readonly [Name in Field]?: string | undefined };

/** Whom an item of the list belongs to, and to which provider. */
type Owner = Pick<ListedConnection, "group" | "consumer" | "provider">;

/** A list that the service limited, and how it is read without limits. */
interface LimitedList<Item> {
  readonly noun: string;
  readonly limits: Limits;
  /** The same list without these limits. */
  readonly all: () => Promise<ListResult<Item>>;
  readonly ownerOf: (item: Item) => Owner;
  /** The same command with other limits. */
  readonly again: (limits: Limits) => SuggestedCommand;
}

/**
 * Says of an empty list that no item has the very value of an option, with the nearest that one
 * has: a ref in another case, or the name of a customer, looks as if the customer had none. It
 * reads the whole list for that, and only where a person is told.
 */
export async function explainEmpty<Item>(
  list: ListResult<Item>,
  { noun, limits, all, ownerOf, again }: LimitedList<Item>,
  { report, output }: Pick<CommandContext, "report" | "output">,
): Promise<ListResult<Item>> {
  const typed = (Object.keys(FIELDS) as Field[]).flatMap((field) => {
    const value = limits[field];
    return value === undefined ? [] : [{ field, value, near: "", away: Number.POSITIVE_INFINITY }];
  });
  const isEmpty = !isBatches(list) && list.length === 0;
  if (!isEmpty || typed.length === 0 || (output.format() ?? "table") !== "table") return list;
  for await (const batch of batchesOf((await ifAvailable(all())) ?? [])) {
    for (const owner of batch.map(ownerOf)) {
      for (const wanted of typed) {
        const [near, ...names] = namesOf(owner, wanted.field);
        if (!near) continue;
        const away =
          near === wanted.value
            ? -1
            : Math.min(...[near, ...names].map((name) => unlikeness(wanted.value, name ?? "")));
        if (away < wanted.away) Object.assign(wanted, { near, away });
      }
    }
  }
  for (const { field, value, near } of typed) {
    const text = `No ${noun} has the ${FIELDS[field]} ${JSON.stringify(value)}.`;
    if (near === "") report.notice(text);
    else if (near !== value) {
      report.notice(`${text} Did you mean ${near}?`, again({ ...limits, [field]: near }));
    }
  }
  return list;
}

/** The value by which an item is limited, and a name that may be typed for it. */
function namesOf({ group, consumer, provider }: Owner, field: Field) {
  if (field === "provider") return [provider];
  return field === "groupRef"
    ? [group?.groupRef, group?.groupName]
    : [consumer?.consumerRef, consumer?.consumerName];
}
