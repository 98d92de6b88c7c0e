import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import type { Asker } from "./find.ts";
import { integrationId } from "./find-integration.ts";
import { type InstallationScope, integrationNames } from "./installations.ts";

/** The part of a command's context that says which installations it takes. */
export type ScopeContext = Asker &
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
  if (options.allIntegrations && args.integration !== undefined && !isDefault) {
    throw new UsageError("<integration> and --all-integrations conflict", {
      remedy: "Use one of them, not both.",
    });
  }
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
