import type { Connection, Installation, ReadObject } from "../api/schemas/installation.ts";
import {
  type Cell,
  id,
  joined,
  type Page,
  type PageRow,
  row,
  rows,
  time,
  toned,
} from "../view/view.ts";
import { creatorText, groupCell, stateCell } from "./cells.ts";

/** An installation as a page, in the order in which support needs it. */
export function installationPage(installation: Installation): Page {
  const { config, connection } = installation;
  const objects = Object.entries(config.content?.read?.objects ?? {});
  return {
    title: groupCell(installation),
    aside: joined([config.content?.provider ?? connection.provider, installation.id]) ?? "",
    blocks: [
      rows([
        ...row("Diagnosis", diagnosis(installation)),
        ...row("Health", stateCell(installation.healthStatus)),
        ...row("Last operation", stateCell(installation.lastOperationStatus)),
      ]),
      rows(connectionRows(connection), "Connection"),
      rows(installationRows(installation), "Installation"),
      objects.length === 0
        ? { kind: "text", text: "Reads no objects.", tone: "dim" }
        : rows(objects.flatMap(readRows), "Reads"),
    ],
  };
}

function installationRows(installation: Installation): PageRow[] {
  const { group, config } = installation;
  return [
    ...row("ID", id(installation.id)),
    ...row("Project", installation.projectId),
    ...row("Integration", installation.integrationId),
    ...row("Group", joined([group?.groupName, group?.groupRef && `ref ${group.groupRef}`])),
    ...row("Group created", time(group?.createTime)),
    ...row("Installed", time(installation.createTime)),
    ...row("Installed by", creatorText(installation.createdBy)),
    ...row("Config changed", time(installation.updateTime)),
    ...row("Config", joined([config.id, config.revisionId && `revision ${config.revisionId}`])),
    ...row("Config created", time(config.createTime)),
    ...row("Config created by", config.createdBy && creatorText(config.createdBy)),
  ];
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
    left.length > 0 ? toned("dim", `not selected ${left.join(", ")}`) : undefined,
  ];
  return row(object.objectName || name, lines);
}

/** Why a sync may have stopped, as far as the installation itself shows it. */
function diagnosis({ connection, healthStatus, lastOperationStatus }: Installation): Cell {
  if (connection.status === "bad_credentials") {
    const provider = connection.provider ?? "The provider";
    return toned(
      "bad",
      `${provider} no longer accepts the credentials; the customer must reconnect`,
    );
  }
  if (connection.status === "created") {
    return toned("attention", "The connection was created but has not been used yet");
  }
  const works = connection.status === "working" ? ", but the connection works" : "";
  if (lastOperationStatus === "failure") {
    const failed = `The last operation failed${works}`;
    return healthStatus === "healthy"
      ? toned("attention", `${failed}; the service still reports the installation as healthy`)
      : toned("bad", `${failed}; see below what it reads`);
  }
  if (healthStatus === "healthy") return undefined;
  const operation =
    lastOperationStatus === "in_progress"
      ? "an operation is in progress, so it may be recovering"
      : "no failed operation is reported";
  return toned("attention", `Unhealthy${works}; ${operation}`);
}
