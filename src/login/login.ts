import type { CommandContext, Sourced } from "../context/command-context.ts";
import { AmpError, NotFoundError } from "../errors.ts";
import type { Returning } from "../questions/with-back.ts";
import type { Secret } from "../secrets/secret.ts";
import type { CredentialKind, SettingName } from "../settings.ts";
import type { ProfileGuards } from "../values/writes.ts";

/** The part of a command's context that a login uses, and its typed options. */
export interface LoginContext
  extends Pick<
    CommandContext,
    | "connect"
    | "files"
    | "interactive"
    | "now"
    | "profiles"
    | "prompt"
    | "report"
    | "settings"
    | "yes"
  > {
  readonly options: Readonly<
    Record<
      "withApiKey" | "withAccessToken" | "readBaseUrl" | "org" | "integration",
      string | undefined
    >
  >;
  /** Whether files that cannot be read are moved aside (`--reset`). */
  readonly reset: boolean;
  /** Whether the secret goes into the keyring (`--secure-storage`). */
  readonly secureStorage: boolean;
  /** The guards to add (`--protected`, `--read-only`); a login removes none. */
  readonly guards: ProfileGuards;
}

/** The same, for questions with a way back. */
export type AskingContext = LoginContext & Pick<Returning, "remember">;

/** The answers of a login, the secret among them. */
export interface Login {
  readonly profile: string;
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, to which the credential may be sent, too. */
  readonly readBaseUrl?: string;
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** Defaults of the profile; absent if there is none. */
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
}

/** A setting; undefined if it would come from a profile that does not exist yet. */
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

/** The result of a check in the form of a prompt: true, or how to correct the answer. */
export function validation(check: () => unknown): true | string {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof AmpError) return error.facts.remedy ?? error.message;
    throw error;
  }
}
