import { listConnections } from "../../api/operations/endpoints.ts";
import type { ListedConnection } from "../../api/schemas/installation.ts";
import { defineCommand, id, table, text, time } from "../../cli/define.ts";
import { explainEmpty } from "../../inspect/empty-list.ts";
import { stateCell } from "../../inspect/installations.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "Credentials are never requested, and are hidden if the service sends them.",
  options: {
    provider: text("show only the connections to this provider", { placeholder: "name" }),
    groupRef: text("show only the connections of this group", { placeholder: "ref" }),
    consumerRef: text("show only the connections of this consumer", { placeholder: "ref" }),
  },
  needs: ["project"],
  examples: [
    "amp connections list --provider hubspot",
    "amp connections list --group-ref acme --json",
  ],
  fields: RESULT_FIELDS.connection,
  run: async (context) => {
    const { api, project, options: limits } = context;
    const read = (query: Partial<typeof limits>) =>
      api.list(listConnections, { path: { projectIdOrName: project }, query });
    const limited = {
      noun: "connection",
      limits,
      all: () => read({}),
      ownerOf: (one: ListedConnection) => one,
      again: (others: Partial<typeof limits>) => suggest("connections list", [], others),
    };
    return explainEmpty(await read(limits), limited, context);
  },
  view: table<ListedConnection>(
    ["connection", "connections"],
    {
      Group: ({ group }) => group?.groupName || group?.groupRef,
      Status: ({ status }) => stateCell(status),
      Provider: "provider",
      Consumer: ({ consumer }) => consumer?.consumerName || consumer?.consumerRef,
      Scheme: "authScheme",
      Created: ({ createTime }) => time(createTime),
      ID: (connection) => id(connection.id),
    },
    {
      next: suggest("connections get", [{ placeholder: "id" }]),
      tally: { "bad credentials": ({ status }) => status === "bad_credentials" },
    },
  ),
});
