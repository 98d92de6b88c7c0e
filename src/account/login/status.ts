import type { CommandContext } from "../../context/command-context.ts";
import type { LoginStatus } from "../../documents/account.ts";
import { AuthError, type ErrorFacts } from "../../errors.ts";
import { kebabCase, type SettingName } from "../../settings.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { guardFields } from "../../values/writes.ts";
import { type PageRow, row, toned } from "../../view/view.ts";
import { verifyCredential } from "./context.ts";

const EXPLAINED = [
  "profile",
  "baseUrl",
  "readBaseUrl",
  "project",
  "org",
  "integration",
  "expectProject",
] as const satisfies readonly SettingName[];

/**
 * Reads the settings, and checks the credential with the service.
 * @throws {AuthError} if there is no credential, or the service rejects it
 */
export async function readLoginStatus(
  context: Pick<CommandContext, "api" | "profiles" | "report" | "settings" | "target">,
): Promise<LoginStatus> {
  const { api, profiles, settings } = context;
  const chosen = profiles.chosen();
  const credential = await profiles.credentials.ofService();
  if (credential.kind === "none") throw credential.why;
  const project = settings.get("project")?.value;
  const check = await verifyCredential(api, project).catch((error: unknown) => {
    throw error instanceof AuthError ? error.setFacts(loginAgain(credential.profile)) : error;
  });
  if (check.remedy !== undefined) context.report.warn(check.remedy);
  const known = defined({
    profile: chosen?.name,
    profileSource: chosen?.source,
    storedIn: credential.storedIn === "file" ? profiles.secretsPath : credential.storedIn,
    expires: credential.expires?.toISOString(),
    projects: check.projects,
    readBaseUrl: settings.get("readBaseUrl")?.value,
    project,
    org: settings.get("org")?.value,
    integration: settings.get("integration")?.value,
    expectProject: settings.get("expectProject")?.value,
    ...guardFields(chosen?.profile ?? {}),
  });
  return {
    ...known,
    baseUrl: context.target().baseUrl,
    credential: credential.kind,
    credentialSource: credential.source,
    checked: check.outcome === "accepted",
    settings: EXPLAINED.flatMap((name) => {
      const { setting, value, source, shadows } = profiles.explain(name);
      if (value === undefined || source === undefined) return [];
      return [{ setting, source, ...defined({ shadows }) }];
    }),
  };
}

/** The status for reading: each value has its source, unless that is the profile and nothing else. */
export function withSources(status: LoginStatus): LoginStatus {
  const texts = EXPLAINED.slice(1).flatMap((name) => {
    const found = status.settings.find(({ setting }) => setting === kebabCase(name));
    const { source, shadows } = found ?? {};
    const ignored = shadows && `ignored: ${shadows.join(", ")}`;
    const said = [source === `profile ${status.profile}` ? undefined : source, ignored];
    const note = said.filter(Boolean).join("; ");
    return note === "" ? [] : [[name, `${status[name]} (${note})`]];
  });
  return { ...status, ...Object.fromEntries(texts) };
}

/** The rows of a login's check at the service, and of its defaults. */
export function loginRows({
  checked,
  project,
  org,
  integration,
}: Pick<LoginStatus, "checked" | "project" | "org" | "integration">): PageRow[] {
  const check = checked
    ? "accepted by the service"
    : toned("attention", "no: the service has no operation to check it");
  return [
    ...row("Checked", check),
    ...row("Project", project),
    ...row("Org", org),
    ...row("Integration", integration),
  ];
}

/** Other commands suggest `amp auth status`; this one must suggest the step after it. */
function loginAgain(profile: string | undefined): ErrorFacts {
  return { suggestion: suggest("auth login", [], { profile }) };
}
