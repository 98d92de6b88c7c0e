import { InterruptedError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_NAMES, type SettingName } from "../settings.ts";
import { withoutUndefined } from "../values/json.ts";
import { suggestHelp } from "../values/suggested-command.ts";
import { askBaseUrl, askProfile, assertSameService, confirmVersion } from "./ask-service.ts";
import { knownSetting, type Login, type LoginContext } from "./login.ts";

/**
 * Gets the answers of a login, from options or questions.
 * @throws {UsageError} that names every missing option, before anything is asked or sent
 */
export async function askLogin(context: LoginContext): Promise<Login> {
  try {
    return await askAnswers(context);
  } catch (error) {
    throw error instanceof InterruptedError
      ? error.addFacts({ done: "Nothing was saved." })
      : error;
  }
}

async function askAnswers(context: LoginContext): Promise<Login> {
  const { options, interactive } = context;
  if (options.withApiKey !== undefined && options.withAccessToken !== undefined) {
    throw new UsageError("--with-api-key and --with-access-token conflict", {
      remedy: "Use one of them, not both.",
    });
  }
  if (!interactive) requireLoginOptions(context);
  await prepareFiles(context);
  const named = await askProfile(context);
  const baseUrl = await confirmVersion(
    context,
    await askBaseUrl(context, knownSetting(context, "baseUrl")),
  );
  if (!named.chosen) await assertSameService(context, named.profile, baseUrl);
  const kind = await askCredentialKind(context);
  const secret = await askSecret(context, kind);
  return {
    profile: named.profile,
    baseUrl,
    kind,
    secret,
    ...(await askDefaults(context, baseUrl)),
  };
}

/** Checks the files before the first question: the answers must not be lost to an invalid file. */
async function prepareFiles({ profiles, now, reset, report }: LoginContext): Promise<void> {
  const store = await profiles.store();
  if (!reset) return store.assertReadable();
  const moved = await store.moveUnreadableAside(now());
  for (const { from, to } of moved) report.warn(`Moved ${from} to ${to}.`);
  if (moved.length === 0) report.warn("--reset: all files are valid; nothing was moved.");
}

function requireLoginOptions(context: LoginContext): void {
  const { withApiKey, withAccessToken } = context.options;
  const missing = [
    knownSetting(context, "baseUrl") ? undefined : "--base-url",
    (withApiKey ?? withAccessToken) ? undefined : "--with-api-key (or --with-access-token)",
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw new UsageError(
    `missing ${missing.length > 1 ? "options" : "option"} ${missing.join(", ")}`,
    {
      detail: "This is not an interactive terminal.",
      done: "Nothing was sent or saved.",
      suggestion: suggestHelp("auth login"),
    },
  );
}

async function askCredentialKind({ options, prompt }: LoginContext): Promise<Login["kind"]> {
  if (options.withApiKey !== undefined) return "api-key";
  if (options.withAccessToken !== undefined) return "access-token";
  return prompt.select({
    message: "Credential type",
    flag: "--with-api-key or --with-access-token",
    choices: [
      { value: "api-key", label: "API key", note: "sent as X-Api-Key" },
      { value: "access-token", label: "Access token", note: "a JWT, sent as a bearer token" },
    ],
  });
}

async function askSecret(context: LoginContext, kind: Login["kind"]): Promise<Secret> {
  const { options, files, profiles, prompt } = context;
  const flag = kind === "api-key" ? "--with-api-key" : "--with-access-token";
  const file = kind === "api-key" ? options.withApiKey : options.withAccessToken;
  if (file !== undefined) {
    return profiles.readSecret(await readSecretFile(files, file, flag), `The input of ${flag}`);
  }
  const name = CREDENTIAL_NAMES[kind];
  const typed = await prompt.secret({ message: `Paste the ${name}`, flag });
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
    // The message does not repeat the file name: it may be the key itself.
    throw new UsageError(`Cannot read the file given to ${flag}`, {
      remedy: `Give ${flag} a file name, or - for standard input; never the secret itself.`,
      done: "Nothing was sent or saved.",
    });
  }
}

/** The settings that a profile may hold. */
type ProfileDefaults = Pick<Login, "project" | "org" | "integration">;

/**
 * The defaults of the profile: from options, answers, or the saved profile. The saved defaults of
 * another service are not kept.
 */
async function askDefaults(context: LoginContext, baseUrl: string): Promise<ProfileDefaults> {
  const { options, interactive, prompt } = context;
  const ask = async (name: "project" | "org", label: string) => {
    const preset = defaultValue(context, name, baseUrl);
    if (!interactive) return preset;
    const message = `Default ${label} (Enter for none)`;
    const question = {
      message,
      flag: `--${name}`,
      ...(preset === undefined ? {} : { default: preset }),
    };
    return (await prompt.input(question)).trim() || undefined;
  };
  return withoutUndefined({
    project: await ask("project", "project"),
    org: options.org ?? (await ask("org", "organisation ID")),
    integration: options.integration ?? defaultValue(context, "integration", baseUrl),
  });
}

function defaultValue(
  context: LoginContext,
  name: SettingName,
  baseUrl: string,
): string | undefined {
  const found = knownSetting(context, name);
  if (!found?.inProfile) return found?.value;
  const before = context.profiles.chosen()?.profile.baseUrl;
  return before !== undefined && URL.parse(before)?.origin === URL.parse(baseUrl)?.origin
    ? found.value
    : undefined;
}
