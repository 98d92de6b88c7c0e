import type { CommandContext } from "../../context/command-context.ts";
import { assertFailure, ConflictError, NotFoundError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import {
  assertSameTarget,
  describeTarget,
  isSameTarget,
  type RoutingState,
  type StateTarget,
} from "./state.ts";

/**
 * Asks the service for the ID and the name of a project: a state belongs to the ID, whichever of the
 * two was typed.
 * @returns the target as it was given, where the service does not report the project
 */
export async function identifyTarget(
  { api, world }: Pick<CommandContext, "api" | "world">,
  given: StateTarget,
): Promise<StateTarget> {
  // Imported when a state is made: most runs have one.
  const [{ listProjects }, { isUnavailable }] = await Promise.all([
    import("../../api/operations/endpoints.ts"),
    import("../../api/operations/optional-operation.ts"),
  ]);
  const projects = await api.call(listProjects, {}).catch((error: unknown) => {
    // A credential may be allowed to use one project, and not to list any.
    if (isUnavailable(error)) return [];
    throw error;
  });
  const byId = projects.filter(({ id }) => id === given.project);
  const found = byId.length > 0 ? byId : projects.filter(({ name }) => name === given.project);
  const [project] = found;
  const named = world();
  const target = named === undefined ? given : { ...given, world: named };
  // An odd answer may have no ID.
  if (!project?.id || found.length > 1) return target;
  const { id, name } = project;
  return { ...target, project: id, ...(typeof name === "string" && name !== "" ? { name } : {}) };
}

/**
 * The result of {@link identifyTarget} where the service answers, and otherwise the target as it was
 * given: for what can do without.
 */
export async function identifyIfAnswered(
  identify: () => Promise<StateTarget>,
  given: StateTarget,
): Promise<StateTarget> {
  try {
    return await identify();
  } catch (error) {
    assertFailure(error);
    return given;
  }
}

/** The state to check, and how the project was named. */
export interface NamedProject {
  readonly given: StateTarget;
  /** The location of the state for messages. */
  readonly location: string;
  /** Whether the user chose the location, so that another project does not get another one. */
  readonly isChosen: boolean;
  readonly identify: () => Promise<StateTarget>;
  /** See {@link assertProjectExists}. */
  readonly assertExists: () => Promise<void>;
}

/**
 * Asks the service whether it has a project: a mistyped one is not the fault of the state. What
 * else fails says nothing.
 * @throws {NotFoundError} for a project, or an operation of it, that the service does not have
 */
export async function assertProjectExists(
  { api }: Pick<CommandContext, "api">,
  projectIdOrName: string,
): Promise<void> {
  const { listProviderApps } = await import("../../api/operations/endpoints.ts");
  try {
    await api.call(listProviderApps, { path: { projectIdOrName } });
  } catch (error) {
    assertFailure(error);
    if (error instanceof NotFoundError) throw error.setFacts({ done: "Nothing was sent." });
  }
}

/**
 * Refuses the state of another target, and that of a project whose name is another project's by now: what it knows does not exist
 * there. A project that is given by its ID cannot change, and needs no request.
 * @throws {NotFoundError} if the service does not have the given project
 * @throws {ConflictError} with both IDs
 */
export async function assertSameProject(
  saved: RoutingState,
  { given, location, isChosen, identify, assertExists }: NamedProject,
): Promise<void> {
  const own = saved.target;
  if (!isSameTarget(own, given)) await assertExists();
  assertSameTarget(saved, given);
  if (own.name === undefined || own.project === given.project) return;
  const now = await identifyIfAnswered(identify, given);
  // A service that does not report the project says nothing of its ID.
  if (now.name === undefined || now.project === own.project) return;
  const state = isChosen ? { state: { placeholder: "location" } } : {};
  throw new ConflictError(`The name ${given.project} now belongs to another project`, {
    detail: `The state ${location} belongs to the project with ID ${own.project}; ${describeTarget(now)} now has the name.`,
    remedy: isChosen
      ? "Pass the ID of the new project, and choose another location for its state."
      : `Pass the ID of the new project: it then has its own state. To use the name again, move ${location} away: it is the state of the old project.`,
    done: "Nothing was changed.",
    suggestion: suggest("notify status", [], { project: now.project, ...state }),
    data: { state: own, target: now },
  });
}
