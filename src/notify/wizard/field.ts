import type { Field } from "../../api/destination-types.ts";
import type { Check } from "../names.ts";
import type { Desk } from "./desk.ts";

/** Fields that are called by what everybody calls them. */
const LABELS: Readonly<Record<string, string>> = { url: "URL" };

/** Asks for one value of the metadata, unless a good one is given; `undefined` for none. */
export async function askField(
  { prompt }: Desk,
  field: Field,
  given: unknown,
  before: unknown,
): Promise<unknown> {
  const flag = field.name === "url" ? "--url" : `--metadata ${field.name}=…`;
  const message = LABELS[field.name] ?? `${field.name} (${field.hint})`;
  if (field.shape === "flag") {
    const said = asFlag(given);
    return said ?? (await prompt.confirm({ message, flag, default: asFlag(before) ?? false }));
  }
  const check = fieldCheck(field);
  // What is given in another shape is the service's to judge.
  if (given !== undefined && (typeof given !== "string" || check(given) === true)) return given;
  const preset = given ?? before;
  const answer = await prompt.input({
    message,
    flag,
    check,
    ...(typeof preset === "string" ? { default: preset } : {}),
  });
  return answer === "" ? undefined : answer;
}

/** What the type says of a value; an optional one may be left empty. */
export function fieldCheck({ required, check }: Pick<Field, "required" | "check">): Check {
  return (answer) => {
    if (answer.trim() === "") return !required || "It must not be empty.";
    return check?.(answer) ?? true;
  };
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}
