import type { Group } from "../api/schemas/installation.ts";
import { isEmptyValue } from "../values/json.ts";
import { oddFieldsOf } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  type Block,
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
import { creatorText, groupCell, groupOf, stateCell } from "./cells.ts";
import { configBlocks, isPaused, readsOf } from "./config-blocks.ts";
import type { NamedInstallation } from "./installations.ts";
import type { NotedInstallation } from "./read-notes.ts";

/** An installation as a page, in the order in which support reads it. */
export function installationPage(installation: NotedInstallation): Page {
  const { config, connection } = installation;
  return {
    title: groupCell(installation),
    aside: joined([config.content?.provider ?? connection.provider, installation.id]) ?? "",
    blocks: [
      rows([
        ...row("Diagnosis", diagnosis(installation)),
        ...row("Health", stateCell(installation.healthStatus)),
        ...row("Last operation", stateCell(installation.lastOperationStatus)),
      ]),
      rows(connectionRows(installation), "Connection"),
      rows(installationRows(installation), "Installation"),
      ...configBlocks(config, hasOddConfig(installation), installation.readNotes),
      ...nextBlock(installation),
    ],
  };
}

/** The command that says why, since when and for whom else, where something is wrong. */
function nextBlock(installation: NamedInstallation): Block[] {
  const isFine = installation.healthStatus === "healthy" && diagnosisText(installation) === "";
  const command = suggest("case create", [installation.id]);
  return isFine ? [] : [{ kind: "command", heading: "Next", lines: [command] }];
}

/** Whether a part of the config came, but not as specified. */
function hasOddConfig(installation: NamedInstallation): boolean {
  return oddFieldsOf(installation).some(
    ({ path, value }) => /^config(?:\.|$)/u.test(path) && !isEmptyValue(value),
  );
}

function installationRows(installation: NamedInstallation): PageRow[] {
  const { config, projectId } = installation;
  const group = groupOf(installation);
  return [
    ...row("ID", id(installation.id)),
    ...row("Project", installation.projectId),
    ...row("Integration", integrationCell(installation)),
    ...row("Group", groupText(group, projectId)),
    ...row("Group created", time(group?.createTime)),
    ...row("Installed", time(installation.createTime)),
    ...row("Installed by", creatorText(installation.createdBy)),
    ...row("Config changed", time(installation.updateTime)),
    ...row(
      "Config provider",
      otherThan(config.content?.provider, installation.connection.provider),
    ),
    ...row("Config", joined([config.id, config.revisionId && `revision ${config.revisionId}`])),
    ...row("Config created", time(config.createTime)),
    ...row("Config created by", config.createdBy && creatorText(config.createdBy)),
  ];
}

/** The name of the integration with its ID, which alone is for a pipe. */
function integrationCell({ integrationId, integrationName }: NamedInstallation): Cell {
  if (integrationName === undefined) return integrationId;
  return { text: `${integrationName} · ${integrationId}`, raw: integrationId };
}

function connectionRows({ connection, group, projectId }: NamedInstallation): PageRow[] {
  const { consumer } = connection;
  const own = sameGroup(connection.group, group ?? connection.group) ? undefined : connection.group;
  return [
    ...row("Status", stateCell(connection.status)),
    ...row("Provider", connection.provider),
    ...row("Scheme", connection.authScheme),
    ...row(
      "Consumer",
      joined([
        consumer?.consumerName,
        consumer?.consumerRef && `ref ${consumer.consumerRef}`,
        projectText(consumer?.projectId, projectId),
      ]),
    ),
    ...row("Consumer created", time(consumer?.createTime)),
    ...row("Group", groupText(own, projectId)),
    ...row("Group created", time(own?.createTime)),
    ...row("Connected", time(connection.createTime)),
    ...row("Project", otherThan(connection.projectId, projectId)),
    ...row("ID", id(connection.id)),
  ];
}

function groupText(group: Group | null | undefined, projectId: string): string | undefined {
  return joined([
    group?.groupName,
    group?.groupRef && `ref ${group.groupRef}`,
    projectText(group?.projectId, projectId),
  ]);
}

/** The project of a part of an installation; shown only if it is not the installation's own. */
function projectText(of: string | null | undefined, projectId: string): string | undefined {
  const other = otherThan(of, projectId);
  return other && `project ${other}`;
}

function otherThan(value: string | null | undefined, usual: string | null | undefined) {
  return value && value !== usual ? value : undefined;
}

function sameGroup(one: Group | null | undefined, other: Group | null | undefined): boolean {
  const fields = ["groupRef", "groupName", "projectId", "createTime"] as const;
  return fields.every((field) => !one?.[field] || one[field] === other?.[field]);
}

/**
 * The likely cause of a stopped sync, as far as the installation itself shows it; empty for a
 * state that amp does not know.
 */
function diagnosis(installation: NamedInstallation): Cell {
  const { config, connection, healthStatus, lastOperationStatus } = installation;
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
      : toned("bad", readsOf(config).length > 0 ? `${failed}; see below what it reads` : failed);
  }
  if (healthStatus === "unhealthy") {
    const operation = operationText(lastOperationStatus);
    return toned("attention", joined([`Unhealthy${works}`, operation], "; ") ?? "");
  }
  const paused = readsOf(config).filter(([, object]) => isPaused(object));
  if (paused.length === 0) return undefined;
  const names = paused.map(([name, object]) => object.objectName || name).join(", ");
  return toned("attention", `Paused in the configuration: reading ${names}`);
}

/** The diagnosis as plain text; empty where nothing is wrong. */
export function diagnosisText(installation: NamedInstallation): string {
  const cell = diagnosis(installation);
  return typeof cell === "object" ? (cell?.text ?? "") : String(cell ?? "");
}

function operationText(status: string | null | undefined): string | undefined {
  if (!status) return "no failed operation is reported";
  if (status === "in_progress") return "an operation is in progress, so it may be recovering";
  return status === "success" ? "the last operation succeeded" : undefined;
}
