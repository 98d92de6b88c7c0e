import type { Group, Installation } from "../../api/schemas/installation.ts";
import {
  type Block,
  type Cell,
  cellText,
  defineCommand,
  id,
  joined,
  nextBlock,
  type Page,
  type PageRow,
  phrase,
  record,
  required,
  row,
  rows,
  time,
} from "../../cli/define.ts";
import { configBlocks } from "../../inspect/config-blocks.ts";
import {
  diagnosis,
  type NotedInstallation,
  unknownReads,
  withReadNotes,
} from "../../inspect/diagnosis.ts";
import { isRead, oneInstallation } from "../../inspect/find-installation.ts";
import {
  creatorText,
  groupCell,
  groupOf,
  type NamedInstallation,
  refText,
  stateCell,
} from "../../inspect/installations.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { formatFacts } from "../../values/setting.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "Shows the likely cause of a stopped sync first, as far as the service reports it, and on a terminal since when an unhealthy one fails; to check the operations too, use amp case create. Searches all installations of the project, or those of the integration that --integration, AMP_INTEGRATION or the project file names. Case, accents and word order of names do not matter. If several match, amp asks on a terminal which one you mean. The text may also be the payload of an event, or a message that has an ID or name.",
  args: { installation: required(phrase(INSTALLATION)) },
  options: SEARCH_OPTIONS,
  needs: ["project"],
  examples: [
    'amp installations get "Acme Corp"',
    "amp installations get ins_7f3a --json --fields healthStatus,connection.status",
    { run: "amp installations get -", note: "with the body of a webhook on standard input" },
  ],
  fields: RESULT_FIELDS.installation,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { args, output } = context;
    const isPage = formatFacts(output.format()).isRead !== undefined;
    const named = { isNamed: isPage };
    const found = await oneInstallation(context, args.installation, "installations get", named);
    if (!isPage) return found;
    const isReader = isRead(output);
    // A program that reads the page does not wait for what takes more requests.
    if (!isReader || found.healthStatus !== "unhealthy")
      return withReadNotes(context, found, isReader);
    const { withCauses } = await import("../../inspect/failing.ts");
    const [known = found] = await withCauses(context, [found], undefined);
    return withReadNotes(context, known, isReader);
  },
  view: { ...record(installationPage), ticketPage },
});

/** An installation as a page, in the order in which support reads it. */
function installationPage(installation: NotedInstallation): Page {
  const { config, connection, integrationName, id: own } = installation;
  const provider = config.content?.provider ?? connection.provider;
  return {
    title: groupCell(installation),
    aside: joined([provider, integrationName, own]) ?? "",
    blocks: [
      rows([
        ...row("Diagnosis", diagnosis(installation) ?? unseen(installation)),
        ...row("Failing since", time(installation.failingSince, installation.failingLonger)),
        ...row("Cause", installation.failureCause),
        ...row("Health", stateCell(installation.healthStatus)),
        ...row("Last operation", stateCell(installation.lastOperationStatus)),
        ...row("Last op began", time(installation.lastOperationTime)),
      ]),
      rows(installation.readNotes?.backfills ?? [], "Backfills"),
      rows(connectionRows(installation), "Connection"),
      rows(installationRows(installation), "Installation"),
      ...configBlocks(config, unknownReads(installation), installation.readNotes),
      nextBlock(nextCommand(installation)),
    ],
  };
}

/**
 * That nothing is wrong by the record, which says nothing of operations that fail or no longer run.
 */
function unseen({ healthStatus }: NotedInstallation): string | undefined {
  return healthStatus === "healthy"
    ? "no problem reported; its operations were not checked"
    : undefined;
}

/**
 * The command that says why, since when and for whom else. Also of what looks healthy: a customer
 * may miss records of which the installation itself says nothing.
 */
function nextCommand({ id: wanted, caseFile }: NotedInstallation): SuggestedCommand {
  // Inside a case, another case is refused.
  return caseFile ? suggest("case show", [caseFile]) : suggest("case create", [wanted]);
}

function installationRows(installation: NamedInstallation): PageRow[] {
  const { config, projectId } = installation;
  const group = groupOf(installation);
  return [
    ...row("ID", id(installation.id)),
    ...row("Project", installation.projectId),
    ...row("Integration", joined([installation.integrationName, installation.integrationId])),
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
        refText(consumer?.consumerRef),
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
    refText(group?.groupRef),
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

const LEFT_OUT = "[name removed]";
const ADDRESS = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/**
 * The page of an installation for a ticket, which more people read than may know the customer's
 * users: without their names and addresses, and without secrets that a text quotes.
 */
function ticketPage(page: Page, installation: Installation): Page {
  const { connection, id } = installation;
  const person = connection.consumer?.consumerName?.trim() ?? "";
  const clean = (text: string) => {
    const plain = text.replace(ADDRESS, LEFT_OUT);
    return person === "" ? plain : plain.replaceAll(person, LEFT_OUT);
  };
  const cell = (value: Cell): Cell => {
    if (typeof value === "string") return clean(value);
    if (typeof value !== "object" || value === null) return value;
    const { raw } = value;
    return { ...value, text: clean(value.text), ...(raw === undefined ? {} : { raw: clean(raw) }) };
  };
  const title = cell(page.title);
  return {
    ...page,
    // A group of one person has the name of that person.
    title: cellText(title) === LEFT_OUT ? id : title,
    blocks: page.blocks.map((block) => cleanBlock(block, cell, clean)),
  };
}

function cleanBlock(
  block: Block,
  cell: (value: Cell) => Cell,
  clean: (text: string) => string,
): Block {
  if (block.kind === "text") return { ...block, text: clean(block.text) };
  if (block.kind !== "rows") return block;
  const rows = block.rows.map(([label, value]) => {
    const cells = Array.isArray(value) ? value.map(cell) : cell(value as Cell);
    return [clean(label), cells] as const;
  });
  return { ...block, rows };
}
