import type { Connection, Installation, ReadObject } from "../api/schemas/installation.ts";
import {
  type Block,
  type Cell,
  id,
  joined,
  type Page,
  type PageRow,
  row,
  time,
} from "../view/view.ts";
import { creatorText, groupCell, stateCell } from "./cells.ts";

/** An installation as a page, in the order in which support needs it. */
export function installationPage(installation: Installation): Page {
  const { group, config } = installation;
  const objects = Object.entries(config.content?.read?.objects ?? {});
  const name = groupCell(installation);
  return {
    title: name,
    aside:
      joined([config.content?.provider ?? installation.connection.provider, installation.id]) ?? "",
    blocks: [
      {
        kind: "rows",
        rows: [
          ...row("Diagnosis", diagnosis(installation)),
          ...row("Health", stateCell(installation.healthStatus)),
          ...row("Last operation", stateCell(installation.lastOperationStatus)),
        ],
      },
      { kind: "rows", heading: "Connection", rows: connectionRows(installation.connection) },
      {
        kind: "rows",
        heading: "Installation",
        rows: [
          ...row("ID", id(installation.id)),
          ...row("Project", installation.projectId),
          ...row("Integration", installation.integrationId),
          ...row("Group", joined([group?.groupName, group?.groupRef && `ref ${group.groupRef}`])),
          ...row("Group created", time(group?.createTime)),
          ...row("Installed", time(installation.createTime)),
          ...row("Installed by", creatorText(installation.createdBy)),
          ...row("Config changed", time(installation.updateTime)),
          ...row(
            "Config",
            joined([config.id, config.revisionId && `revision ${config.revisionId}`]),
          ),
          ...row("Config created", time(config.createTime)),
          ...row("Config created by", config.createdBy ? creatorText(config.createdBy) : undefined),
        ],
      },
      ...(objects.length === 0
        ? [{ kind: "text", text: "Reads no objects.", tone: "dim" } satisfies Block]
        : [{ kind: "rows", heading: "Reads", rows: objects.flatMap(readRows) } satisfies Block]),
    ],
  };
}

function connectionRows(connection: Connection): PageRow[] {
  const { consumer } = connection;
  return [
    ...row("Status", stateCell(connection.status)),
    ...row("Provider", connection.provider),
    ...row("Scheme", connection.authScheme),
    ...row(
      "Consumer",
      joined([consumer?.consumerName, consumer?.consumerRef && `ref ${consumer.consumerRef}`]),
    ),
    ...row("Connected", time(connection.createTime)),
    ...row("ID", id(connection.id)),
  ];
}

function readRows([name, object]: [string, ReadObject]): PageRow[] {
  const selection = Object.entries(object.selectedFields ?? {});
  const fields = selection.filter(([, selected]) => selected).map(([field]) => field);
  const left = selection.filter(([, selected]) => !selected).map(([field]) => field);
  const lines: Cell[] = [
    joined([
      object.schedule && `schedule ${object.schedule}`,
      object.destination && `to ${object.destination}`,
    ]) ?? "no schedule",
    fields.length > 0 ? `fields ${fields.join(", ")}` : "no fields selected",
    ...(left.length > 0
      ? [{ text: `not selected ${left.join(", ")}`, tone: "dim" } satisfies Cell]
      : []),
  ];
  return row(object.objectName || name, lines);
}

/** Why a sync may have stopped, as far as the installation itself shows it. */
function diagnosis({ connection, healthStatus, lastOperationStatus }: Installation): Cell {
  if (connection.status === "bad_credentials") {
    return {
      text: `${connection.provider ?? "The provider"} no longer accepts the credentials; the customer must reconnect`,
      tone: "bad",
    };
  }
  if (connection.status === "created") {
    return { text: "The connection was created but has not been used yet", tone: "attention" };
  }
  const works = connection.status === "working" ? ", but the connection works" : "";
  if (lastOperationStatus === "failure") {
    return healthStatus === "healthy"
      ? {
          text: `The last operation failed${works}; the service still reports the installation as healthy`,
          tone: "attention",
        }
      : { text: `The last operation failed${works}; see below what it reads`, tone: "bad" };
  }
  if (healthStatus === "healthy") return undefined;
  const operation =
    lastOperationStatus === "in_progress"
      ? "an operation is in progress, so it may be recovering"
      : "no failed operation is reported";
  return { text: `Unhealthy${works}; ${operation}`, tone: "attention" };
}
