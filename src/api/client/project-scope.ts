import { statedProject } from "../../values/stated-project.ts";
import { projectInPath } from "../request/url.ts";

/** Looks at the records of a list for those of another project. */
export type ProjectScope = ReturnType<typeof createProjectScope>;

/**
 * Remembers the project that the records of each project's lists have: a service that ignores the
 * project of the path lists those of others, too. Its ID is not known where the path has a name, and
 * would cost a request; that all records have the same one costs none.
 */
export function createProjectScope() {
  const known = new Map<string, string>();
  /** @returns the problem of a list that has records of several projects */
  return (url: URL, records: readonly unknown[]): string | undefined => {
    const project = projectInPath(url);
    if (project === undefined) return undefined;
    for (const record of records) {
      const id = statedProject(record);
      if (id === undefined) continue;
      const first = known.get(project) ?? id;
      known.set(project, first);
      if (id === first) continue;
      return `The lists of project ${JSON.stringify(project)} have resources of the projects ${first} and ${id}.`;
    }
    return undefined;
  };
}
