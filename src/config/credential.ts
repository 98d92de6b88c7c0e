import { AuthError, UsageError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import { type BaseUrl, sandboxPort } from "./base-url.ts";
import { credentialForOrigin } from "./credentials-file.ts";
import { notLoggedIn, SANDBOX_CREDENTIAL, SANDBOX_NAME } from "./profile-file.ts";
import {
  type ChosenProfile,
  credentialVariable,
  type EnvironmentVariables,
  fromOption,
  type SettingSources,
  type Sourced,
} from "./sources.ts";

/** A credential, with the place that it comes from. */
export interface SourcedCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** The source: `--api-key-file`, `--access-token-file`, `AMP_API_KEY`, `AMP_ACCESS_TOKEN` or `profile production`. */
  readonly source: string;
  /** The profile that it belongs to; absent for a credential of this call alone. */
  readonly profile?: string;
  /** The place of a saved credential. */
  readonly storedIn?: "file" | "keyring";
  /** The origin of reads that a saved credential was given for, beside that of its service. */
  readonly readOrigin?: string;
  /** The expiry of an access token, if it has one. */
  readonly expires?: Date;
}

/** The credential to send, or the error of a request that needs one. */
export type ResolvedCredential =
  | SourcedCredential
  | { readonly kind: "none"; readonly why: AuthError };

/** The settings that decide the credential; the functions are those of `ResolvedSettings`. */
export interface CredentialInput {
  readonly sources: SettingSources;
  readonly notices: Set<string>;
  readonly profile: () => ChosenProfile | undefined;
  readonly profileIfReadable: () => ChosenProfile | undefined;
  readonly baseUrl: () => Sourced<BaseUrl>;
  /** The setting `auth`. */
  readonly auth: () => Sourced<string> | undefined;
}

/**
 * Chooses the credential by precedence: the file of an option, a profile named by option, the
 * environment, any other profile.
 * @throws {UsageError} for an unusable credential, or both kinds in the environment
 */
export async function resolveCredential(question: CredentialInput): Promise<ResolvedCredential> {
  const answer = await chooseCredential(question);
  if (answer.kind === "none") return answer;
  assertKind(answer, question.auth());
  await question.sources.hide(answer.secret);
  const expires = answer.kind === "access-token" ? jwtExpiry(answer.secret.reveal()) : undefined;
  if (expires === undefined) return answer;
  if (expires <= question.sources.now()) {
    question.notices.add(
      `The access token of ${answer.source} expired at ${expires.toISOString()}.`,
    );
  }
  return { ...answer, expires };
}

async function chooseCredential(question: CredentialInput): Promise<ResolvedCredential> {
  const { options, env, readSecretFile } = question.sources;
  const file = credentialFile(options);
  if (file) {
    const { kind, source } = file;
    noteUnusedVariables(question, source);
    return { kind, secret: parseSecret(await readSecretFile(file.value), source), source };
  }
  const asked = fromOption(options, "profile") ? question.profile() : undefined;
  if (asked && asked.profile.credential !== "none") {
    noteUnusedVariables(question, `the ${describeCredential(asked)}`);
    return credentialFromProfile(question, asked);
  }
  const variable = credentialFromEnvironment(env, requestedKind(question.auth()));
  if (variable) {
    noteUnusedProfile(question, variable);
    return variable;
  }
  return credentialFromProfile(question, question.profile());
}

/**
 * The file of `--api-key-file` or `--access-token-file`.
 * @throws {UsageError} for both
 */
function credentialFile(
  options: SettingSources["options"],
): (Sourced<string> & { readonly kind: CredentialKind }) | undefined {
  const key = fromOption(options, "apiKeyFile");
  const token = fromOption(options, "accessTokenFile");
  if (key && token) {
    throw new UsageError(`${key.source} and ${token.source} conflict`, {
      remedy: "Use one of them, not both.",
    });
  }
  if (key) return { ...key, kind: "api-key" };
  return token && { ...token, kind: "access-token" };
}

function credentialFromEnvironment(
  env: EnvironmentVariables,
  wanted: CredentialKind | undefined,
): SourcedCredential | undefined {
  const key = credentialVariable(env, "apiKey");
  const token = credentialVariable(env, "accessToken");
  if (key && token && wanted === undefined) {
    throw new UsageError(`Both ${key.source} and ${token.source} are set`, {
      remedy: `Unset one of them, or set AMP_AUTH to ${CREDENTIAL_KINDS.join(" or ")}.`,
    });
  }
  const kind = wanted ?? (key ? "api-key" : "access-token");
  const found = kind === "api-key" ? key : token;
  if (found === undefined) return undefined;
  return { kind, secret: parseSecret(found.value, found.source), source: found.source };
}

/** The value of the setting `auth`. */
function requestedKind(asked: Sourced<string> | undefined): CredentialKind | undefined {
  const kind = CREDENTIAL_KINDS.find((each) => each === asked?.value);
  if (kind || !asked) return kind;
  throw new UsageError(
    `${asked.source}: auth must be ${CREDENTIAL_KINDS.join(" or ")}, not ${JSON.stringify(asked.value)}`,
  );
}

/** Refuses a credential of another kind than the setting `auth` names. */
function assertKind({ kind, source }: SourcedCredential, asked: Sourced<string> | undefined): void {
  const wanted = requestedKind(asked);
  if (wanted === undefined || kind === wanted) return;
  const message = `auth is ${wanted} (${asked?.source}), but ${source} has an ${CREDENTIAL_NAMES[kind]}`;
  throw new UsageError(message, {
    done: "Nothing was sent.",
    remedy: `Remove the setting, or use an ${CREDENTIAL_NAMES[wanted]}.`,
  });
}

async function credentialFromProfile(
  question: CredentialInput,
  chosen: ChosenProfile | undefined,
): Promise<ResolvedCredential> {
  if (chosen === undefined) return noCredential(question);
  const { name, profile } = chosen;
  if (profile.credential === "none") {
    return noCredential(question, `Profile ${name} has no credential`);
  }
  const source = `profile ${name}`;
  const url = question.baseUrl().value;
  // The key of the sandbox is public, and the sandbox may listen on another port.
  if (name === SANDBOX_NAME && isLoopback(new URL(url.href).hostname)) {
    const { kind, secret } = SANDBOX_CREDENTIAL;
    return { kind, secret, source, profile: name };
  }
  try {
    const stored = await readStoredCredential(question, chosen);
    const { origin: _, ...bound } = credentialForOrigin(name, url, stored, question.sources);
    const storedIn = profile.keyring === undefined ? "file" : "keyring";
    return { ...bound, source, profile: name, storedIn };
  } catch (error) {
    if (error instanceof AuthError) return { kind: "none", why: error };
    throw error;
  }
}

async function readStoredCredential(
  { sources, notices: shown }: CredentialInput,
  chosen: ChosenProfile,
) {
  const { keyring } = chosen.profile;
  if (keyring !== undefined) return sources.fromKeyring(keyring);
  const { credentials, notices } = sources.credentials();
  for (const notice of notices) shown.add(notice);
  return credentials.get(chosen.name);
}

function noCredential({ baseUrl, sources }: CredentialInput, message?: string): ResolvedCredential {
  return { kind: "none", why: notLoggedIn(sources.env, message, sandboxPort(baseUrl)) };
}

function noteUnusedVariables({ sources, notices }: CredentialInput, used: string): void {
  const unused = ["AMP_API_KEY", "AMP_ACCESS_TOKEN"].filter((name) => sources.env[name]);
  for (const variable of unused) notices.add(`Using ${used} (${variable} is ignored).`);
}

function noteUnusedProfile(question: CredentialInput, { source }: SourcedCredential): void {
  const { notices, sources, profileIfReadable, baseUrl } = question;
  const chosen = profileIfReadable();
  if (chosen && chosen.profile.credential !== "none") {
    notices.add(`Using ${source} (the ${describeCredential(chosen)} is ignored).`);
  }
  // A checked-out project file must not silently send a secret of the environment elsewhere.
  const { path, values } = sources.projectFile ?? {};
  if (values?.baseUrl !== undefined && baseUrl().source === path) {
    notices.add(`Sending ${source} to ${baseUrl().value.origin}, the base URL in ${path}.`);
  }
}

function describeCredential({ name, profile }: ChosenProfile): string {
  const kind = profile.credential === "none" ? "credential" : CREDENTIAL_NAMES[profile.credential];
  return `${kind} of profile ${name}`;
}

/** The first characters of another tool's keys; that tool reads AMP_API_KEY, too. */
const FOREIGN_PREFIX = "sgamp_";

/**
 * Makes a secret of text that was typed, piped or set.
 * @param source its name in errors, for example `AMP_API_KEY`
 * @throws {UsageError} if it cannot be a key or token; the message never contains it
 */
export function parseSecret(text: string, source: string): Secret {
  const secret = text.trim();
  if (secret === "") throw new UsageError(`${source} is empty`);
  if (/\p{Cc}/u.test(secret)) {
    throw new UsageError(`${source} contains a line break or another control character`, {
      remedy: "Copy it again without the text around it.",
    });
  }
  if (/[^\u0020-\u00ff]/u.test(secret)) {
    throw new UsageError(`${source} contains a character that HTTP headers do not allow`, {
      remedy: "Copy it again; dots or quotes may have been replaced.",
    });
  }
  if (secret.startsWith(FOREIGN_PREFIX)) {
    throw new UsageError(`${source} contains a key of another tool (${FOREIGN_PREFIX}…)`, {
      detail: "That tool also reads AMP_API_KEY. Its keys do not work here.",
      remedy: "Use a key of the integration platform.",
    });
  }
  return new Secret(secret);
}

/** The expiry of a JWT; undefined without one, and for other tokens. The signature is not checked. */
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
