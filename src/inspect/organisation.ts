import { listProjects } from "../api/operations/endpoints.ts";
import { isUnavailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { joined } from "../view/view.ts";

type OrganisationContext = Pick<
  CommandContext,
  "api" | "settings" | "report" | "interactive" | "prompt"
>;

/**
 * The organisation of a command without `--org`: that of the project, or the only one that the
 * projects are of, or the one that is chosen on a terminal.
 * @throws {UsageError} with those that there are, where none of this says it
 */
export async function organisationOf(context: OrganisationContext): Promise<string> {
  const { api, settings, report, interactive, prompt } = context;
  const project = settings.get("project")?.value;
  const projects = await api.call(listProjects, {}).catch((error: unknown) => {
    if (isUnavailable(error)) return [];
    throw error;
  });
  const own = projects.find(({ id, name }) => project && [id, name].includes(project));
  const names = new Map<string, string[]>();
  for (const { orgId, name, id } of projects) {
    if (orgId) names.set(orgId, [...(names.get(orgId) ?? []), name || id]);
  }
  const [only, ...others] = names.keys();
  const found = own?.orgId || (others.length === 0 ? only : undefined);
  const textOf = (org: string) => `project ${names.get(org)?.join(", ")}`;
  if (found) {
    report.notice(`Organisation ${found}, of ${textOf(found)}.`);
    return found;
  }
  const organisations = [...names.keys()];
  if (interactive && organisations.length > 0) {
    const choices = organisations.map((value) => ({ value, label: value, note: textOf(value) }));
    return prompt.select({ message: "Which organisation?", flag: "--org", choices });
  }
  const known = organisations.map((org) => `${org} (${textOf(org)})`);
  throw new UsageError("missing option --org", {
    remedy:
      joined(
        [
          "--org can also come from AMP_ORG or the profile.",
          project &&
            projects.length > 0 &&
            own === undefined &&
            `The service lists no project ${project}.`,
          known.length > 0 && `The organisations are ${known.join(", ")}.`,
        ],
        " ",
      ) ?? "",
  });
}
