import type { ProviderApp } from "../api/schemas/project.ts";
import type { Descriptor, Provider } from "../api/schemas/provider.ts";
import {
  chosenRules,
  type RuleChoice,
  type RuleFacts,
  type RuleWords,
} from "../reports/reports.ts";
import { isEmptyValue } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";

/** The facts that a rule of `apps lint` checks. */
export interface AppFacts {
  readonly app: ProviderApp;
  /** The provider of the app; undefined where the service has none of that name. */
  readonly provider: Provider | undefined;
}

/** A breach of a rule. */
export interface AppBreach {
  /** The problem, as a sentence. */
  readonly message: string;
  /** The dotted path of the field of the app. */
  readonly path: string;
}

/** A rule of `apps lint`. */
export interface AppRule extends RuleWords {
  readonly breaches: (facts: AppFacts) => readonly AppBreach[];
}

/** The settings of an app that a provider describes, by their field of the metadata. */
const SETTINGS = ["providerParams", "authQueryParams"] as const;

/** The one table of rules, in the order of their findings. */
export const APP_RULES = {
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
        const known = descriptorsOf(provider, field).flatMap(({ name }) => name ?? []);
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

/** A rule as people and programs read it. */
export type AppRuleFacts = RuleFacts<AppRuleId>;

/** The rules that are chosen, in the order of the table. */
export function chosenAppRules(choice: RuleChoice<AppRuleId>): AppRuleFacts[] {
  return chosenRules(APP_RULES, choice);
}

/** A rule by its ID, without the literal types of the table. */
export function appRule(id: AppRuleId): AppRule {
  return APP_RULES[id];
}

function usesOAuth({ authType, oauth2Opts }: Provider): boolean {
  return authType === "oauth2" || (oauth2Opts ?? undefined) !== undefined;
}

function descriptorsOf(
  { providerAppMetadata }: Provider,
  field: (typeof SETTINGS)[number],
): readonly Descriptor[] {
  return providerAppMetadata?.[field] ?? [];
}

function missingSettings({ app, provider }: AppFacts): AppBreach[] {
  if (provider === undefined) return [];
  return SETTINGS.flatMap((field) =>
    descriptorsOf(provider, field)
      .filter(({ defaultValue }) => isEmptyValue(defaultValue))
      .flatMap(({ name, displayName, moduleDependencies }) => {
        const values: Readonly<Record<string, unknown>> = app.metadata?.[field] ?? {};
        const value = name && Object.hasOwn(values, name) ? values[name] : undefined;
        if (!name || !isEmptyValue(value)) return [];
        const label = displayName && displayName !== name ? `${name} (${displayName})` : name;
        const modules = Object.keys(moduleDependencies ?? {}).join(", ");
        const use = modules === "" ? "" : ` for module ${modules}`;
        return [
          {
            message: `${app.provider} requires ${label}${use}; the app has no value, and the provider has no default.`,
            path: `metadata.${field}.${name}`,
          },
        ];
      }),
  );
}
