import { type ErrorFacts, errorTable, UNSENT } from "../errors.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind, isEnabled } from "../settings.ts";
import { suggest, suggestHelp } from "../values/suggested-command.ts";

const reset = () => suggest("auth login", [], { reset: true });
const UNSAVED = "Nothing was sent or saved.";

/** The errors of profiles, credentials, project files and logins. */
export const accountErrors = errorTable({
  usage: {
    base_url_missing: (isCi: boolean) => ({
      text: "No base URL configured",
      remedy: "Set AMP_BASE_URL or add --base-url.",
      suggestion: isCi ? undefined : suggest("auth login"),
    }),
    base_url_user_info: (source: string) => ({
      text: `${source} must not contain a user name or password`,
      remedy: "Remove the user name and password from the URL.",
      suggestion: suggest("auth login"),
    }),
    base_url_not_full: (source: string, remedy: string, detail: string | undefined) => ({
      text: `${source} is not a full URL`,
      remedy,
      detail,
    }),
    base_url_query: (source: string, base: string) => ({
      text: `${source} must not contain a query or fragment (? or #)`,
      remedy: `Use ${base}`,
    }),
    base_url_not_encrypted: (source: string, base: string) => ({
      text: `${source} is not encrypted: ${base}`,
      detail: "Anyone on the network path can read a credential that is sent over http.",
      remedy: "Use https, or add --allow-insecure-http.",
    }),
    base_url_version_missing: (href: string, usual: string) => ({
      text: `The base URL ${href} has no version`,
      remedy: `Use ${usual}, or add --yes to keep ${href}.`,
      done: UNSAVED,
    }),
    base_url_doubtful: (text: string, href: string, usual: string) => ({
      text,
      remedy: `The API is usually at ${usual}; add --yes to keep ${href}.`,
    }),
    setting_empty: (source: string) => ({
      text: `${source} is empty: remove it, or give it a value`,
      done: UNSENT,
    }),
    setting_invalid: (value: string, what: string, choices: readonly string[]) => ({
      text: `${JSON.stringify(value)} is not a valid ${what}`,
      detail: `Choose one of: ${choices.join(", ")}.`,
    }),
    retries_invalid: (text: string) => `${JSON.stringify(text)} is not a number from 0 to 10`,
    config_folder_empty: () => "AMP_CONFIG_DIR is empty: unset it, or set it to a folder",
    own_file_invalid: (text: string) => ({
      text,
      done: "The file was not changed.",
      remedy: "Fix the file, or move it aside.",
      suggestion: reset(),
    }),
    secrets_of_another_user: (path: string) => ({
      text: `${path} belongs to another user`,
      remedy: "Secrets are read only from your own files. Move it aside.",
      suggestion: reset(),
    }),
    profiles_partly_written: (path: string) => ({
      text: `Cannot write ${path}: only a part of it was written`,
      done: "The profiles were not changed.",
      remedy: "Check whether the disk is full.",
    }),
    profile_not_chosen: () => ({
      text: "No profile is in use; pass the name of a profile",
      suggestion: suggest("auth list"),
    }),
    profile_name_invalid: (name: string) => ({
      text: `${JSON.stringify(name)} is not a valid profile name`,
      remedy: "Use 1 to 64 letters, digits, dots, dashes and underscores.",
    }),
    profile_built_in: (name: string, change: string, isNew: boolean) => ({
      text: `The profile ${name} is built in and ${change}`,
      remedy: isNew
        ? `Choose another name: ${name} is built in.`
        : "Its settings are fixed. Use options, variables or .amp.yaml, or a profile of your own.",
    }),
    credentials_both_set: (key: string, token: string) => ({
      text: `Both ${key} and ${token} are set`,
      remedy: `Unset one of them, or set AMP_AUTH to ${CREDENTIAL_KINDS.join(" or ")}.`,
    }),
    auth_invalid: (source: string, value: string) =>
      `${source}: auth must be ${CREDENTIAL_KINDS.join(" or ")}, not ${JSON.stringify(value)}`,
    auth_unlike_credential: (
      wanted: CredentialKind,
      by: string | undefined,
      source: string,
      kind: CredentialKind,
    ) => ({
      text: `auth is ${wanted} (${by}), but ${source} has an ${CREDENTIAL_NAMES[kind]}`,
      done: UNSENT,
      remedy: `Remove the setting, or use an ${CREDENTIAL_NAMES[wanted]}.`,
    }),
    secret_control_characters: (source: string) => ({
      text: `${source} contains a line break or another control character`,
      remedy: "Copy it again without the text around it.",
    }),
    secret_characters: (source: string) => ({
      text: `${source} contains a character that HTTP headers do not allow`,
      remedy: "Copy it again; dots or quotes may have been replaced.",
    }),
    secret_of_another_tool: (source: string, prefix: string) => ({
      text: `${source} contains a key of another tool (${prefix}…)`,
      detail: "That tool also reads AMP_API_KEY. Its keys do not work here.",
      remedy: "Use a key of the integration platform.",
    }),
    secret_file_unreadable: (source: string, isMissing: boolean) => ({
      text: `Cannot read the file given to ${source}${isMissing ? ": file not found" : ""}`,
      remedy: `Pass a file name to ${source}, or - for standard input; never the secret itself.`,
      done: UNSAVED,
    }),
    login_options_missing: (missing: readonly string[]) => ({
      text: `Missing ${missing.length > 1 ? "options" : "option"} ${missing.join(", ")}`,
      detail: "This is not an interactive terminal.",
      done: UNSAVED,
      suggestion: suggestHelp("auth login"),
    }),
    project_file_not_yaml: (path: string, line: number, detail: string) => ({
      text: `${path}:${line} is not valid YAML`,
      detail,
    }),
    project_file_form: (path: string) => `${path} must contain lines of the form key: value`,
    project_setting_empty: (place: string, key: string) =>
      `${place}: ${key} must have a string as its value`,
    project_setting_characters: (place: string, key: string) =>
      `${place}: ${key} must not contain line breaks or control characters`,
    project_setting_dots: (place: string, key: string, value: string) =>
      `${place}: ${key} cannot be ${JSON.stringify(value)}`,
    project_setting_secret: (place: string, file: string, key: string) => ({
      text: `${place}: ${file} must not contain secrets (${key})`,
      remedy: "Remove it; log in, or set AMP_API_KEY. If it was shared, replace it.",
    }),
    project_setting_unknown: (
      place: string,
      key: string,
      known: readonly string[],
      near: string | undefined,
    ) => ({
      text: `${place}: ${JSON.stringify(key)} is not a project setting`,
      detail: `Choose one of: ${known.join(", ")}.`,
      remedy: near && `Did you mean ${near}?`,
    }),
    project_file_untrusted: (text: string, sets: readonly string[], ownWay: string) => ({
      text,
      detail: `It sets ${sets.join(", ")}.`,
      done: UNSENT,
      remedy: `${ownWay}, or read the file and trust it.`,
      suggestion: suggest("trust"),
    }),
    state_outside_folder: (source: string, value: string, done: string) => ({
      text: `${source}: the state ${JSON.stringify(value)} is outside the file's folder`,
      done,
      remedy: "Use a file in that folder, or choose another location with --state or AMP_STATE.",
    }),
  },
  "not-found": {
    profile_not_found: (name: string, near: string | undefined, source: string | undefined) => ({
      text: `Profile ${JSON.stringify(name)} not found`,
      detail: source && `It is set by ${source}.`,
      remedy: near && `Did you mean ${near}?`,
      suggestion: suggest("auth list"),
    }),
    default_project_unknown: (project: string, names: string, near: string | undefined) => ({
      text: `This credential has no access to project ${project}`,
      detail: `It has access to ${names || "no project"}.`,
      remedy: near && `Did you mean ${near}?`,
      suggestion: near ? suggest("auth default", ["project", near]) : suggest("projects list"),
      done: "Nothing was saved.",
    }),
    /** Nothing of the API was found at the base URL, or the project is the only thing to ask for. */
    service_unknown: (
      baseUrl: string,
      project: string | undefined,
      { remedy, suggestion }: ErrorFacts = {},
    ) => ({
      text: project
        ? `${baseUrl} has neither a list of projects nor project ${project}`
        : `${baseUrl} has no list of projects`,
      remedy:
        remedy ??
        (project
          ? "Check the base URL and the project."
          : "Check the base URL, and set a project."),
      suggestion,
    }),
    project_out_of_reach: (project: string, names: string) => ({
      text: `This credential has no access to project ${project}`,
      remedy: `It has access to ${names}. Choose one with --project, or add --yes to keep ${project}.`,
    }),
    file_not_there: (path: string) => `${path} does not exist`,
    file_not_trusted: (path: string) => ({
      text: `${path} is not a trusted file`,
      suggestion: suggest("trust", [], { list: true }),
    }),
    project_file_not_found: () => ({
      text: "No .amp.yaml found in this folder or above it",
      remedy: "Change to the folder of the project, or pass the path of the file.",
    }),
  },
  auth: {
    /** No credential was found: the remedy names how to log in, or what to set. */
    not_logged_in: (
      env: Readonly<Record<string, string | undefined>>,
      message?: string,
      port?: string,
    ) => {
      const isKeyForgotten = message === undefined && env.AMP_BASE_URL !== undefined;
      const others = isKeyForgotten ? "" : "AMP_BASE_URL, AMP_PROJECT and ";
      const variables = `${others}AMP_API_KEY (or AMP_ACCESS_TOKEN)`;
      const isCi = isEnabled(env.CI);
      return {
        text: message ?? (isKeyForgotten ? "AMP_API_KEY is not set" : "Not logged in"),
        remedy: isCi
          ? `Set ${variables}.`
          : `Log in, or set ${variables}, or try the sandbox: while it runs, add --profile sandbox.`,
        done: UNSENT,
        suggestion: isCi
          ? undefined
          : [suggest("auth login"), suggest("sandbox start", [], { port })],
      };
    },
    variable_empty: (variable: string) => ({
      text: `${variable} is empty`,
      remedy: "Set it. In CI, check that the secret exists and is available to this job.",
      done: UNSENT,
    }),
    token_expired: (source: string, expires: Date) => ({
      text: `The access token of ${source} expired at ${expires.toISOString()}`,
      remedy: "Use a new one.",
    }),
    credential_not_saved: (profile: string) => ({
      text: `No credential is saved for profile ${profile}`,
      suggestion: suggest("auth login", [], { profile }),
    }),
    profile_without_credential: (name: string) => ({
      text: `Profile ${name} has no credential`,
      suggestion: suggest("auth login"),
    }),
    credential_for_another_origin: (
      kind: CredentialKind,
      profile: string,
      origin: string,
      facts: ErrorFacts,
    ) => ({
      text: `The ${CREDENTIAL_NAMES[kind]} of profile ${profile} cannot be used for ${origin}`,
      ...facts,
    }),
    credential_not_for_reads: (source: string, origin: string, by: string) => ({
      text: `${source} is not sent to ${origin}, the read base URL of ${by}`,
      remedy: "Set AMP_READ_BASE_URL, too.",
      done: UNSENT,
    }),
    keyring_unusable: (reason: string, way = "Unlock it, or run amp in a desktop session.") => ({
      text: `The keyring cannot be used: ${reason}`,
      remedy: `${way} Otherwise, log in without --secure-storage under another profile name, or set AMP_API_KEY.`,
    }),
    keyring_entry_gone: () => ({
      text: "The keyring no longer has the secret of this profile",
      suggestion: suggest("auth login", [], { secureStorage: true }),
    }),
  },
  conflict: {
    profile_exists: (name: string) => ({
      text: `Profile ${name} already exists`,
      suggestion: suggest("auth list"),
    }),
    backup_exists: (path: string) => ({
      text: `${path} already exists`,
      done: "Nothing was moved.",
      remedy: "Try again.",
    }),
  },
});
