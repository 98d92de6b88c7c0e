import { setTimeout as pause } from "node:timers/promises";
import type { CommandContext } from "../context/command-context.ts";
import { PartialError } from "../errors.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import { createdId, createResource, listResources, type ProjectApi } from "./model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "./model/resource.ts";
import type { ResourceBody } from "./model/routing.ts";

/** The waits before each look at a list that may not show a new record at once. */
const LOOKS_MS = [0, 500, 1_500];

/**
 * Creates a resource. If the response has no ID, the resource is looked up in the service's list.
 * @param list the command that lists the resources of the kind
 * @throws {PartialError} where it was created, and the list does not show it as the only one of
 *   its key
 */
export async function createAndIdentify(
  {
    api,
    project,
    report,
    signal,
  }: Pick<CommandContext, "api" | "report" | "signal"> & { readonly project: string },
  kind: ResourceKind,
  body: ResourceBody,
  list: SuggestedCommand,
): Promise<LiveRecord> {
  try {
    return await createResource({ api, project }, kind, body);
  } catch (error) {
    if (!(error instanceof PartialError) || createdId(error) !== null) throw error;
    const found = await lookUp({ api, project }, kind, body, signal);
    const [one, another] = found;
    const listed = found.map(({ id }) => id).join(", ");
    if (one === undefined || another !== undefined) {
      throw error.setFacts({
        ...(another ? { detail: `The list shows ${found.length} of them: ${listed}` } : {}),
        suggestion: list,
      });
    }
    report.warn(`${error.message}. The list shows it as ${listed}.`);
    return one;
  }
}

/** The listed records with the key of a resource; none where the service has no list. */
async function lookUp(
  where: ProjectApi,
  kind: ResourceKind,
  body: ResourceBody,
  signal: AbortSignal,
): Promise<readonly LiveRecord[]> {
  const { key } = RESOURCES[kind];
  for (const wait of LOOKS_MS) {
    try {
      await pause(wait, undefined, { signal });
      const listed = await listResources(where, kind);
      const found = listed.filter(
        (one) => one.id !== "" && key.every(({ field }) => one[field] === body[field]),
      );
      if (found.length > 0) return found;
    } catch {
      // The created resource matters more than the reason why the list cannot be read.
      return [];
    }
  }
  return [];
}
