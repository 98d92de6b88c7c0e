import type { CommandContext } from "../../context/command-context.ts";
import { AuthError, type ErrorFacts } from "../../errors.ts";
import { type CredentialKind, kebabCase, type SettingName } from "../../settings.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { guardFields, type ProfileGuards } from "../../values/writes.ts";
import { type PageRow, row, toned } from "../../view/view.ts";
import type { ExplainedSetting } from "../settings.ts";
import { type CredentialCheck, verifyCredential } from "./context.ts";

/** The login that this call uses, and whether the service accepts it. Absent fields are not set. */
export interface LoginStatus extends ProfileGuards {
  readonly profile?: string;
  /** The setting that chose the profile. */
  readonly profileSource?: string;
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, if they are on a separate host. */
  readonly readBaseUrl?: string;
  readonly credential: CredentialKind;
  readonly credentialSource: string;
  /** The place of a saved credential: `keyring`, or the path of the file of secrets. */
  readonly storedIn?: string;
  /** The expiry, RFC 3339; only for a token with one. */
  readonly expires?: string;
  /** Whether the credential was checked; false if the service has no operation for that. */
  readonly checked: boolean;
  readonly projects?: CredentialCheck["projects"];
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
  /** The project that writes are restricted to. */
  readonly expectProject?: string;
  /** Where each of these values is from, and what it shadows. */
  readonly settings: readonly Omit<ExplainedSetting, "value">[];
}

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
      const { value, ...explained } = profiles.explain(name);
      return value === undefined ? [] : [explained];
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
