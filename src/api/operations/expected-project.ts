import { isLocalName } from "../../runtime/loopback.ts";
import { tried } from "../../values/basics.ts";
import { apiErrors } from "../errors.ts";
import type { Project } from "../schemas/project.ts";
import type { Api } from "./endpoint.ts";
import { listProjects } from "./endpoints.ts";
import { isUnavailable } from "./optional-operation.ts";

/** The project that writes are meant for, by name or ID, and the setting that says so. */
interface Expectation {
  readonly value: string;
  readonly source: string;
}

/** The target of a write: a project, an organisation, or neither as far as its path says. */
type WritePlace =
  | { readonly project: string }
  | { readonly org: string }
  | { readonly path: string };

/**
 * Checks that writes go to the expected project and no other. Lists the projects once: the name
 * that a command uses may belong to another project at the service.
 */
export function createProjectCheck(expected: Expectation) {
  const listed = new Map<string, Promise<readonly Project[]>>();

  async function check(api: Pick<Api, "call">, baseUrl: string, place: WritePlace): Promise<void> {
    const projects = listed.get(baseUrl) ?? api.call(listProjects, {});
    listed.set(baseUrl, projects);
    try {
      assertExpected(expected, await projects, place);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throw apiErrors.project_not_verified(expected.source, error.message);
    }
  }

  return {
    /**
     * Checks the project of a command.
     * @throws {ConflictError} if it is another one, or the service does not list projects
     */
    project: (api: Pick<Api, "call">, baseUrl: string, project: string) =>
      check(api, baseUrl, { project }),
    /** Checks the URL of a request that writes; the errors are those of `project`. */
    request: async (api: Pick<Api, "call">, baseUrl: string, url: URL) => {
      // The acts on a sandbox of this machine, beside the service that it stands for.
      if (isLocalName(url.hostname) && url.pathname.startsWith("/_sandbox/")) return;
      await check(api, baseUrl, placeOf(baseUrl, url));
    },
  };
}

function placeOf(baseUrl: string, { pathname }: URL): WritePlace {
  const root = `${new URL(baseUrl).pathname.replace(/\/+$/u, "")}/`;
  const below = pathname.startsWith(root) ? pathname.slice(root.length) : "";
  const [noun, name = ""] = below.split("/");
  const decoded = tried(() => decodeURIComponent(name)) ?? name;
  if (noun === "projects" && name !== "") return { project: decoded };
  if (noun === "orgs" && name !== "") return { org: decoded };
  return { path: pathname };
}

/** @throws {ConflictError} unless the place belongs to the expected project, as the service says */
function assertExpected(
  { value: wanted, source }: Expectation,
  projects: readonly Project[],
  place: WritePlace,
): void {
  const named = (name: string) => (one: Project) => one.id === name || one.name === name;
  const other = (problem: string, detail?: string) =>
    apiErrors.project_not_expected(source, wanted, problem, detail);
  if ("path" in place) throw other(`${place.path} does not belong to a project`);
  if ("org" in place) {
    const orgs = projects.filter(named(wanted)).map(({ orgId }) => orgId);
    if (orgs.length > 0 && orgs.every((org) => org === place.org)) return;
    throw other(`it is not known to belong to organisation ${place.org}`);
  }
  const found = projects.filter(named(place.project));
  if (found.length > 0 && found.every(named(wanted))) return;
  const actual = found.map(({ id, name }) => (name ? `${name} (${id})` : id)).join(" and ");
  throw other(
    `this command writes to project ${place.project}`,
    found.length === 0
      ? `The service lists no project ${place.project} for this credential.`
      : `The service has it as ${actual}.`,
  );
}
