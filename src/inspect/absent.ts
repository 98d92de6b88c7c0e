import { mayLackOperation } from "../api/operations/optional-operation.ts";
import { NotFoundError } from "../errors.ts";

/** The answer; where the thing is not found, the error says which command lists those that are. */
export async function suggestWhenNotFound<Answer>(
  list: string,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof NotFoundError ? error.with({ suggestion: list }) : error;
  }
}

/**
 * The answer of a list that belongs to nothing: where it is not found, there is none.
 * @param what its things, as the service's
 * @param instead the command that shows a single one
 * @throws {NotFoundError} where the service has no such list, which the spec does not ask of it
 */
export async function requireListSupport<Answer>(
  what: string,
  instead: string,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!mayLackOperation(error)) throw error;
    const { status } = error.facts;
    throw new NotFoundError(`This service does not list ${what}`, {
      ...(status === undefined ? {} : { status }),
      suggestion: instead,
    });
  }
}

/** The answer; where it is not found, the error says what that may mean. */
export async function remedyWhenMissing<Answer>(
  detail: string,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw mayLackOperation(error) ? error.with({ remedy: detail }) : error;
  }
}
