import { AuthError, type ErrorFacts } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind, optionOf } from "../settings.ts";
import { once } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { isJsonObject, jsonOf } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { type BaseUrl, sandboxPort } from "./base-url.ts";
import { accountErrors } from "./errors.ts";
import {
  type ProfileFile,
  SANDBOX_CREDENTIAL,
  SANDBOX_NAME,
  type StoredCredential,
  type StoredCredentials,
} from "./profiles.ts";
import {
  type ChosenProfile,
  credentialVariable,
  type SettingSources,
  type Settings,
} from "./settings.ts";
import type { Sourced } from "./values.ts";

interface SourcedCredential {
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

/** The places that credentials come from. A function is called only when its answer matters. */
export interface CredentialSources
  extends Pick<SettingSources, "options" | "env" | "projectFile" | "profiles"> {
  readonly credentials: () => StoredCredentials;
  /** The text of the file that `--api-key-file` names; `-` is standard input. */
  readonly readSecretFile: (path: string) => Promise<string>;
  /**
   * Reads an entry of the keyring.
   * @throws {AuthError} if the keyring does not return the entry
   */
  readonly fromKeyring: (entry: string) => Promise<StoredCredential>;
  /** Masks a credential in the log of a CI job; called before the credential is used. */
  readonly hide: (secret: Secret) => Promise<void>;
  readonly now: () => Date;
}

/** The credentials of one call; each is read once. */
export class Credentials {
  readonly #call: Call;

  constructor(settings: Settings, sources: CredentialSources) {
    this.#call = { settings, sources };
  }

  /**
   * The credential for the base URL, by precedence: the file of an option, a profile named by
   * option, the environment, any other profile.
   * @throws {UsageError} for an unusable credential, and for two kinds at once
   */
  readonly ofService = once(() => resolveCredential(this.#call));

  /** The credential for the host of operations, logs and backfills. */
  readonly ofReads = once(async () => {
    const { settings } = this.#call;
    const [found, read] = [await this.ofService(), settings.readBaseUrl()];
    return read ? credentialForReads(found, settings.baseUrl().value, read) : found;
  });
}

interface Call {
  readonly settings: Settings;
  readonly sources: CredentialSources;
}

async function resolveCredential(call: Call): Promise<ResolvedCredential> {
  const { settings, sources } = call;
  const found = await chooseCredential(call);
  if (found.kind === "none") return found;
  assertKind(found, settings.get("auth"));
  await sources.hide(found.secret);
  const expires = found.kind === "access-token" ? jwtExpiry(found.secret.reveal()) : undefined;
  if (expires === undefined) return found;
  if (expires <= sources.now()) {
    settings.note(`${accountErrors.token_expired(found.source, expires).message}.`);
  }
  return { ...found, expires };
}

async function chooseCredential(call: Call): Promise<ResolvedCredential> {
  const { settings, sources } = call;
  const file = credentialFile(settings);
  if (file) {
    const { kind, source } = file;
    noteUnusedVariables(call, source);
    return { kind, secret: parseSecret(await sources.readSecretFile(file.value), source), source };
  }
  const typed = sources.options.profile === undefined ? undefined : settings.profile();
  if (typed && typed.profile.credential !== "none") {
    noteUnusedVariables(call, `the ${describeCredential(typed)}`);
    return credentialFromProfile(call, typed);
  }
  const variable = credentialFromEnvironment(sources.env, requestedKind(settings.get("auth")));
  if (variable) {
    noteUnusedProfile(call, variable);
    return variable;
  }
  return credentialFromProfile(call, settings.profile());
}

/** The options that name a file with a credential, by its kind. */
export const FILE_SETTINGS = {
  "api-key": "apiKeyFile",
  "access-token": "accessTokenFile",
} as const satisfies Record<CredentialKind, string>;

/**
 * The file of `--api-key-file` or `--access-token-file`.
 * @throws {UsageError} for both
 */
export function credentialFile(
  settings: Pick<Settings, "get">,
): (Sourced<string> & { readonly kind: CredentialKind }) | undefined {
  const files = CREDENTIAL_KINDS.flatMap((kind) => {
    const file = settings.get(FILE_SETTINGS[kind]);
    return file === undefined ? [] : [{ ...file, kind }];
  });
  if (files.length < 2) return files[0];
  throw inputErrors.options_conflict(
    ...(Object.values(FILE_SETTINGS).map(optionOf) as [string, string]),
  );
}

function credentialFromEnvironment(
  env: CredentialSources["env"],
  wanted: CredentialKind | undefined,
): SourcedCredential | undefined {
  const key = credentialVariable(env, "apiKey");
  const token = credentialVariable(env, "accessToken");
  if (key && token && wanted === undefined) {
    throw accountErrors.credentials_both_set(key.source, token.source);
  }
  const kind = wanted ?? (key ? "api-key" : "access-token");
  const found = kind === "api-key" ? key : token;
  if (found === undefined) return undefined;
  return { kind, secret: parseSecret(found.value, found.source), source: found.source };
}

function requestedKind(auth: Sourced<string> | undefined): CredentialKind | undefined {
  const kind = CREDENTIAL_KINDS.find((each) => each === auth?.value);
  if (kind || !auth) return kind;
  throw accountErrors.auth_invalid(auth.source, auth.value);
}

function assertKind({ kind, source }: SourcedCredential, auth: Sourced<string> | undefined): void {
  const wanted = requestedKind(auth);
  if (wanted === undefined || kind === wanted) return;
  throw accountErrors.auth_unlike_credential(wanted, auth?.source, source, kind);
}

async function credentialFromProfile(
  call: Call,
  chosen: ChosenProfile | undefined,
): Promise<ResolvedCredential> {
  const { settings, sources } = call;
  if (chosen === undefined || chosen.profile.credential === "none") {
    const message = chosen && `Profile ${chosen.name} has no credential`;
    return {
      kind: "none",
      why: accountErrors.not_logged_in(sources.env, message, sandboxPort(settings.baseUrl)),
    };
  }
  const { name, profile } = chosen;
  const source = `profile ${name}`;
  const url = settings.baseUrl().value;
  if (isLocalSandbox(name, url)) {
    const { kind, secret } = SANDBOX_CREDENTIAL;
    return { kind, secret, source, profile: name };
  }
  try {
    const stored = await readStored(call, chosen);
    const { origin: _, ...bound } = credentialForOrigin(name, url, stored, sources.profiles);
    const storedIn = profile.keyring === undefined ? "file" : "keyring";
    return { ...bound, source, profile: name, storedIn };
  } catch (error) {
    if (error instanceof AuthError) return { kind: "none", why: error };
    throw error;
  }
}

/** The key of the sandbox is public, and the sandbox may listen on another port. */
function isLocalSandbox(profile: string, { href }: BaseUrl): boolean {
  return profile === SANDBOX_NAME && isLoopback(new URL(href).hostname);
}

async function readStored({ settings, sources }: Call, { name, profile }: ChosenProfile) {
  if (profile.keyring !== undefined) return sources.fromKeyring(profile.keyring);
  const { credentials, notices } = sources.credentials();
  for (const notice of notices) settings.note(notice);
  return credentials.get(name);
}

/**
 * Releases a saved secret for the origin that it is bound to.
 * @param saved read where it is for another origin: which profile is for this one
 * @throws {AuthError} for any other origin, and if no secret is saved
 */
export function credentialForOrigin(
  profile: string,
  { origin }: Pick<BaseUrl, "origin">,
  stored: StoredCredential | undefined,
  saved: () => Pick<ProfileFile, "profiles"> = () => ({ profiles: new Map() }),
): StoredCredential {
  if (stored === undefined) throw accountErrors.credential_not_saved(profile);
  if (stored.origin === origin) return stored;
  const { profiles } = saved();
  const fits = (baseUrl: string) => URL.parse(baseUrl)?.origin === origin;
  const [other] =
    [...profiles].find(
      ([name, one]) => name !== profile && one.credential !== "none" && fits(one.baseUrl),
    ) ?? [];
  const own = profiles.get(profile);
  const facts: ErrorFacts = {
    detail: `It was saved for ${stored.origin}.`,
    suggestion: suggest("auth login", [], { profile }),
  };
  if (other !== undefined) {
    facts.remedy = `Profile ${other} is for this service: add --profile ${other}.`;
    facts.suggestion = suggest("auth status", [], { profile: other });
  } else if (own !== undefined && !fits(own.baseUrl)) {
    // A login as the same profile would replace a credential that is of use elsewhere.
    facts.remedy = `To keep profile ${profile}, log in under another name and use that profile here.`;
    facts.suggestion = suggest("auth login", [], { profile: { placeholder: "new-name" } });
  }
  throw accountErrors.credential_for_another_origin(stored.kind, profile, origin, facts);
}

/**
 * The credential for the read host, which is another origin than the one that it was saved for. A
 * saved credential goes there only if it was given for both at login, and one of the environment
 * only if the environment names the host, too.
 */
function credentialForReads(
  credential: ResolvedCredential,
  base: BaseUrl,
  { value: read, source: readSource, place }: Sourced<BaseUrl>,
): ResolvedCredential {
  if (credential.kind === "none" || read.origin === base.origin) return credential;
  const { kind, profile, source, readOrigin } = credential;
  if (profile === undefined) {
    if (place !== "profile") return credential;
    const why = accountErrors.credential_not_for_reads(source, read.origin, readSource);
    return { kind: "none", why };
  }
  if (isLocalSandbox(profile, read) || readOrigin === read.origin) return credential;
  const saved = [base.origin, readOrigin].filter((one) => one !== undefined).join(" and ");
  const why = accountErrors.credential_for_another_origin(kind, profile, read.origin, {
    detail: `It was saved for ${saved}.`,
    suggestion: suggest("auth login", [], { profile, readBaseUrl: read.href }),
    done: "Nothing was sent.",
  });
  return { kind: "none", why };
}

function noteUnusedVariables({ settings, sources }: Call, used: string): void {
  const unused = ["AMP_API_KEY", "AMP_ACCESS_TOKEN"].filter((name) => sources.env[name]);
  for (const variable of unused) settings.note(`Using ${used} (${variable} is ignored).`);
}

function noteUnusedProfile({ settings, sources }: Call, { source }: SourcedCredential): void {
  const chosen = settings.profileIfReadable();
  if (chosen && chosen.profile.credential !== "none") {
    settings.note(`Using ${source} (the ${describeCredential(chosen)} is ignored).`);
  }
  // A checked-out project file must not silently send a secret of the environment elsewhere.
  if (sources.projectFile?.values.baseUrl === undefined) return;
  const { value, place, source: path } = settings.baseUrl();
  if (place === "project file") {
    settings.note(`Sending ${source} to ${value.origin}, the base URL in ${path}.`);
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
  if (secret === "") throw inputErrors.value_empty(source);
  if (/\p{Cc}/u.test(secret)) throw accountErrors.secret_control_characters(source);
  if (/[^\u0020-\u00ff]/u.test(secret)) throw accountErrors.secret_characters(source);
  if (secret.startsWith(FOREIGN_PREFIX)) {
    throw accountErrors.secret_of_another_tool(source, FOREIGN_PREFIX);
  }
  return new Secret(secret);
}

/** The expiry of a JWT; undefined without one, and for other tokens. The signature is not checked. */
export function jwtExpiry(token: string): Date | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = jsonOf(Buffer.from(payload, "base64url").toString("utf8"));
  const exp = isJsonObject(claims) ? claims.exp : undefined;
  const expiry = new Date(typeof exp === "number" ? exp * 1000 : Number.NaN);
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}
