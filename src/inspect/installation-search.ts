import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { CommandPath } from "../values/command-paths.ts";
import { once } from "../values/once.ts";
import { suggest } from "../values/suggested-command.ts";
import { UUID } from "../values/uuid.ts";
import type { Asker } from "./find.ts";
import type { InstallationLookup } from "./find-by-text.ts";
import { eventIds, findInstallation, noticeOtherProject } from "./find-installation.ts";
import { integrationId } from "./find-integration.ts";
import {
  integrationNames,
  type NamedInstallation,
  searchedInstallations,
  singleInstallation,
  withName,
} from "./installations.ts";

/** The part of a command's context that searches the installations of a project. */
export type SearchContext = Asker &
  Pick<CommandContext, "api" | "settings" | "output" | "report"> & {
    readonly project: string;
    readonly options: { readonly integration: string | undefined };
  };

/** The installations of a project, among which a command looks for one or several. */
export interface InstallationSearch {
  /**
   * The installation that a text means; with the name of its integration where that is wanted.
   * @param argument the argument that holds the text, by default `<installation>`
   */
  find(wanted: string, argument?: string): Promise<NamedInstallation>;
}

interface SearchOptions {
  /** Whether only a whole ID or name finds one: for a command that changes it. */
  readonly exact?: boolean;
  /** Whether the integration is named; by default where a person reads the result. */
  readonly isNamed?: boolean;
}

/** Whether a person reads the result: on a terminal, or in a ticket. */
export function isRead(output: SearchContext["output"]): boolean {
  return output.forReading() || output.format() === "markdown";
}

/**
 * Lists the installations of a project, or of `--integration`, for a search.
 * @param typed the name that was typed
 * @param again the command with another name or integration
 */
export async function searchInstallations(
  context: SearchContext,
  typed: string,
  again: InstallationLookup["again"],
  { exact = false, isNamed = isRead(context.output) }: SearchOptions = {},
): Promise<InstallationSearch> {
  const { api, project, options, settings } = context;
  const names = once(() => integrationNames(api, project));
  // The names arrive while the list does; a failure is reported where they are awaited.
  if (isNamed) names().catch(() => {});
  const integration =
    options.integration &&
    (await integrationId(context, options.integration, {
      argument: "--integration",
      again: (name) => again(typed, { integration: name }),
    }));
  const scope = { project, integration, flag: "--integration", typed: options.integration };
  const searched = await searchedInstallations(api, scope, settings.get("integration")?.value);
  return {
    async find(wanted, argument = "<installation>") {
      const isNarrow = options.integration !== undefined;
      const search = { argument, again, exact, isNarrow, names };
      const found = await findInstallation(searched, wanted, context, search);
      return isNamed ? withName(found, await names()) : found;
    },
  };
}

/**
 * The one installation that a command is about. Where a text names it with its integration,
 * requests it alone, instead of a list of thousands.
 * @param command the command itself, which an error suggests with another name or integration
 */
export async function oneInstallation(
  context: SearchContext,
  wanted: string,
  command: CommandPath,
  options: SearchOptions = {},
): Promise<NamedInstallation> {
  const { api, project } = context;
  const single = await namedWithIntegration(context, wanted);
  if (single === undefined) {
    const again = (name: string, more = {}) => suggest(command, [name], more);
    return (await searchInstallations(context, wanted, again, options)).find(wanted);
  }
  noticeOtherProject(eventIds(wanted), single, context);
  const { isNamed = isRead(context.output) } = options;
  return isNamed ? withName(single, await integrationNames(api, project)) : single;
}

/** A text that may be a whole ID: names rarely have digits, and no spaces. */
const MAY_BE_ID = /^(?=.*\d)[\w-]{8,}$/u;

/**
 * The installation that a text names with its integration: an event, or an ID beside that of the
 * integration.
 * @returns undefined where the text does not name one so, and where the service shows none alone
 */
async function namedWithIntegration(
  { api, project, options }: SearchContext,
  wanted: string,
): Promise<Installation | undefined> {
  const event = eventIds(wanted);
  const ownId = MAY_BE_ID.test(wanted) ? wanted : undefined;
  const id = event === undefined ? ownId : event.installationId;
  const integration = options.integration ?? event?.integrationId ?? "";
  if (id === undefined || !UUID.test(integration)) return undefined;
  const found = await singleInstallation(api, project, { id, integrationId: integration });
  // Whatever a service answers there, it is shown only if it is the one.
  return found?.id === id ? found : undefined;
}
