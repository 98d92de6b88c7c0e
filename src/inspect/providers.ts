import { AUTH_TYPES, missingAuthOptions } from "../api/catalogue/auth-types.ts";
import type { Api } from "../api/operations/endpoint.ts";
import { getProvider, listProviders } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Provider } from "../api/schemas/provider.ts";
import { AuthError, assertFailure, NotFoundError } from "../errors.ts";
import { type Asker, explainNotFound, findByIdOrName, type Lookup } from "../questions/find.ts";
import { defined } from "../values/json.ts";
import { wordsOf } from "../values/matching.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy, originalOf } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { inspectErrors } from "./errors.ts";

interface ProviderFilter {
  /** A part of the name or display name. */
  readonly name: string | undefined;
  readonly authType: string | undefined;
}

const LOOKUP: Lookup<Provider> = {
  noun: "provider",
  argument: "<provider>",
  list: suggest("providers list"),
  again: (name) => suggest("providers get", [name]),
  ids: ({ name }) => [name],
  idWord: "names",
  names: ({ name, displayName }) => [name, displayName ?? ""],
  describe: ({ name, displayName, authType }) => ({ id: name, displayName, authType }),
};

/**
 * The provider with this name, or the one of the list that the text means.
 * @throws {NotFoundError} with the nearest names
 */
export async function providerByName(api: Api, wanted: string, asker: Asker): Promise<Provider> {
  try {
    return await api.call(getProvider, { path: { provider: wanted } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // A service of the specification alone has no list to look in.
    const all = await ifAvailable(catalogue(api));
    if (all === undefined)
      throw error.setFacts({ suggestion: error.facts.suggestion ?? LOOKUP.list });
    return findByIdOrName(all, wanted, LOOKUP, asker).catch((missed: unknown) => {
      if (!(missed instanceof NotFoundError)) throw missed;
      const { remedy, suggestion } = missed.facts;
      throw error.setFacts(defined({ remedy, suggestion }));
    });
  }
}

function hasInName({ name, displayName }: Provider, text: string): boolean {
  const typed = wordsOf(text).join(" ");
  return [name, displayName ?? ""].some((one) => wordsOf(one).join(" ").includes(typed));
}

/**
 * The providers of the service, sorted by name.
 * @throws {UsageError} for an authentication type that no provider has
 */
export async function listedProviders(
  api: Api,
  { name, authType }: ProviderFilter,
): Promise<readonly Provider[]> {
  const known: readonly string[] = AUTH_TYPES;
  const all = await explainNotFound(
    { suggestion: suggest("providers get", [{ placeholder: "name" }]) },
    catalogue(api),
  ).catch((error: unknown) => {
    // The service may have further types, but nobody should log in to learn of a typing mistake.
    const isMistyped =
      authType !== undefined && !known.includes(authType) && nearest(authType, AUTH_TYPES);
    throw error instanceof AuthError && isMistyped
      ? inspectErrors.auth_type_unknown(authType, AUTH_TYPES)
      : error;
  });
  const types = [...new Set([...known, ...all.map((one) => one.authType)])].filter(Boolean);
  if (authType !== undefined && !types.includes(authType))
    throw inspectErrors.auth_type_unknown(authType, types);
  return all.filter(
    (one) =>
      (authType === undefined || one.authType === authType) &&
      (name === undefined || hasInName(one, name)),
  );
}

/** The names of the providers of the service; undefined where it does not list them. */
export async function providerNames(api: Api): Promise<readonly string[] | undefined> {
  try {
    return (await catalogue(api)).map(({ name }) => name);
  } catch (error) {
    assertFailure(error);
    return undefined;
  }
}

async function catalogue(api: Api): Promise<Provider[]> {
  const all = await api.call(listProviders, {});
  return Object.entries(all)
    .map(([key, one]) =>
      // The key of the catalogue names a provider that does not name itself.
      one.name === "" ? changeDisplayCopy(one, (shown) => ({ ...shown, name: key })) : one,
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The fields that the specification requires of a provider and this one lacks, as sentences. */
export function providerRemarks(provider: Provider): string[] {
  const { name } = provider;
  const sent = originalOf(provider);
  const options = missingAuthOptions(name, sent);
  // A capture that was sent as no text is said to be odd already; in the copy it is text.
  const texts = new Set(tokenFields(sent).map((field) => field?.capture));
  const captures = tokenFields(provider).filter(
    ({ capture }) => capture && texts.has(capture) && !/\(\?P?<result>/u.test(capture),
  );
  return [
    ...(options === undefined ? [] : [options]),
    ...captures.map(
      (field) =>
        `Provider ${name}: the capture of token field ${field.name ?? "?"} has no group named result, which the specification requires`,
    ),
  ];
}

/** The further token fields of a provider, which may be odd at every depth. */
function tokenFields(provider: unknown) {
  const { oauth2Opts } = (provider ?? {}) as Partial<Provider>;
  const fields = oauth2Opts?.tokenMetadataFields?.otherFields;
  return Array.isArray(fields) ? fields : [];
}
