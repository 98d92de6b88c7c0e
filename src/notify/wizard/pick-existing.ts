import type { Choice } from "../../context.ts";
import { type Existing, existing, type Listed } from "../existing.ts";
import { type Named, notEmpty } from "../names.ts";
import { type Desk, earlierFirst } from "./desk.ts";

/** Whether a thing that exists can be had: not from a list that is empty. */
export function canPick(listed: readonly Listed[] | undefined): boolean {
  return listed === undefined || listed.length > 0;
}

/** Asks for one that exists: from the list, or by id where there is none. */
export async function pickExisting(
  { prompt }: Pick<Desk, "prompt">,
  what: Named,
  listed: readonly Listed[] | undefined,
  before?: string,
): Promise<Existing> {
  const flag = `--${what}-id`;
  if (listed === undefined) {
    const typed = await prompt.input({
      message: "ID",
      flag,
      check: notEmpty,
      ...(before === undefined ? {} : { default: before }),
    });
    return existing({ id: typed.trim() });
  }
  const choices = listed.map(
    (one): Choice<Listed> => ({
      value: one,
      label: one.name ?? one.id,
      note: [one.type, one.name && one.id].filter(Boolean).join("  "),
    }),
  );
  return existing(
    await prompt.select({
      message: "Which one",
      flag,
      choices: earlierFirst(choices, ({ value }) => value.id === before),
    }),
  );
}
