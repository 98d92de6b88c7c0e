import type { Connection, Installation, ReadObject } from "../api/schemas/installation.ts";
import { type Block, type Cell, id, type Page, type PageRow, time } from "../view/view.ts";
import { creatorText, groupCell, stateCell } from "./cells.ts";
import { joined, row } from "./describe.ts";

/** An installation laid out for reading: what support is asked about, in that order. */
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
          ...row("In short", explanation(installation)),
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
          ...row("Group since", time(group?.createTime)),
          ...row("Installed", time(installation.createTime)),
          ...row("By", creatorText(installation.createdBy)),
          ...row("Config changed", time(installation.updateTime)),
          ...row(
            "Config",
            joined([config.id, config.revisionId && `revision ${config.revisionId}`]),
          ),
          ...row("Config since", time(config.createTime)),
          ...row("Config by", config.createdBy ? creatorText(config.createdBy) : undefined),
        ],
      },
      ...(objects.length === 0
        ? [{ kind: "text", text: "Reads nothing.", tone: "dim" } satisfies Block]
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
  const chosen = Object.entries(object.selectedFields ?? {});
  const fields = chosen.filter(([, selected]) => selected).map(([field]) => field);
  const left = chosen.filter(([, selected]) => !selected).map(([field]) => field);
  const lines: Cell[] = [
    joined([
      object.schedule && `schedule ${object.schedule}`,
      object.destination && `to ${object.destination}`,
    ]) ?? "no schedule",
    fields.length > 0 ? `fields ${fields.join(", ")}` : "no fields chosen",
    ...(left.length > 0
      ? [{ text: `left out ${left.join(", ")}`, tone: "dim" } satisfies Cell]
      : []),
  ];
  return row(object.objectName || name, lines);
}

/** The one line that says why a sync stopped, as far as the installation itself can tell. */
function explanation({ connection, healthStatus, lastOperationStatus }: Installation): Cell {
  if (connection.status === "bad_credentials") {
    return {
      text: `${connection.provider ?? "The provider"} no longer accepts the credentials: the customer must connect again`,
      tone: "bad",
    };
  }
  if (connection.status === "created") {
    return { text: "The connection was made and has not been used yet", tone: "attention" };
  }
  const works = connection.status === "working" ? ", though the connection works" : "";
  if (lastOperationStatus === "failure") {
    return healthStatus === "healthy"
      ? {
          text: `The last operation failed${works}; the service still counts it as healthy`,
          tone: "attention",
        }
      : { text: `The last operation failed${works}: what it reads stands below`, tone: "bad" };
  }
  if (healthStatus === "healthy") return undefined;
  const operation =
    lastOperationStatus === "in_progress"
      ? "an operation is in progress"
      : "the last operation did not fail";
  return { text: `Unhealthy${works}, and ${operation}: it may be recovering`, tone: "attention" };
}
