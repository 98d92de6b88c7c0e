import { listIntegrations } from "../api/operations/endpoints.ts";
import type { Integration } from "../api/schemas/project.ts";
import type { CommandContext } from "../context/command-context.ts";
import { isKind } from "../errors.ts";
import { type Asker, findByIdOrName, type Lookup } from "../questions/find.ts";
import { UUID } from "../values/basics.ts";
import { firstNames } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { isSameName, wordsOf } from "../values/matching.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { inspectErrors } from "./errors.ts";
import { type InstallationScope, integrationNames, scopeText } from "./installations.ts";

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

/** What a command was given that says which installations it is about. */
interface ScopeRequest {
  /** The integration as it was typed, by name or ID. */
  readonly typed: string | undefined;
  /** The argument or option that names it. */
  readonly flag: InstallationScope["flag"];
  /** The command with another integration. */
  readonly again: (name: string) => SuggestedCommand;
  /** `--all-integrations` */
  readonly isAll?: boolean;
  readonly groupRef?: string | undefined;
}

/**
 * The installations that a command is about: those of the project, unless an integration is named
 * on the command line, in the environment or in the project file.
 * @throws {UsageError} for an integration and all of them at once
 */
export async function installationScope(
  context: IntegrationContext & Pick<CommandContext, "settings">,
  { typed, flag, again, isAll = false, groupRef }: ScopeRequest,
): Promise<InstallationScope> {
  const { project, settings } = context;
  if (isAll && typed !== undefined) throw inputErrors.options_conflict(flag, "--all-integrations");
  const saved = isAll || typed !== undefined ? undefined : settings.get("integration");
  const set = saved?.place === "profile" ? undefined : saved;
  const name = typed ?? set?.value;
  const argument = set?.source ?? flag;
  const integration = name && (await integrationId(context, name, { argument, again }));
  return { project, integration, name, source: set?.source, groupRef, flag };
}

/** The part of a command's context that says which installations it lists or counts. */
type ListedContext = IntegrationContext &
  Pick<CommandContext, "settings" | "output" | "report"> & {
    readonly args: { readonly integration: string | undefined };
    readonly options: {
      readonly allIntegrations: boolean;
      readonly groupRef: string | undefined;
    };
  };

/**
 * Lists or counts the installations that a command is about. Says so on stderr where a setting chose
 * them: that of the profile does where the service lists installations only by integration.
 * @param command the command that takes the arguments, for the next one after a mistyped name
 */
export async function withListedScope<Result>(
  context: ListedContext,
  command: "installations list" | "installations summary" | "installations check",
  work: (scope: InstallationScope) => Promise<Result>,
): Promise<Result> {
  const { settings, args, options, report } = context;
  const again = (name: string) => suggest(command, [name]);
  const flag = "<integration>";
  const scope = await installationScope(context, {
    typed: args.integration,
    flag,
    again,
    isAll: options.allIntegrations,
    groupRef: options.groupRef,
  });
  if (scope.source !== undefined) {
    const shown = await named(context, scope);
    report.notice(`Only ${scopeText(shown)}. Add --all-integrations for the whole project.`);
    return work(shown);
  }
  try {
    return await work(scope);
  } catch (error) {
    const { value: name, source } = settings.get("integration") ?? {};
    const isMissing = isKind(error, "integration_required") && !options.allIntegrations;
    if (!isMissing || name === undefined || source === undefined) throw error;
    const integration = await integrationId(context, name, { argument: source, again });
    const shown = await named(context, { ...scope, integration, name, source });
    report.notice(`Only ${scopeText(shown)}: this service lists installations by integration.`);
    return work(shown);
  }
}

/** A scope whose integration has its name, if a person reads what was narrowed. */
async function named(
  { api, project, output }: ListedContext,
  scope: InstallationScope,
): Promise<InstallationScope> {
  const { integration = "", name = "" } = scope;
  if (output.messages() !== "text" || !UUID.test(name)) return scope;
  const names = await integrationNames(api, project);
  return { ...scope, name: names.get(integration) ?? name };
}

/** The names of integrations by ID. */
export type Integrations = ReadonlyMap<string, string>;
/** An integration that a text names. */
export type NamedIntegration = { readonly id: string; readonly name: string };

/**
 * A name before that of an integration, as a choice shows them, with the name and ID of the latter.
 */
export function withIntegration(text: string, integrations: Integrations) {
  const typed = text.trim();
  return [...integrations]
    .filter(([, name]) => typed.toLowerCase().endsWith(` ${name.toLowerCase()}`))
    .map(
      ([id, name]) => [typed.slice(0, -name.length).replace(/[\s·,/]+$/u, ""), name, id] as const,
    )
    .find(([name]) => name !== "");
}

/** The only integration whose name is in a text, word by word. */
export function integrationIn(
  text: string,
  integrations: Integrations,
): NamedIntegration | undefined {
  const sentence = ` ${wordsOf(text).join(" ")} `;
  const [only, ...others] = [...integrations].filter(([, name]) =>
    sentence.includes(` ${wordsOf(name).join(" ")} `),
  );
  return only && others.length === 0 ? { id: only[0], name: only[1] } : undefined;
}

/** The integration that a text is the name of. */
export function integrationCalled(
  text: string,
  integrations: Integrations,
): NamedIntegration | undefined {
  const [found] = [...integrations].filter(([, name]) => isSameName(name, text));
  return found && { id: found[0], name: found[1] };
}
