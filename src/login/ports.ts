import type { Api } from "../api/api.ts";
import type { Files, Profiles, Prompter, Secret, SettingsReader, Target } from "../context.ts";
import type { CredentialKind } from "../settings.ts";

/** What a login needs of the world, and what was typed. */
export interface LoginPorts {
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
  readonly connect: (target: Target) => Api;
  readonly talk: { warn(text: string): void };
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
