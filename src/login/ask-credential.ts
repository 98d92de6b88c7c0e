import { AuthError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { CredentialKind } from "../settings.ts";
import { CREDENTIAL_NAMES } from "../settings.ts";
import { type AskingContext, type LoginContext, validation } from "./login.ts";
import { type CredentialCheck, verifyCredential } from "./status.ts";

/** A credential that the service has not refused. */
export interface CheckedCredential extends CredentialCheck {
  readonly kind: CredentialKind;
  readonly secret: Secret;
}

/** The options that name a file with a credential, by its kind. */
const FILE_OPTIONS = {
  "api-key": { flag: "--api-key-file", setting: "apiKeyFile", former: "withApiKey" },
  "access-token": {
    flag: "--access-token-file",
    setting: "accessTokenFile",
    former: "withAccessToken",
  },
} as const satisfies Record<CredentialKind, object>;

/**
 * The file that an option names for a kind of credential; the options of the command are earlier
 * names of the global ones.
 */
function fileOption(context: LoginContext, kind: CredentialKind): string | undefined {
  const { setting, former } = FILE_OPTIONS[kind];
  return context.settings.get(setting)?.value ?? context.options[former];
}

/**
 * The kind of credential whose file an option names; undefined if none does.
 * @throws {UsageError} for both kinds
 */
export function typedCredentialKind(context: LoginContext): CredentialKind | undefined {
  const kinds = (Object.keys(FILE_OPTIONS) as CredentialKind[]).filter(
    (kind) => fileOption(context, kind) !== undefined,
  );
  if (kinds.length < 2) return kinds[0];
  throw new UsageError("--api-key-file and --access-token-file conflict", {
    remedy: "Use one of them, not both.",
  });
}

/**
 * Gets the credential from a file or a question, and checks it with the service at once. Prompts
 * again for a typed one that is refused.
 * @param project the project to check with where the service does not list the projects
 * @throws {AuthError} for one of a file that the service refuses
 */
export async function askCredential(
  context: AskingContext,
  baseUrl: string,
  project: string | undefined,
): Promise<CheckedCredential> {
  const typedKind = typedCredentialKind(context);
  const kind = typedKind ?? (await askKind(context));
  for (;;) {
    const secret = await askSecret(context, kind);
    try {
      return await checkAt(context, baseUrl, { kind, secret }, project);
    } catch (error) {
      const canRetype = typedKind === undefined && error instanceof AuthError;
      if (!canRetype) throw error;
      context.report.warn(`${error.message}. Paste it again, or press Esc to go back.`);
    }
  }
}

/** Checks a credential at a base URL. */
export async function checkAt(
  context: AskingContext,
  baseUrl: string,
  { kind, secret }: Pick<CheckedCredential, "kind" | "secret">,
  project: string | undefined,
): Promise<CheckedCredential> {
  const api = context.connect({ baseUrl, credential: { kind, secret: secret.reveal() } });
  const check = await context.remember(() => verifyCredential(api, project));
  return { kind, secret, ...check };
}

async function askKind({ prompt }: LoginContext): Promise<CredentialKind> {
  return prompt.select({
    message: "Credential type",
    flag: "--api-key-file or --access-token-file",
    choices: [
      { value: "api-key", label: "API key", note: "sent as X-Api-Key" },
      { value: "access-token", label: "Access token", note: "a JWT, sent as a bearer token" },
    ],
  });
}

async function askSecret(context: LoginContext, kind: CredentialKind): Promise<Secret> {
  const { files, profiles, prompt } = context;
  const { flag } = FILE_OPTIONS[kind];
  const file = fileOption(context, kind);
  if (file !== undefined) {
    return profiles.readSecret(await readSecretFile(files, file, flag), `The input of ${flag}`);
  }
  const name = CREDENTIAL_NAMES[kind];
  const typed = await prompt.secret({
    message: `Paste the ${name}`,
    flag,
    // The question stays open: what is pasted next must not go to the shell.
    check: (answer) =>
      answer.trim() === "" ? "Required" : validation(() => profiles.checkSecret(answer)),
  });
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
      remedy: `Pass a file name to ${flag}, or - for standard input; never the secret itself.`,
      done: "Nothing was sent or saved.",
    });
  }
}
