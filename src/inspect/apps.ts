import type { Api } from "../api/operations/endpoint.ts";
import { getProvider } from "../api/operations/endpoints.ts";
import type { ProviderApp } from "../api/schemas/project.ts";
import type { Provider } from "../api/schemas/provider.ts";
import type { AppFinding, AppsLint } from "../documents/inspect.ts";
import { NotFoundError } from "../errors.ts";
import { type Asker, findByIdOrName, type Lookup } from "../questions/find.ts";
import {
  chosenRules,
  countFindings,
  junitXml,
  type RuleChoice,
  type RuleFacts,
  type RuleWords,
  ruleCases,
  sarifJson,
} from "../reports/reports.ts";
import { counted } from "../values/counted.ts";
import { isEmptyValue } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import type { Page, ViewRows } from "../view/view.ts";
import { findingRows, findingsPage } from "./findings-page.ts";

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

/** An app, and its provider; undefined where the service has none of that name. */
interface AppFacts {
  readonly app: ProviderApp;
  readonly provider: Provider | undefined;
}

/** A problem as a sentence, and the dotted path of the field of the app. */
interface AppBreach {
  readonly message: string;
  readonly path: string;
}

interface AppRule extends RuleWords {
  readonly breaches: (facts: AppFacts) => readonly AppBreach[];
}

/** The settings of an app that a provider describes, by their field of the metadata. */
const SETTINGS = ["providerParams", "authQueryParams"] as const;

/** The rules of `apps lint`, in the order of their findings. */
const APP_RULES = {
  "unknown-provider": {
    severity: "error",
    title: "The provider of each app exists",
    remedy: "Correct the provider of the app; amp providers list shows the names.",
    breaches: ({ app, provider }) =>
      provider === undefined
        ? [{ message: `The service has no provider ${app.provider}.`, path: "provider" }]
        : [],
  },
  "provider-without-oauth": {
    severity: "warning",
    title: "The provider of each app uses OAuth",
    remedy: "Delete the app unless a module of the provider uses it.",
    breaches: ({ app, provider }) => {
      if (provider === undefined || usesOAuth(provider)) return [];
      const { authType } = provider;
      const message = `${app.provider} has authentication type ${authType} and does not use OAuth apps.`;
      return [{ message, path: "provider" }];
    },
  },
  "missing-scopes": {
    severity: "error",
    title: "Each app has scopes if its provider requires them",
    remedy: "Add the scopes to the app; the provider's documentation lists them.",
    breaches: ({ app, provider }) =>
      provider?.oauth2Opts?.explicitScopesRequired === true && isEmptyValue(app.scopes)
        ? [{ message: `${app.provider} requires scopes, and the app has none.`, path: "scopes" }]
        : [],
  },
  "missing-setting": {
    // The catalogue does not say which settings are required: those of the live platform are not.
    severity: "warning",
    title: "Each setting of a provider has a value or a default",
    remedy: "Add the value to the app, unless you do not use the feature that needs it.",
    breaches: missingSettings,
  },
  "unknown-setting": {
    severity: "warning",
    title: "Each setting of an app exists in its provider",
    remedy: "Correct the name, or remove the value from the app.",
    breaches: ({ app, provider }) => {
      if (provider === undefined) return [];
      return SETTINGS.flatMap((field) => {
        const known = (provider.providerAppMetadata?.[field] ?? []).flatMap(
          ({ name }) => name ?? [],
        );
        return Object.keys(app.metadata?.[field] ?? {})
          .filter((name) => !known.includes(name))
          .map((name) => {
            const near = nearest(name, known);
            const hint = near === undefined ? "" : ` Did you mean ${near}?`;
            return {
              message: `${app.provider} has no setting ${name}.${hint}`,
              path: `metadata.${field}.${name}`,
            };
          });
      });
    },
  },
} as const satisfies Readonly<Record<string, AppRule>>;

/** The ID of a rule, which options and reports name. */
export type AppRuleId = keyof typeof APP_RULES;

/** The IDs of the rules, in the order of their findings. */
export const APP_RULE_IDS = Object.keys(APP_RULES) as readonly AppRuleId[];

/** The rules that are chosen, in the order of the table. */
export function chosenAppRules(choice: RuleChoice<AppRuleId>): RuleFacts<AppRuleId>[] {
  return chosenRules(APP_RULES, choice);
}

/** A rule by its ID, without the literal types of the table. */
export function appRule(id: AppRuleId): AppRule {
  return APP_RULES[id];
}

function usesOAuth({ authType, oauth2Opts }: Provider): boolean {
  return authType === "oauth2" || (oauth2Opts ?? undefined) !== undefined;
}

function missingSettings({ app, provider }: AppFacts): AppBreach[] {
  if (provider === undefined) return [];
  return SETTINGS.flatMap((field) =>
    (provider.providerAppMetadata?.[field] ?? [])
      .filter(({ defaultValue }) => isEmptyValue(defaultValue))
      .flatMap(({ name, displayName, moduleDependencies }) => {
        const values: Readonly<Record<string, unknown>> = app.metadata?.[field] ?? {};
        const value = name && Object.hasOwn(values, name) ? values[name] : undefined;
        if (!name || !isEmptyValue(value)) return [];
        const label = displayName && displayName !== name ? `${name} (${displayName})` : name;
        const modules = Object.keys(moduleDependencies ?? {}).join(", ");
        const use = modules === "" ? "" : ` for module ${modules}`;
        const message = `${app.provider} requires ${label}${use}; the app has no value, and the provider has no default.`;
        return [{ message, path: `metadata.${field}.${name}` }];
      }),
  );
}

/** Checks apps against their providers, each of which is requested once. */
export async function lintApps(
  api: Api,
  project: string,
  apps: readonly ProviderApp[],
  rules: readonly RuleFacts<AppRuleId>[],
): Promise<AppsLint> {
  const names = [...new Set(apps.map(({ provider }) => provider))];
  const loaded = await Promise.all(names.map((name) => providerOf(api, name)));
  const providers = new Map(names.map((name, at) => [name, loaded[at]]));
  const findings = apps.flatMap((app) => {
    const facts = { app, provider: providers.get(app.provider) };
    return rules.flatMap(({ id, severity, remedy }) =>
      appRule(id)
        .breaches(facts)
        .map(({ message, path }): AppFinding => {
          const about = { app: app.id, provider: app.provider, path };
          return { rule: id, severity, message, remedy, ...about };
        }),
    );
  });
  return { project, apps: apps.length, ...countFindings(findings), findings, rules };
}

async function providerOf(api: Api, name: string): Promise<Provider | undefined> {
  // The path of a request cannot hold an empty name.
  if (name === "") return undefined;
  try {
    return await api.call(getProvider, { path: { provider: name } });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The page of a check: each finding with its place and what to do. */
export function appsLintPage(result: AppsLint): Page {
  const { project, apps, errors, warnings, rules } = result;
  return findingsPage({
    what: `${counted(apps, "provider app")} of project ${project}`,
    places: "App, field and rule",
    findings: placed(result),
    errors,
    warnings,
    rules: rules.length,
  });
}

/** A lint as rows for a program. */
export function appsLintRows(result: AppsLint): ViewRows {
  return findingRows(placed(result));
}

/** The findings, each with its app and field in one text. */
function placed({ findings }: AppsLint) {
  return findings.map(({ app, path, rule, ...one }) => {
    return { ...one, rule, place: `${app}  ${path}` };
  });
}

/** The kinds of reports, each with its text. */
export const APP_REPORTS = {
  junit: (result, strict) => {
    const wordsOf = ({ app, path, message }: AppFinding) => ({
      name: `${app} ${path}: ${message}`,
      place: ` (${app} ${path})`,
    });
    const cases = ruleCases(result, { check: "amp.apps.lint", strict, wordsOf });
    return junitXml({ name: `amp apps lint of project ${result.project}`, cases });
  },
  sarif: ({ project, findings, rules }) => {
    const texts = findings.map(({ rule, severity, message, remedy, app, path }) => ({
      rule,
      severity,
      text: `${app} ${path}: ${message} ${remedy}`,
    }));
    return sarifJson(rules, texts, `projects/${project}/apps`);
  },
} as const satisfies Readonly<
  Record<string, (result: AppsLint, strict: boolean) => Promise<string>>
>;
