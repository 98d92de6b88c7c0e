import type { Secret, Sourced } from "../context.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import type { SettingName } from "../settings.ts";
import { askBaseUrl, withVersion } from "./base-url.ts";
import type { Login, LoginPorts } from "./ports.ts";
import { verdict } from "./verdict.ts";

/**
 * The answers of a login, from options or asked for.
 * @throws {UsageError} that names every option that is missing, before anything is asked or sent
 */
export async function askLogin(ports: LoginPorts): Promise<Login> {
  const { options, interactive } = ports;
  if (options.withApiKey !== undefined && options.withAccessToken !== undefined) {
    throw new UsageError("--with-api-key and --with-access-token contradict each other");
  }
  if (!interactive) requireOptions(ports);
  const profile = await profileName(ports);
  const baseUrl = await withVersion(ports, await askBaseUrl(ports, known(ports, "baseUrl")));
  const kind = await credentialKind(ports);
  const secret = await readSecret(ports, kind);
  const project = known(ports, "project");
  const defaults = {
    project: interactive
      ? await orEmpty(ports, "Default project (Enter for none)", "--project", project)
      : project?.value,
    org:
      options.org === undefined && interactive
        ? await orEmpty(
            ports,
            "Default organisation ID (Enter for none)",
            "--org",
            known(ports, "org"),
          )
        : options.org,
    integration: options.integration,
  };
  const given = Object.entries(defaults).filter(([, value]) => value !== undefined);
  return { profile, baseUrl, kind, secret, ...Object.fromEntries(given) };
}

/** A setting, where the profile that is about to be made need not exist yet. */
function known({ settings }: LoginPorts, name: SettingName): Sourced<string> | undefined {
  try {
    return settings.get(name);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function requireOptions(ports: LoginPorts): void {
  const { withApiKey, withAccessToken } = ports.options;
  const missing = [
    known(ports, "baseUrl") ? undefined : "--base-url",
    (withApiKey ?? withAccessToken) ? undefined : "--with-api-key or --with-access-token",
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw new UsageError(`missing ${missing.join(" and ")}, and nobody can be asked here`, {
    done: "Nothing was sent and nothing saved.",
    suggestion: "amp auth login --help",
  });
}

async function profileName({
  settings,
  profiles,
  prompt,
  interactive,
}: LoginPorts): Promise<string> {
  const named = settings.get("profile");
  if (named !== undefined && named.source !== "amp auth switch") return named.value;
  const usual = named?.value ?? "default";
  if (!interactive) return usual;
  return prompt.input({
    message: "Profile name",
    flag: "--profile",
    default: usual,
    check: (answer) => verdict(() => profiles.checkName(answer)),
  });
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
  const text =
    file === undefined
      ? await prompt.secret({ message: kind === "api-key" ? "API key" : "Access token", flag })
      : await readFile(files, file, flag);
  return profiles.readSecret(text, file === undefined ? "The credential" : flag);
}

async function readFile(files: LoginPorts["files"], file: string, flag: string): Promise<string> {
  try {
    return await files.read(file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // What was typed may be the key itself: it is not repeated.
    throw new UsageError(`${flag} names no file that can be read`, {
      remedy: `${flag} takes a file, or - for standard input; never the secret itself.`,
      done: "Nothing was sent and nothing saved.",
    });
  }
}

async function orEmpty(
  { prompt }: LoginPorts,
  message: string,
  flag: string,
  usual: Sourced<string> | undefined,
): Promise<string | undefined> {
  const preset = usual === undefined ? {} : { default: usual.value };
  const answer = (await prompt.input({ message, flag, ...preset })).trim();
  return answer === "" ? undefined : answer;
}
