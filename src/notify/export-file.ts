import type { Api } from "../api/api.ts";
import { NotFoundError } from "../errors.ts";
import { type ExportedRouting, exportRouting } from "./file/export.ts";
import { listRouting } from "./plan/listing.ts";

/**
 * What the service lists, as a routing file.
 * @throws {NotFoundError} where it has no lists
 */
export async function exportFile({
  api,
  project,
}: {
  readonly api: Api;
  readonly project: string;
}): Promise<ExportedRouting> {
  const live = await listRouting(api, project);
  if (live) return exportRouting(live, project);
  throw new NotFoundError("This service does not list its routing, so there is nothing to export", {
    remedy: "What amp made itself is in its state.",
    suggestion: "amp notify status",
  });
}
