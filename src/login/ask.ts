import { InterruptedError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_NAMES, type SettingName } from "../settings.ts";
import { askBaseUrl, askProfile, assertSameService, confirmVersion } from "./ask-service.ts";
import { isFromProfile, knownSetting, type Login, type LoginContext } from "./login.ts";

/**
 * The answers of a login, from options or asked for.
 * @throws {UsageError} that names every option that is missing, before anything is asked or sent
 */
export async function askLogin(ports: LoginContext): Promise<Login> {
  try {
    return await askAnswers(ports);
  } catch (error) {
    throw error instanceof InterruptedError ? error.with({ done: "Nothing was saved." }) : error;
  }
}

async function askAnswers(ports: LoginContext): Promise<Login> {
  const { options, interactive } = ports;
  if (options.withApiKey !== undefined && options.withAccessToken !== undefined) {
    throw new UsageError("--with-api-key and --with-access-token contradict each other");
  }
  if (!interactive) requireLoginOptions(ports);
  await prepareFiles(ports);
  const named = await askProfile(ports);
  const baseUrl = await confirmVersion(
    ports,
    await askBaseUrl(ports, knownSetting(ports, "baseUrl")),
  );
  if (!named.chosen) await assertSameService(ports, named.profile, baseUrl);
  const kind = await askCredentialKind(ports);
  const secret = await askSecret(ports, kind);
  return { profile: named.profile, baseUrl, kind, secret, ...(await askDefaults(ports, baseUrl)) };
}

/** Before anything is asked: what is typed must not be lost to files that cannot take it. */
async function prepareFiles({ profiles, reset, report }: LoginContext): Promise<void> {
  if (!reset) return profiles.requireReadable();
  const moved = await profiles.setAsideUnreadable();
  for (const { from, to } of moved) report.warn(`${from} was set aside: it is ${to} now.`);
  if (moved.length === 0) report.warn("--reset: there was nothing to set aside.");
}

function requireLoginOptions(ports: LoginContext): void {
  const { withApiKey, withAccessToken } = ports.options;
  const missing = [
    knownSetting(ports, "baseUrl") ? undefined : "--base-url",
    (withApiKey ?? withAccessToken) ? undefined : "--with-api-key (or --with-access-token)",
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw new UsageError(
    `missing ${missing.length > 1 ? "options" : "option"} ${missing.join(", ")}`,
    {
      detail: "Nobody can be asked here.",
      done: "Nothing was sent and nothing saved.",
      suggestion: "amp auth login --help",
    },
  );
}

async function askCredentialKind({ options, prompt }: LoginContext): Promise<Login["kind"]> {
  if (options.withApiKey !== undefined) return "api-key";
  if (options.withAccessToken !== undefined) return "access-token";
  return prompt.select({
    message: "Credential",
    flag: "--with-api-key or --with-access-token",
    choices: [
      { value: "api-key", label: "API key", note: "sent as X-Api-Key" },
      { value: "access-token", label: "Access token", note: "a JWT, sent as a bearer token" },
    ],
  });
}

async function askSecret(ports: LoginContext, kind: Login["kind"]): Promise<Secret> {
  const { options, files, profiles, prompt } = ports;
  const flag = kind === "api-key" ? "--with-api-key" : "--with-access-token";
  const file = kind === "api-key" ? options.withApiKey : options.withAccessToken;
  if (file !== undefined) {
    return profiles.readSecret(await readSecretFile(files, file, flag), `What ${flag} reads`);
  }
  const name = CREDENTIAL_NAMES[kind];
  const typed = await prompt.secret({ message: `The ${name}`, flag });
  return profiles.readSecret(typed, `The ${name}`);
}

async function readSecretFile(
  files: LoginContext["files"],
  file: string,
  flag: string,
): Promise<string> {
  try {
    return await files.read(file);
  } catch (error) {
    if (!(error instanceof UsageError) || file === "-") throw error;
    // What was typed may be the key itself: it is not repeated.
    throw new UsageError(`${flag} names no file that can be read`, {
      remedy: `${flag} takes a file, or - for standard input; never the secret itself.`,
      done: "Nothing was sent and nothing saved.",
    });
  }
}

/** What a profile may say in place of an option. */
type ProfileDefaults = Pick<Login, "project" | "org" | "integration">;

/**
 * The defaults of the profile: as given, else as asked, else as they were. Those of another service
 * mean nothing at this one and are not kept.
 */
export async function askDefaults(ports: LoginContext, baseUrl: string): Promise<ProfileDefaults> {
  const { options, interactive } = ports;
  const usual = (name: SettingName) => defaultValue(ports, name, baseUrl);
  const defaults = {
    project: interactive
      ? await askOptional(ports, "Default project (Enter for none)", "--project", usual("project"))
      : usual("project"),
    org:
      options.org ??
      (interactive
        ? await askOptional(
            ports,
            "Default organisation ID (Enter for none)",
            "--org",
            usual("org"),
          )
        : usual("org")),
    integration: options.integration ?? usual("integration"),
  };
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
}

function defaultValue(ports: LoginContext, name: SettingName, baseUrl: string): string | undefined {
  const found = knownSetting(ports, name);
  if (found === undefined || !isFromProfile(found)) return found?.value;
  const before = ports.profiles.chosen()?.profile.baseUrl;
  return before !== undefined && URL.parse(before)?.origin === URL.parse(baseUrl)?.origin
    ? found.value
    : undefined;
}

async function askOptional(
  { prompt }: LoginContext,
  message: string,
  flag: string,
  usual: string | undefined,
): Promise<string | undefined> {
  const preset = usual === undefined ? {} : { default: usual };
  const answer = (await prompt.input({ message, flag, ...preset })).trim();
  return answer === "" ? undefined : answer;
}
