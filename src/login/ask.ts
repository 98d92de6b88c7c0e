import type { Secret } from "../context.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { CREDENTIAL_NAMES } from "../settings.ts";
import { askBaseUrl, withVersion } from "./base-url.ts";
import { askDefaults } from "./defaults.ts";
import { known } from "./known.ts";
import type { Login, LoginPorts } from "./ports.ts";
import { askProfile, refuseOtherService } from "./profile-name.ts";

/**
 * The answers of a login, from options or asked for.
 * @throws {UsageError} that names every option that is missing, before anything is asked or sent
 */
export async function askLogin(ports: LoginPorts): Promise<Login> {
  try {
    return await ask(ports);
  } catch (error) {
    throw error instanceof InterruptedError ? error.with({ done: "Nothing was saved." }) : error;
  }
}

async function ask(ports: LoginPorts): Promise<Login> {
  const { options, interactive } = ports;
  if (options.withApiKey !== undefined && options.withAccessToken !== undefined) {
    throw new UsageError("--with-api-key and --with-access-token contradict each other");
  }
  if (!interactive) requireOptions(ports);
  await prepareFiles(ports);
  const named = await askProfile(ports);
  const baseUrl = await withVersion(ports, await askBaseUrl(ports, known(ports, "baseUrl")));
  if (!named.chosen) await refuseOtherService(ports, named.profile, baseUrl);
  const kind = await credentialKind(ports);
  const secret = await readSecret(ports, kind);
  return { profile: named.profile, baseUrl, kind, secret, ...(await askDefaults(ports, baseUrl)) };
}

/** Before anything is asked: what is typed must not be lost to files that cannot take it. */
async function prepareFiles({ profiles, reset, talk }: LoginPorts): Promise<void> {
  if (!reset) return profiles.requireReadable();
  const moved = await profiles.setAsideUnreadable();
  for (const { from, to } of moved) talk.warn(`${from} was set aside: it is ${to} now.`);
  if (moved.length === 0) talk.warn("--reset: there was nothing to set aside.");
}

function requireOptions(ports: LoginPorts): void {
  const { withApiKey, withAccessToken } = ports.options;
  const missing = [
    known(ports, "baseUrl") ? undefined : "--base-url",
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

async function credentialKind({ options, prompt }: LoginPorts): Promise<Login["kind"]> {
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

async function readSecret(ports: LoginPorts, kind: Login["kind"]): Promise<Secret> {
  const { options, files, profiles, prompt } = ports;
  const flag = kind === "api-key" ? "--with-api-key" : "--with-access-token";
  const file = kind === "api-key" ? options.withApiKey : options.withAccessToken;
  if (file !== undefined) {
    return profiles.readSecret(await readFile(files, file, flag), `What ${flag} reads`);
  }
  const name = CREDENTIAL_NAMES[kind];
  const typed = await prompt.secret({ message: `The ${name}`, flag });
  return profiles.readSecret(typed, `The ${name}`);
}

async function readFile(files: LoginPorts["files"], file: string, flag: string): Promise<string> {
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
