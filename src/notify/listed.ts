import type { Api } from "../api/api.ts";
import { lacksOperation } from "../api/lacks-operation.ts";
import { NotFoundError } from "../errors.ts";

/**
 * A list of the routing.
 * @param what its records, in the plural
 * @throws {NotFoundError} where the service has no such list, which the spec does not ask of it
 */
export async function listed<Records>(
  { api, project }: { readonly api: Api; readonly project: string },
  what: string,
  call: Promise<Records>,
): Promise<Records> {
  try {
    return await call;
  } catch (error) {
    if (!(await lacksOperation(api, error, project))) throw error;
    throw new NotFoundError(`This service does not list ${what}`, {
      remedy: "It only creates them: keep the IDs that it answers then.",
    });
  }
}
