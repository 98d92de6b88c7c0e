import { listProjects } from "../../api/operations/endpoints.ts";
import type { Project } from "../../api/schemas/project.ts";
import { defineCommand, id, table, time } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "--project and AMP_PROJECT accept the name or the ID of a project.",
  examples: ["amp projects list", "amp projects list --output id"],
  fields: RESULT_FIELDS.project,
  run: ({ api }) => api.call(listProjects, {}),
  view: table<Project>(
    ["project", "projects"],
    {
      Name: "name",
      App: "appName",
      Organisation: ({ orgId }) => id(orgId),
      Created: ({ createTime }) => time(createTime),
      ID: (project) => id(project.id),
    },
    { next: suggest("projects get", [{ placeholder: "name" }]) },
  ),
});
