import { AuthError, UsageError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import { credentialForOrigin } from "./credentials-file.ts";
import { SANDBOX_CREDENTIAL, SANDBOX_NAME } from "./profile-file.ts";
import type { ChosenProfile, ResolvedSettings, SettingSources } from "./resolve-settings.ts";
import { type EnvironmentVariables, fromOption, fromVariable, type Sourced } from "./sources.ts";

/** A credential, and where it came from. */
interface SourcedCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** `--api-key-file`, `AMP_API_KEY`, `AMP_ACCESS_TOKEN` or `profile production`. */
  readonly source: string;
  /** The profile whose credential it is; absent for one that was given for this call. */
  readonly profile?: string;
  /** Where a saved one is. */
  readonly keptIn?: "file" | "keyring";
}

/** The credential to send, or what to throw where a call needs one. */
export type ResolvedCredential =
  | SourcedCredential
  | { readonly kind: "none"; readonly why: AuthError };

/** What the credential follows from. */
export interface CredentialInput extends Pick<ResolvedSettings, "profile" | "baseUrl"> {
  readonly sources: SettingSources;
  readonly notices: Set<string>;
  /** As `profile`, but undefined where the file is broken and nobody named a profile. */
  readonly profileIfReadable: () => ChosenProfile | undefined;
}

/**
 * By precedence: `--api-key-file`, a profile named by option, the environment, any other profile.
 * @throws {UsageError} where what is given cannot be one, or both kinds are in the environment
 */
export async function resolveCredential(question: CredentialInput): Promise<ResolvedCredential> {
  const answer = await chooseCredential(question);
  if (answer.kind !== "none") {
    assertKind(answer, requestedKind(question.sources));
    await question.sources.hide(answer.secret);
  }
  if (answer.kind === "access-token") {
    const expiry = jwtExpiry(answer.secret.reveal());
    if (expiry && expiry <= question.sources.now()) {
      question.notices.add(
        `The access token of ${answer.source} expired at ${expiry.toISOString()}.`,
      );
    }
  }
  return answer;
}

async function chooseCredential(question: CredentialInput): Promise<ResolvedCredential> {
  const { options, env, readSecretFile } = question.sources;
  const file = fromOption(options, "apiKeyFile");
  if (file) {
    noteUnusedVariables(question, file.source);
    const secret = parseSecret(await readSecretFile(file.value), file.source);
    return { kind: "api-key", secret, source: file.source };
  }
  const asked = fromOption(options, "profile") ? question.profile() : undefined;
  if (asked && asked.profile.credential !== "none") {
    noteUnusedVariables(question, `The ${describeCredential(asked)}`);
    return credentialFromProfile(question, asked);
  }
  const variable = credentialFromEnvironment(env, requestedKind(question.sources));
  if (variable) {
    noteUnusedProfile(question, variable);
    return variable;
  }
  return credentialFromProfile(question, question.profile());
}

function credentialFromEnvironment(
  env: EnvironmentVariables,
  wanted: CredentialKind | undefined,
): SourcedCredential | undefined {
  const key = fromVariable(env, "apiKey");
  const token = fromVariable(env, "accessToken");
  if (key && token && wanted === undefined) {
    throw new UsageError(`Both ${key.source} and ${token.source} are set`, {
      remedy: `Unset the one that is not meant, or say which: --auth ${CREDENTIAL_KINDS.join(" or ")}`,
    });
  }
  const of = (kind: CredentialKind, { value, source }: Sourced<string>): SourcedCredential => ({
    kind,
    secret: parseSecret(value, source),
    source,
  });
  if (key && wanted !== "access-token") return of("api-key", key);
  return token && wanted !== "api-key" ? of("access-token", token) : undefined;
}

/** What `--auth` says. */
function requestedKind({ options }: SettingSources): CredentialKind | undefined {
  const asked = fromOption(options, "auth");
  if (asked === undefined) return undefined;
  const kind = CREDENTIAL_KINDS.find((each) => each === asked.value);
  if (kind) return kind;
  throw new UsageError(
    `--auth must be ${CREDENTIAL_KINDS.join(" or ")}, not ${JSON.stringify(asked.value)}`,
  );
}

/** A script that says what it sends must not send something else. */
function assertKind({ kind, source }: SourcedCredential, wanted: CredentialKind | undefined): void {
  if (wanted === undefined || kind === wanted) return;
  throw new UsageError(`--auth says ${wanted}, and ${source} holds an ${CREDENTIAL_NAMES[kind]}`, {
    done: "Nothing was sent.",
    remedy: `Leave --auth out, or give an ${CREDENTIAL_NAMES[wanted]}.`,
  });
}

async function credentialFromProfile(
  question: CredentialInput,
  chosen: ChosenProfile | undefined,
): Promise<ResolvedCredential> {
  if (chosen === undefined) return noCredential("No credential: nobody is logged in");
  const { name, profile } = chosen;
  if (profile.credential === "none") return noCredential(`Profile ${name} has no credential`);
  const source = `profile ${name}`;
  const url = question.baseUrl().value;
  // Its key is public, and the sandbox may listen on another port.
  if (name === SANDBOX_NAME && isLoopback(new URL(url.href).hostname)) {
    const { kind, secret } = SANDBOX_CREDENTIAL;
    return { kind, secret, source, profile: name };
  }
  try {
    const { kind, secret } = credentialForOrigin(
      name,
      url,
      await readStoredCredential(question, chosen),
    );
    const keptIn = profile.keyring === undefined ? "file" : "keyring";
    return { kind, secret, source, profile: name, keptIn };
  } catch (error) {
    if (error instanceof AuthError) return { kind: "none", why: error };
    throw error;
  }
}

async function readStoredCredential(
  { sources, notices: told }: CredentialInput,
  chosen: ChosenProfile,
) {
  const { keyring } = chosen.profile;
  if (keyring !== undefined) return sources.fromKeyring(keyring);
  const { credentials, notices } = sources.credentials();
  for (const notice of notices) told.add(notice);
  return credentials.get(chosen.name);
}

function noCredential(message: string): ResolvedCredential {
  const remedy = "Log in, or set AMP_API_KEY or AMP_ACCESS_TOKEN.";
  return { kind: "none", why: new AuthError(message, { remedy, suggestion: "amp auth login" }) };
}

function noteUnusedVariables({ sources, notices }: CredentialInput, used: string): void {
  const unused = ["AMP_API_KEY", "AMP_ACCESS_TOKEN"].filter((name) => sources.env[name]);
  for (const variable of unused) notices.add(`${used} is used; ${variable} is not.`);
}

function noteUnusedProfile(question: CredentialInput, { source }: SourcedCredential): void {
  const { notices, sources, profileIfReadable, baseUrl } = question;
  const chosen = profileIfReadable();
  if (chosen && chosen.profile.credential !== "none") {
    notices.add(`${source} is used; the ${describeCredential(chosen)} is not.`);
  }
  // A checked-out file must not direct a secret of the environment unseen.
  const { path, values } = sources.projectFile ?? {};
  if (values?.baseUrl !== undefined && baseUrl().source === path) {
    notices.add(`${source} is sent to ${baseUrl().value.origin}, which ${path} names.`);
  }
}

function describeCredential({ name, profile }: ChosenProfile): string {
  const kind = profile.credential === "none" ? "credential" : CREDENTIAL_NAMES[profile.credential];
  return `${kind} of profile ${name}`;
}

/** What another tool's keys begin with; it reads AMP_API_KEY, too. */
const FOREIGN_PREFIX = "sgamp_";

/**
 * Makes a secret of what was typed, piped or set.
 * @param source what to name in errors, for example `AMP_API_KEY`
 * @throws {UsageError} where it cannot be one; the message never holds it
 */
export function parseSecret(text: string, source: string): Secret {
  const secret = text.trim();
  if (secret === "") throw new UsageError(`${source} is empty`);
  if (/\p{Cc}/u.test(secret)) {
    throw new UsageError(`${source} holds a line break or another control character`, {
      remedy: "Copy it again, without what stands around it.",
    });
  }
  if (/[^\u0020-\u00ff]/u.test(secret)) {
    throw new UsageError(`${source} holds a character that no header can carry`, {
      remedy: "Copy it again: dots or quotes may have been replaced on the way.",
    });
  }
  if (secret.startsWith(FOREIGN_PREFIX)) {
    throw new UsageError(`${source} holds a key of another tool (${FOREIGN_PREFIX}…)`, {
      detail: "Another tool reads AMP_API_KEY, too. Its keys mean nothing here.",
      remedy: "Give a key of the integration platform.",
    });
  }
  return new Secret(secret);
}

/** When a JWT ends; undefined where it does not say so or is none. Its signature is not looked at. */
export function jwtExpiry(token: string): Date | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const { exp } = claims as { exp?: unknown };
    const expiry = new Date(typeof exp === "number" ? exp * 1000 : Number.NaN);
    return Number.isNaN(expiry.getTime()) ? undefined : expiry;
  } catch {
    return undefined;
  }
}
