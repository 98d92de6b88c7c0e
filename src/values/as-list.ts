/** One list of values that are each missing, alone, or a list themselves. */
export function asList<Value>(
  ...values: readonly (Value | readonly Value[] | null | undefined)[]
): Value[] {
  return values.flatMap((value) => value ?? []) as Value[];
}
