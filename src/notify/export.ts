import type { Api } from "../api/operations/endpoint.ts";
import { NotFoundError } from "../errors.ts";
import { type ExportedRouting, exportRouting } from "./file/live-model.ts";
import { listRouting } from "./plan/live.ts";

/**
 * What the service lists, as a routing file.
 * @throws {NotFoundError} where it has no lists
 */
export async function exportProjectRouting({
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
