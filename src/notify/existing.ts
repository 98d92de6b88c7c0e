import { NotFoundError } from "../errors.ts";
import type { Named } from "./names.ts";

/** A record of the service, as far as picking one needs it. */
export interface Listed {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
}

/** One that exists. `name` is the id where the service tells none. */
export interface Existing {
  readonly kind: "existing";
  readonly id: string;
  readonly name: string;
  readonly type?: string;
}

/**
 * One that exists, by an id that was given.
 * @throws {NotFoundError} where the service lists them and this is none of them
 */
export function existingById(
  what: Named,
  listed: readonly Listed[] | undefined,
  id: string,
): Existing {
  const found = listed?.find((one) => one.id === id);
  if (listed !== undefined && found === undefined) {
    throw new NotFoundError(`No ${what} has the ID ${JSON.stringify(id)}`, {
      done: "Nothing was created.",
      suggestion: `amp notify ${what}s list`,
    });
  }
  return existing(found ?? { id });
}

/** The record as one that exists. */
export function existing({ id, name, type }: Listed): Existing {
  return { kind: "existing", id, name: name || id, ...(type ? { type } : {}) };
}
