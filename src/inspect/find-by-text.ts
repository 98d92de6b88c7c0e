import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { counted } from "../values/counted.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { groupName, ownerNames } from "./cells.ts";
import {
  type Asker,
  chooseOne,
  findByIdOrName,
  type Lookup,
  matching,
  noMatch,
  quotedInput,
} from "./find.ts";
import { type NamedInstallation, withName } from "./installations.ts";
import { fitsName, isSameName, matchesById, wordsOf } from "./matches.ts";

type Integrations = ReadonlyMap<string, string>;

interface NamedIntegration {
  readonly id: string;
  readonly name: string;
}

/** The words for installations in a search; the next command may name an integration, too. */
export interface InstallationLookup extends Lookup<NamedInstallation> {
  readonly again: (name: string, more?: { readonly integration?: string }) => SuggestedCommand;
}

interface TextSearch {
  /** The names of the integrations, which are asked for only where a text may contain one. */
  readonly names: () => Promise<Integrations>;
  readonly lookup: InstallationLookup;
}

/** The installation whose owner a text names, alone or with the integration. */
export async function findByText(
  installations: readonly NamedInstallation[],
  wanted: string,
  { names, lookup }: TextSearch,
  capabilities: Asker & Pick<CommandContext, "report">,
): Promise<NamedInstallation> {
  const { where = "" } = lookup;
  const found = matching(installations, wanted, lookup);
  const [first] = found;
  // A ref may contain the name of an integration; whoever types that alone means no customer.
  if (first !== undefined && isFoundByRef(found, wanted, lookup)) {
    const called = integrationCalled(wanted, await names());
    if (called) throw isIntegration(wanted, called, where);
  }
  if (found.length > 1 && !lookup.exact) {
    const integration = integrationIn(wanted, await names());
    const narrowed = found.filter(({ integrationId }) => integrationId === integration?.id);
    const [one] = narrowed;
    if (one) {
      const by = JSON.stringify(groupName(one));
      capabilities.report.notice(`Found by ${by} in integration ${integration?.name}.`);
      return chooseOne(narrowed, quotedInput(wanted), lookup, capabilities);
    }
  }
  if (first !== undefined) return chooseOne(found, quotedInput(wanted), lookup, capabilities);
  const known = await names();
  const named = withIntegration(wanted, known);
  if (named === undefined) {
    const describe = (one: NamedInstallation) => lookup.describe(withName(one, known));
    const error = noMatch(installations, wanted, { ...lookup, describe });
    const integration = integrationIn(wanted, known);
    const isGuess = error.facts.remedy !== undefined || error.facts.suggestion !== lookup.list;
    throw integration && !isGuess ? isIntegration(wanted, integration, where) : error;
  }
  const [name, integration, id] = named;
  const of = installations.filter(({ integrationId }) => integrationId === id);
  const place = `Searched ${counted(of.length, "installation")} of integration ${integration}.`;
  return findByIdOrName(
    of,
    name,
    { ...lookup, again: (other) => lookup.again(other, { integration }), where: place },
    capabilities,
  );
}

/** Whether a text is a part of refs alone, and of no name or ID. */
function isFoundByRef(
  found: readonly NamedInstallation[],
  wanted: string,
  { ids }: Lookup<NamedInstallation>,
): boolean {
  if (matchesById(found, wanted, { ids }).length > 0) return false;
  return !found.some((one) => {
    const { group, connection } = one;
    const shown = [
      group?.groupName,
      connection.group?.groupName,
      connection.consumer?.consumerName,
    ];
    const isInName = shown.some((name) => name && fitsName(name, wanted));
    return isInName || ownerNames(one).some((name) => isSameName(name, wanted));
  });
}

/**
 * A name before that of an integration, as a choice shows them, with the name and ID of the latter.
 */
function withIntegration(text: string, integrations: Integrations) {
  const typed = text.trim();
  return [...integrations]
    .filter(([, name]) => typed.toLowerCase().endsWith(` ${name.toLowerCase()}`))
    .map(
      ([id, name]) => [typed.slice(0, -name.length).replace(/[\s·,/]+$/u, ""), name, id] as const,
    )
    .find(([name]) => name !== "");
}

/** The only integration whose name is in a text, word by word. */
function integrationIn(text: string, integrations: Integrations): NamedIntegration | undefined {
  const sentence = ` ${wordsOf(text).join(" ")} `;
  const [only, ...others] = [...integrations].filter(([, name]) =>
    sentence.includes(` ${wordsOf(name).join(" ")} `),
  );
  return only && others.length === 0 ? { id: only[0], name: only[1] } : undefined;
}

function integrationCalled(text: string, integrations: Integrations): NamedIntegration | undefined {
  const [found] = [...integrations].filter(([, name]) => isSameName(name, text));
  return found && { id: found[0], name: found[1] };
}

function isIntegration(text: string, { name }: NamedIntegration, where: string): NotFoundError {
  return new NotFoundError(`No installation matches ${quotedInput(text)}`, {
    detail: where,
    remedy: `${name} is an integration.`,
    suggestion: suggest("installations list", [name]),
  });
}
