import type { SettingName } from "../settings.ts";
import { isOfProfile, known } from "./known.ts";
import type { Login, LoginPorts } from "./ports.ts";

/** What a profile may say in place of an option. */
type Defaults = Pick<Login, "project" | "org" | "integration">;

/**
 * The defaults of the profile: as given, else as asked, else as they were. Those of another service
 * mean nothing at this one and are not kept.
 */
export async function askDefaults(ports: LoginPorts, baseUrl: string): Promise<Defaults> {
  const { options, interactive } = ports;
  const usual = (name: SettingName) => usualValue(ports, name, baseUrl);
  const defaults = {
    project: interactive
      ? await orNone(ports, "Default project (Enter for none)", "--project", usual("project"))
      : usual("project"),
    org:
      options.org ??
      (interactive
        ? await orNone(ports, "Default organisation ID (Enter for none)", "--org", usual("org"))
        : usual("org")),
    integration: options.integration ?? usual("integration"),
  };
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
}

function usualValue(ports: LoginPorts, name: SettingName, baseUrl: string): string | undefined {
  const found = known(ports, name);
  if (found === undefined || !isOfProfile(found)) return found?.value;
  const before = ports.profiles.chosen()?.profile.baseUrl;
  return before !== undefined && URL.parse(before)?.origin === URL.parse(baseUrl)?.origin
    ? found.value
    : undefined;
}

async function orNone(
  { prompt }: LoginPorts,
  message: string,
  flag: string,
  usual: string | undefined,
): Promise<string | undefined> {
  const preset = usual === undefined ? {} : { default: usual };
  const answer = (await prompt.input({ message, flag, ...preset })).trim();
  return answer === "" ? undefined : answer;
}
