import type { CommandContext } from "../context/command-context.ts";
import { once } from "../values/once.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import type { Asker } from "./find.ts";
import { eventIds, findInstallation, noticeOtherProject } from "./find-installation.ts";
import { integrationId } from "./find-integration.ts";
import { namedWithIntegration } from "./installation-request.ts";
import {
  integrationNames,
  type NamedInstallation,
  type SearchedInstallations,
  searchedInstallations,
  withName,
} from "./installations.ts";
import { operationIfShown } from "./operations.ts";

/** The part of a command's context that searches the installations of a project. */
export type SearchContext = Asker &
  Pick<CommandContext, "api" | "settings" | "output" | "report"> & {
    readonly project: string;
    readonly options: { readonly integration: string | undefined };
  };

/** The installations of a project, among which a command looks for one or several. */
export interface InstallationSearch extends SearchedInstallations {
  /**
   * The installation that a text means; with the name of its integration where that is wanted.
   * @param argument the argument that holds the text, by default `<installation>`
   */
  find(wanted: string, argument?: string): Promise<NamedInstallation>;
}

/** How a command searches. */
interface SearchOptions {
  /** Whether only a whole ID or name finds one: for a command that changes it. */
  readonly exact?: boolean;
  /** Whether the integration is named; by default where a person reads the result. */
  readonly isNamed?: boolean;
}

/** Whether a person reads the result: on a terminal, or in a ticket. */
function isRead(output: SearchContext["output"]): boolean {
  return output.forReading() || output.format() === "markdown";
}

/** The command with another name or integration. */
type Again = (
  name: string | undefined,
  more?: { readonly integration?: string },
) => SuggestedCommand;

/**
 * Lists the installations of a project, or of `--integration`, for a search.
 * @param again the command with another name or integration
 */
export async function searchInstallations(
  context: SearchContext,
  again: Again,
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
      again: (name) => again(undefined, { integration: name }),
    }));
  const scope = { project, integration, flag: "--integration", typed: options.integration };
  const searched = await searchedInstallations(api, scope, settings.get("integration")?.value);
  return {
    ...searched,
    async find(wanted, argument = "<installation>") {
      const isNarrow = options.integration !== undefined;
      const operation = (id: string) => operationIfShown(context, id);
      const search = { argument, again, exact, isNarrow, names, operation };
      const found = await findInstallation(searched, wanted, context, search);
      return isNamed ? withName(found, await names()) : found;
    },
  };
}

/**
 * The one installation that a command is about. Where a text names it with its integration,
 * requests it alone, instead of a list of thousands.
 * @param again the command with another name or integration
 */
export async function oneInstallation(
  context: SearchContext,
  wanted: string,
  again: (name: string, more?: { readonly integration?: string }) => SuggestedCommand,
  options: SearchOptions = {},
): Promise<NamedInstallation> {
  const { api, project } = context;
  const { integration } = context.options;
  const single = await namedWithIntegration(api, project, wanted, integration);
  if (single === undefined) {
    const againWith: Again = (name = wanted, more) => again(name, more);
    return (await searchInstallations(context, againWith, options)).find(wanted);
  }
  noticeOtherProject(eventIds(wanted), single, context);
  const { isNamed = isRead(context.output) } = options;
  return isNamed ? withName(single, await integrationNames(api, project)) : single;
}
