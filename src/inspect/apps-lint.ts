import type { Api } from "../api/operations/endpoint.ts";
import { getProvider } from "../api/operations/endpoints.ts";
import type { ProviderApp } from "../api/schemas/project.ts";
import type { Provider } from "../api/schemas/provider.ts";
import { NotFoundError } from "../errors.ts";
import {
  countFindings,
  junitXml,
  type RuleFinding,
  ruleCases,
  sarifJson,
} from "../reports/reports.ts";
import { counted } from "../values/counted.ts";
import type { Page, ViewRows } from "../view/view.ts";
import { type AppRuleFacts, type AppRuleId, appRule } from "./app-rules.ts";
import { findingRows, findingsPage, ruleRows, rulesPage } from "./findings-page.ts";

/** A breach of a rule by an app. */
export interface AppFinding extends RuleFinding<AppRuleId> {
  /** The ID of the app. */
  readonly app: string;
  readonly provider: string;
  /** The dotted path of the field of the app. */
  readonly path: string;
}

/** The result of a check of apps. */
export interface AppsLint {
  readonly project: string;
  /** The number of apps that were checked. */
  readonly apps: number;
  readonly errors: number;
  readonly warnings: number;
  /** In the order of the apps, and of the rules within each. */
  readonly findings: readonly AppFinding[];
  /** The rules that were checked. */
  readonly rules: readonly AppRuleFacts[];
}

/** The rules alone, for `--list-rules`. */
export interface AppRuleList {
  readonly rules: readonly AppRuleFacts[];
}

/** Checks apps against their providers, each of which is requested once. */
export async function lintApps(
  api: Api,
  project: string,
  apps: readonly ProviderApp[],
  rules: readonly AppRuleFacts[],
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

/** The page of a check: each finding with its place and what to do; or of the rules alone. */
export function appsLintPage(result: AppsLint | AppRuleList): Page {
  if (!("findings" in result)) return rulesPage("amp apps lint", result.rules);
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

/** A lint as rows for a program: its findings, or the rules alone. */
export function appsLintRows(result: AppsLint | AppRuleList): ViewRows {
  return "findings" in result ? findingRows(placed(result)) : ruleRows(result.rules);
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
