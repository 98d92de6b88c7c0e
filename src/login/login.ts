import type { Api } from "../api/operations/endpoint.ts";
import type {
  Files,
  Profiles,
  Prompter,
  Secret,
  ServiceTarget,
  SettingsReader,
  Sourced,
} from "../context/context.ts";
import { AmpError, NotFoundError } from "../errors.ts";
import type { CredentialKind, SettingName } from "../settings.ts";

/** What a login needs of the world, and what was typed. */
export interface LoginContext {
  readonly options: Readonly<
    Record<"withApiKey" | "withAccessToken" | "org" | "integration", string | undefined>
  >;
  readonly settings: SettingsReader;
  readonly profiles: Profiles;
  readonly prompt: Prompter;
  readonly files: Files;
  readonly interactive: boolean;
  /** `--reset`: files that cannot be understood are set aside. */
  readonly reset: boolean;
  /** `--secure-storage`: the secret goes into the keyring. */
  readonly secureStorage: boolean;
  /** `--yes`: takes a base URL without a version as it is. */
  readonly yes: boolean;
  readonly connect: (target: ServiceTarget) => Api;
  readonly report: { warn(text: string): void };
}

/** The answers of a login, the secret among them. */
export interface Login {
  readonly profile: string;
  readonly baseUrl: string;
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** Defaults of the profile; absent where none was given. */
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
}

/** A setting, where the profile that is about to be made need not exist yet. */
export function knownSetting(
  { settings }: LoginContext,
  name: SettingName,
): Sourced<string> | undefined {
  try {
    return settings.get(name);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Whether a value is what the profile says already, and nobody gave it for this call. */
export function isFromProfile({ source }: Sourced<string>): boolean {
  return source.startsWith("profile ");
}

/** What a check that throws says of an answer, in the form that a question wants. */
export function validation(check: () => unknown): true | string {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof AmpError) return error.message;
    throw error;
  }
}
