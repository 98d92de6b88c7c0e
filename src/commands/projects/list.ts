import { listProjects } from "../../api/operations/endpoints.ts";
import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { Project } from "../../api/schemas/project.ts";
import { defineCommand, id, table, time } from "../../cli/define.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "--project and AMP_PROJECT accept the name or the ID of a project.",
  examples: ["amp projects list", "amp projects list --output id"],
  fields: RECORD_FIELDS.project,
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
