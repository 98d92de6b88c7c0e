import { listProjects } from "../../api/operations/endpoints.ts";
import type { Project } from "../../api/schemas/project.ts";
import { defineCommand, id, record, required, row, rows, text, time } from "../../cli/define.ts";
import { findByIdOrName } from "../../questions/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "Searches the list of projects by name, or by ID or a unique prefix of it.",
  args: { project: required(text("project name or ID", { complete: "project" })) },
  examples: ["amp projects get acme", "amp projects get acme --json --fields id,orgId"],
  fields: RESULT_FIELDS.project,
  run: async (context) =>
    findByIdOrName(
      await context.api.call(listProjects, {}),
      context.args.project,
      {
        noun: "project",
        argument: "<project>",
        list: suggest("projects list"),
        again: (name) => suggest("projects get", [name]),
        ids: ({ id }) => [id],
        names: ({ name, appName }) => [name, appName],
        describe: ({ id, name, orgId }) => ({ id, name, orgId }),
      },
      context,
    ),
  view: record<Project>((project) => ({
    title: project.name ?? project.id,
    aside: project.id,
    blocks: [
      rows([
        ...row("ID", id(project.id)),
        ...row("App", project.appName),
        ...row("Organisation", id(project.orgId)),
        ...row("Created", time(project.createTime)),
        ...row("Updated", time(project.updateTime)),
      ]),
    ],
  })),
});
