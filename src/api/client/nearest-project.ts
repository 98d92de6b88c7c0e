import { type AmpError, isNotRecorded, NotFoundError } from "../../errors.ts";
import { allInPart, didYouMean, nearestOf } from "../../values/matching.ts";
import type { Api, ItemOf } from "../operations/endpoint.ts";
import { listProjects } from "../operations/endpoints.ts";
import { ifAvailable } from "../operations/optional-operation.ts";

type Project = ItemOf<typeof listProjects>;

/**
 * The error of a list, with the project that was probably meant if the given one is not there.
 * @param from the variable, file or profile that named it
 */
export async function withNearestProject(
  error: AmpError,
  { project, from }: { readonly project: string; readonly from: string | undefined },
  call: Api["call"],
): Promise<AmpError> {
  if (!(error instanceof NotFoundError) || isNotRecorded(error)) return error;
  const projects = (await ifAvailable(call(listProjects, {}))) ?? [];
  if (projects.some(({ id, name }) => id === project || name === project)) return error;
  const findable = { ids: ({ id }: Project) => [id], names: ({ name }: Project) => [name] };
  const [only, ...others] = allInPart(projects, project, findable);
  const near = only && others.length === 0 ? [only.name || only.id] : undefined;
  const meant = didYouMean(near ?? nearestOf(projects, project, findable));
  // Without a list it is not known that the project is what was not found.
  const isKnown = projects.length > 0 && from !== undefined;
  const source = isKnown && `This project is from ${from}: change it there, or add --project.`;
  const remedy = [meant ?? error.facts.remedy, source].filter(Boolean).join(" ");
  return error.setFacts({ ...(remedy && { remedy }) });
}
