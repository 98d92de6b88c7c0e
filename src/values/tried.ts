/**
 * The result of work that fails for what it cannot read, such as a text that is not JSON; undefined
 * then.
 */
export function tried<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
