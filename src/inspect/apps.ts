import type { ProviderApp } from "../api/schemas/project.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { type Asker, findByIdOrName, type Lookup } from "./find.ts";

/**
 * The provider app that a text means: an ID, a unique prefix of it, a provider or a client ID.
 * @param again the command with another name
 */
export function findApp(
  apps: readonly ProviderApp[],
  wanted: string,
  asker: Asker,
  again: (name: string) => SuggestedCommand,
): Promise<ProviderApp> {
  const lookup: Lookup<ProviderApp> = {
    noun: "provider app",
    argument: "<app>",
    list: suggest("apps list"),
    again,
    ids: ({ id }) => [id],
    names: ({ provider, clientId, externalRef }) => [provider, clientId, externalRef],
    describe: ({ id, provider, clientId, createTime }) => ({ id, provider, clientId, createTime }),
  };
  return findByIdOrName(apps, wanted, lookup, asker);
}
