import { listIntegrations } from "../api/operations/endpoints.ts";
import type { Integration } from "../api/schemas/project.ts";
import type { CommandContext } from "../context/command-context.ts";
import { isKind } from "../errors.ts";
import { type Asker, findByIdOrName, type Lookup } from "../questions/find.ts";
import { UUID } from "../values/basics.ts";
import { firstNames } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { suggest } from "../values/suggested-command.ts";
import { inspectErrors } from "./errors.ts";
import { type InstallationScope, integrationNames } from "./installations.ts";

type IntegrationContext = Asker & Pick<CommandContext, "api"> & { readonly project: string };

/** The words for integrations in a search. */
export const INTEGRATION_LOOKUP: Lookup<Integration> = {
  noun: "integration",
  argument: "<integration>",
  list: suggest("integrations list"),
  again: (name) => suggest("integrations get", [name]),
  ids: ({ id }) => [id],
  names: ({ name }) => [name],
  describe: ({ id, name, provider }) => ({ id, name, provider }),
};

/**
 * The ID of the integration that a text means: a UUID is taken as it is, others are looked up.
 * @param again the command with another name
 * @throws {UsageError} where the service does not list integrations, so that only an ID will do
 */
export async function integrationId(
  context: IntegrationContext,
  typed: string,
  { argument, again }: Pick<Lookup<Integration>, "argument" | "again">,
): Promise<string> {
  if (UUID.test(typed.trim())) return typed.trim();
  const path = { projectIdOrName: context.project };
  const all = await context.api.call(listIntegrations, { path }).catch((error: unknown) => {
    if (!isKind(error, "operation_missing")) throw error;
    throw inspectErrors.integration_not_uuid(argument, typed);
  });
  const known = all.flatMap(({ name, id }) => name || id);
  const has = known.length > 0 ? firstNames(known) : "no integrations";
  const where = `Project ${context.project} has ${has}.`;
  const lookup = { ...INTEGRATION_LOOKUP, argument, again, where };
  return (await findByIdOrName(all, typed, lookup, context)).id;
}

/** The part of a command's context that says which installations it takes. */
type ScopeContext = Asker &
  Pick<CommandContext, "api" | "settings" | "output" | "report"> & {
    readonly project: string;
    readonly args: { readonly integration: string | undefined };
    readonly options: {
      readonly allIntegrations: boolean;
      readonly groupRef: string | undefined;
    };
    readonly fromSettings: ReadonlySet<string>;
  };

/**
 * The installations of the arguments, or else those of the default integration (with a notice), or
 * else those of the whole project.
 * @param command the command that takes the arguments, for the next one after a mistyped name
 * @throws {UsageError} for an integration and all of them at once
 */
export async function listedScope(
  context: ScopeContext,
  command: "installations list" | "installations summary" | "installations check",
): Promise<InstallationScope> {
  const { api, project, args, options, fromSettings, settings, output, report } = context;
  const isDefault = fromSettings.has("integration");
  if (options.allIntegrations && args.integration !== undefined && !isDefault)
    throw inputErrors.options_conflict("<integration>", "--all-integrations");
  const again = (name: string) => suggest(command, [name]);
  const integration =
    options.allIntegrations || args.integration === undefined
      ? undefined
      : await integrationId(context, args.integration, { argument: "<integration>", again });
  if (output.forReading() && isDefault && !options.allIntegrations) {
    const source = settings.get("integration")?.source;
    const name = (await integrationNames(api, project)).get(integration ?? "") ?? integration;
    report.notice(`Integration ${name} only (${source}). Add --all-integrations for all.`);
  }
  return { project, integration, groupRef: options.groupRef, flag: "<integration>" };
}
