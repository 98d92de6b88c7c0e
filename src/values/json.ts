/** Whether a value is an object of JSON: not a list, not null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record without undefined fields. */
export function withoutUndefined<Facts extends object>(facts: Facts): Defined<Facts> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Defined<Facts>;
}

type Defined<Facts> = { [Key in keyof Facts]?: Exclude<Facts[Key], undefined> };
