import { listConnections } from "../../api/operations/endpoints.ts";
import type { ListedConnection } from "../../api/schemas/installation.ts";
import {
  defineCommand,
  entryTexts,
  id,
  joined,
  nextBlock,
  type Page,
  record,
  required,
  row,
  rows,
  text,
  time,
} from "../../cli/define.ts";
import { refText, stateCell } from "../../inspect/installations.ts";
import { findByIdOrName, type Lookup } from "../../questions/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Searches the connections of the project by ID or a unique prefix of it, or by the name or ref of its group or consumer. If several match, amp asks on a terminal which one you mean. Credentials are never requested.",
  args: {
    connection: required(
      text("connection ID, or a name or ref of its owner", { complete: "customer" }),
    ),
  },
  needs: ["project"],
  examples: ['amp connections get "Acme Corp"', "amp connections get con_5f0c2e91 --json"],
  fields: RESULT_FIELDS.connection,
  exits: { conflict: "several connections match" },
  run: async (context) => {
    const path = { projectIdOrName: context.project };
    const lookup: Lookup<ListedConnection> = {
      noun: "connection",
      argument: "<connection>",
      list: suggest("connections list"),
      again: (name) => suggest("connections get", [name]),
      ids: (connection) => [connection.id],
      names: ({ group, consumer }) => [
        group?.groupName,
        group?.groupRef,
        consumer?.consumerName,
        consumer?.consumerRef,
      ],
      describe: ({ id, group, consumer, provider, status }) => ({
        id,
        group: group?.groupName || group?.groupRef,
        consumer: consumer?.consumerName || consumer?.consumerRef,
        provider,
        status,
      }),
    };
    const all = await context.api.call(listConnections, { path });
    return findByIdOrName(all, context.args.connection, lookup, context);
  },
  view: record(connectionPage),
});

function connectionPage(connection: ListedConnection): Page {
  const { group, consumer, provider, providerApp, providerMetadata } = connection;
  const owner = [group?.groupName, group?.groupRef].find(Boolean);
  return {
    title: owner ?? connection.id,
    aside: joined([provider, connection.id]) ?? "",
    blocks: [
      rows([
        ...row("ID", id(connection.id)),
        ...row("Status", stateCell(connection.status)),
        ...row("Provider", provider),
        ...row("Scheme", connection.authScheme),
        ...row("Group", joined([group?.groupName, refText(group?.groupRef)])),
        ...row("Consumer", joined([consumer?.consumerName, refText(consumer?.consumerRef)])),
        ...row("Workspace", connection.providerWorkspaceRef),
        ...row("At the provider", connection.providerConsumerRef),
        ...row("Provider app", entryTexts(providerApp)),
        ...row("Metadata", entryTexts(providerMetadata)),
        ...row("Project", connection.projectId),
        ...row("Created", time(connection.createTime)),
        ...row("Updated", time(connection.updateTime)),
      ]),
      nextBlock(suggest("installations get", [connection.id])),
    ],
  };
}
