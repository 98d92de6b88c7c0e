import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { withoutAccents } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { groupOf, ownerNames } from "./cells.ts";
import { diagnosisText } from "./diagnosis.ts";
import { chooseOne, findByIdOrName, type Lookup, mentionedIn } from "./find.ts";
import { type NamedInstallation, type SearchedInstallations, withName } from "./installations.ts";

/** The identifiers in the payload of an event that lead to its installation. */
type EventIds = Readonly<Record<(typeof EVENT_IDS)[number], string | undefined>>;

const EVENT_IDS = [
  "installationId",
  "connectionId",
  "groupRef",
  "integrationId",
  "projectId",
] as const;

type Capabilities = Pick<CommandContext, "interactive" | "prompt" | "report">;

/**
 * The installation that a text means: an ID of it or of its connection, a name of its owner, or the
 * payload of an event.
 * @param names loads the names of the integrations, for a choice
 */
export async function findInstallation(
  { installations, where }: SearchedInstallations,
  wanted: string,
  names: () => Promise<ReadonlyMap<string, string>>,
  capabilities: Capabilities,
  search: Pick<Lookup<NamedInstallation>, "argument" | "again" | "exact">,
): Promise<NamedInstallation> {
  const lookup: Lookup<NamedInstallation> = {
    noun: "installation",
    ...search,
    list: suggest("installations list", [], { allIntegrations: true }),
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
  const event = eventIds(wanted);
  if (event === undefined) {
    if (isJsonLike(wanted) && mentionedIn(installations, wanted, lookup).length === 0) {
      throw uselessEvent(wanted);
    }
    return findByIdOrName(installations, wanted, lookup, capabilities);
  }
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
        capabilities.report.notice(
          `${missed} of the event is not listed; it may have been deleted. Found by ${what} ${value}.`,
        );
      }
      return chooseOne(found, `the event's ${what} ${value}`, lookup, capabilities);
    }
    missed ??= `${what[0]?.toUpperCase()}${what.slice(1)} ${value}`;
  }
  throw notListed(event, installations, where);
}

/** The values that distinguish installations, with the likely cause of a stopped sync. */
/** The list of all that match, if the filter of its column finds the same ones. */
function listedByGroup(found: readonly NamedInstallation[], wanted: string) {
  const isListed = (one: NamedInstallation) => {
    const group = groupOf(one);
    const shown = group?.groupName || group?.groupRef || "";
    return withoutAccents(shown).includes(withoutAccents(wanted));
  };
  if (!found.every(isListed)) return undefined;
  const filter = [`group~${wanted}`];
  return suggest("installations list", [], { allIntegrations: true, filter });
}

function describe(installation: NamedInstallation) {
  const { id, config, connection, healthStatus } = installation;
  const group = groupOf(installation);
  return {
    id,
    group: group?.groupName || group?.groupRef || undefined,
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

function notListed(
  { installationId, connectionId, groupRef, projectId }: EventIds,
  installations: readonly NamedInstallation[],
  where: string,
): NotFoundError {
  const [other] = installations;
  const isElsewhere = projectId && other !== undefined && other.projectId !== projectId;
  const about = installationId ?? connectionId ?? groupRef;
  return new NotFoundError(`No installation matches the event of ${about}`, {
    detail: where,
    ...(isElsewhere
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
  let event: unknown;
  try {
    event = parseJson(text);
  } catch {
    return undefined;
  }
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
