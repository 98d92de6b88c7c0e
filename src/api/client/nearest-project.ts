import { type AmpError, isNotRecorded, NotFoundError } from "../../errors.ts";
import { nearest, unlikeness } from "../../values/nearest.ts";
import type { Api } from "../operations/endpoint.ts";
import { listProjects } from "../operations/endpoints.ts";
import { ifAvailable } from "../operations/optional-operation.ts";

/** The error of a list, with the project that was probably meant if the given one is not there. */
export async function withNearestProject(
  error: AmpError,
  project: string,
  call: Api["call"],
): Promise<AmpError> {
  if (!(error instanceof NotFoundError) || isNotRecorded(error)) return error;
  const projects = (await ifAvailable(call(listProjects, {}))) ?? [];
  const known = projects.flatMap(({ id, name }) => [name ?? [], id ?? []].flat());
  if (known.includes(project)) return error;
  const [only, ...others] = known.filter((name) => Number.isFinite(unlikeness(project, name)));
  const near = nearest(project, known) ?? (others.length === 0 ? only : undefined);
  return near === undefined ? error : error.setFacts({ remedy: `Did you mean ${near}?` });
}
