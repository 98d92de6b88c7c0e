import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import { capitalised } from "../values/counted.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { withoutAccents } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { tried } from "../values/tried.ts";
import { groupName, ownerNames } from "./cells.ts";
import { diagnosisText } from "./diagnosis.ts";
import { type Asker, chooseOne, type Lookup } from "./find.ts";
import { findByText, type InstallationLookup } from "./find-by-text.ts";
import { type NamedInstallation, type SearchedInstallations, withName } from "./installations.ts";
import { mentionedIn } from "./matches.ts";
import { mentionedOperation, operationIfShown } from "./operations.ts";

/** The identifiers in the payload of an event that lead to its installation. */
type EventIds = Readonly<Record<(typeof EVENT_IDS)[number], string | undefined>>;

const EVENT_IDS = [
  "installationId",
  "connectionId",
  "groupRef",
  "integrationId",
  "projectId",
] as const;

type Reporting = Asker & Pick<CommandContext, "report">;

interface Search extends Pick<Lookup<NamedInstallation>, "argument" | "exact"> {
  /** The names of the integrations, for a choice. */
  readonly names: () => Promise<ReadonlyMap<string, string>>;
  readonly again: InstallationLookup["again"];
  /** Whether only one integration is searched: then a miss leads to a search of all. */
  readonly isNarrow?: boolean;
}

/**
 * The installation that a text means: an ID of it, of its connection or of one of its operations, a
 * name of its owner, or the payload of an event.
 */
export async function findInstallation(
  searched: SearchedInstallations,
  wanted: string,
  context: Reporting & Pick<CommandContext, "api"> & { readonly project: string },
  search: Search,
): Promise<NamedInstallation> {
  const { installations } = searched;
  const lookup = lookupOf(searched, wanted, search);
  const event = eventIds(wanted);
  if (event !== undefined) return findByEvent(searched, event, lookup, context);
  const isMentioned = mentionedIn(installations, wanted, lookup).length > 0;
  const mentioned = isMentioned ? undefined : mentionedOperation(wanted);
  // A command that changes the installation takes the whole ID alone.
  const isTaken = !search.exact || mentioned === wanted.toLowerCase();
  if (mentioned !== undefined && isTaken) {
    const operation = await operationIfShown(context, mentioned);
    return findByOperation(searched, mentioned, operation?.installationId, lookup);
  }
  if (isJsonLike(wanted) && !isMentioned) throw uselessEvent(wanted);
  return findByText(installations, wanted, { names: search.names, lookup }, context);
}

function lookupOf(
  { installations, where }: SearchedInstallations,
  wanted: string,
  { names, ...search }: Search,
): InstallationLookup {
  const all =
    installations.length === 0
      ? suggest("projects list")
      : suggest("installations list", [], { allIntegrations: true });
  return {
    noun: "installation",
    ...search,
    list: search.isNarrow ? search.again(wanted) : all,
    ids: ({ id, connection }) => [id, connection.id],
    names: ownerNames,
    describe,
    // Whoever asks for a customer mostly has one with a problem.
    rank: ({ healthStatus }) => (healthStatus === "unhealthy" ? 0 : 1),
    listed: (found) => listedByGroup(found, wanted),
    complete: async (found) => {
      const known = await names();
      return found.map((one) => withName(one, known));
    },
    where,
  };
}

function findByOperation(
  { installations, where }: SearchedInstallations,
  operationId: string,
  of: string | null | undefined,
  { list }: InstallationLookup,
): NamedInstallation {
  const found = installations.find(({ id }) => id === of);
  if (found !== undefined) return found;
  throw new NotFoundError(`No installation matches the operation ${operationId}`, {
    detail: of ? `It belongs to installation ${of}. ${where}` : where,
    remedy: of ? "It may have been deleted since then." : "Check the ID.",
    suggestion: list,
  });
}

async function findByEvent(
  { installations, where }: SearchedInstallations,
  event: EventIds,
  lookup: InstallationLookup,
  context: Reporting,
): Promise<NamedInstallation> {
  const ways = [
    ["installation", event.installationId, ({ id }: NamedInstallation) => [id]],
    ["connection", event.connectionId, ({ connection }: NamedInstallation) => [connection.id]],
    ["group", event.groupRef, groupRefs],
  ] as const;
  let missed: string | undefined;
  for (const [what, value, idsOf] of ways) {
    if (value === undefined) continue;
    const all = installations.filter((one) => idsOf(one).includes(value));
    const ofIntegration = all.filter((one) => one.integrationId === event.integrationId);
    const found = ofIntegration.length > 0 ? ofIntegration : all;
    if (found.length > 0) {
      if (missed) {
        context.report.notice(
          `${missed} of the event is not listed; it may have been deleted. Found by ${what} ${value}.`,
        );
      }
      noticeOtherProject(event, found[0], context);
      return chooseOne(found, `the event's ${what} ${value}`, lookup, context);
    }
    // Of another project, only the very ID is not another customer's.
    if (isElsewhere(event, installations[0])) break;
    missed ??= `${capitalised(what)} ${value}`;
  }
  throw notListed(event, installations, where);
}

/** The list of all that match, if the filter of its column finds the same ones. */
function listedByGroup(found: readonly NamedInstallation[], wanted: string) {
  const isListed = (one: NamedInstallation) =>
    withoutAccents(groupName(one) ?? "").includes(withoutAccents(wanted));
  if (!found.every(isListed)) return undefined;
  const filter = [`group~${wanted}`];
  return suggest("installations list", [], { allIntegrations: true, filter });
}

/** The values that distinguish installations, with the likely cause of a stopped sync. */
function describe(installation: NamedInstallation) {
  const { id, config, connection, healthStatus } = installation;
  return {
    id,
    group: groupName(installation),
    integration: installation.integrationName ?? installation.integrationId,
    provider: config.content?.provider ?? connection.provider,
    health: healthStatus,
    diagnosis:
      diagnosisText(installation) ||
      (healthStatus === "healthy" ? "no problem reported" : healthStatus),
  };
}

function groupRefs({ group, connection }: NamedInstallation) {
  return [group?.groupRef, connection.group?.groupRef];
}

function isElsewhere({ projectId }: EventIds, one: Pick<Installation, "projectId"> | undefined) {
  return projectId !== undefined && one !== undefined && one.projectId !== projectId;
}

/** Says that what was found is not of the project that an event names. */
export function noticeOtherProject(
  event: EventIds | undefined,
  found: Installation | undefined,
  { report }: Pick<CommandContext, "report">,
): void {
  if (event === undefined || !isElsewhere(event, found)) return;
  report.notice(`The event belongs to project ${event.projectId}, not to ${found?.projectId}.`);
}

function notListed(
  event: EventIds,
  installations: readonly NamedInstallation[],
  where: string,
): NotFoundError {
  const { installationId, connectionId, groupRef, projectId } = event;
  const about = installationId ?? connectionId ?? groupRef;
  return new NotFoundError(`No installation matches the event of ${about}`, {
    detail: where,
    ...(projectId && isElsewhere(event, installations[0])
      ? {
          remedy: `The event belongs to project ${projectId}. Search there.`,
          suggestion: suggest("installations get", ["-"], { project: projectId }),
        }
      : {
          remedy: "It may have been deleted since then.",
          suggestion: suggest("installations list", [], { allIntegrations: true }),
        }),
  });
}

function isJsonLike(text: string): boolean {
  return /^\s*[{[]/u.test(text);
}

/** The error for JSON, or a part of it, in which no installation is named. */
function uselessEvent(text: string): UsageError {
  try {
    parseJson(text);
  } catch (error) {
    return new UsageError(
      "The event is not valid JSON",
      { remedy: "Save it to a file, and add < FILE to the command." },
      { cause: error },
    );
  }
  return new UsageError("The event has no installationId, connectionId or groupRef");
}

/** The identifiers of an event; undefined for a text that is not JSON, and where it has none. */
export function eventIds(text: string): EventIds | undefined {
  if (!isJsonLike(text)) return undefined;
  const event: unknown = tried(() => parseJson(text));
  // A stream receives the data alone.
  const data = isJsonObject(event) && isJsonObject(event.data) ? event.data : event;
  const ids = Object.fromEntries(
    EVENT_IDS.map((name) => {
      const value = isJsonObject(data) ? data[name] : undefined;
      return [name, typeof value === "string" && value !== "" ? value : undefined];
    }),
  ) as EventIds;
  return (ids.installationId ?? ids.connectionId ?? ids.groupRef) ? ids : undefined;
}
