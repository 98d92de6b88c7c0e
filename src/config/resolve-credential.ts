import { AuthError, UsageError } from "../errors.ts";
import { isLoopback } from "../loopback.ts";
import type { Secret } from "../secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import { credentialFor } from "./credentials.ts";
import { type Environment, givenByEnv, givenByOption, type Sourced } from "./given.ts";
import type { ChosenProfile, ResolvedSettings, Sources } from "./resolve.ts";
import { SANDBOX_CREDENTIAL, SANDBOX_NAME } from "./sandbox-profile.ts";
import { cleanSecret, jwtExpiry } from "./secret-text.ts";

/** A credential, and where it came from. */
interface Credential {
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
export type CredentialAnswer = Credential | { readonly kind: "none"; readonly why: AuthError };

/** What the credential follows from. */
export interface CredentialQuestion extends Pick<ResolvedSettings, "profile" | "baseUrl"> {
  readonly sources: Sources;
  readonly notices: Set<string>;
  /** As `profile`, but undefined where the file is broken and nobody named a profile. */
  readonly profileIfReadable: () => ChosenProfile | undefined;
}

/**
 * By precedence: `--api-key-file`, a profile named by option, the environment, any other profile.
 * @throws {UsageError} where what is given cannot be one, or both kinds are in the environment
 */
export async function resolveCredential(question: CredentialQuestion): Promise<CredentialAnswer> {
  const answer = await choose(question);
  if (answer.kind !== "none") {
    refuseOtherKind(answer, wantedKind(question.sources));
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

async function choose(question: CredentialQuestion): Promise<CredentialAnswer> {
  const { options, env, readSecretFile } = question.sources;
  const file = givenByOption(options, "apiKeyFile");
  if (file) {
    noteUnusedVariables(question, file.source);
    const secret = cleanSecret(await readSecretFile(file.value), file.source);
    return { kind: "api-key", secret, source: file.source };
  }
  const asked = givenByOption(options, "profile") ? question.profile() : undefined;
  if (asked && asked.profile.credential !== "none") {
    noteUnusedVariables(question, `The ${nameOf(asked)}`);
    return fromProfile(question, asked);
  }
  const variable = fromEnv(env, wantedKind(question.sources));
  if (variable) {
    noteUnusedProfile(question, variable);
    return variable;
  }
  return fromProfile(question, question.profile());
}

function fromEnv(env: Environment, wanted: CredentialKind | undefined): Credential | undefined {
  const key = givenByEnv(env, "apiKey");
  const token = givenByEnv(env, "accessToken");
  if (key && token && wanted === undefined) {
    throw new UsageError(`Both ${key.source} and ${token.source} are set`, {
      remedy: `Unset the one that is not meant, or say which: --auth ${CREDENTIAL_KINDS.join(" or ")}`,
    });
  }
  const of = (kind: CredentialKind, { value, source }: Sourced<string>): Credential => ({
    kind,
    secret: cleanSecret(value, source),
    source,
  });
  if (key && wanted !== "access-token") return of("api-key", key);
  return token && wanted !== "api-key" ? of("access-token", token) : undefined;
}

/** What `--auth` says. */
function wantedKind({ options }: Sources): CredentialKind | undefined {
  const asked = givenByOption(options, "auth");
  if (asked === undefined) return undefined;
  const kind = CREDENTIAL_KINDS.find((each) => each === asked.value);
  if (kind) return kind;
  throw new UsageError(
    `--auth must be ${CREDENTIAL_KINDS.join(" or ")}, not ${JSON.stringify(asked.value)}`,
  );
}

/** A script that says what it sends must not send something else. */
function refuseOtherKind({ kind, source }: Credential, wanted: CredentialKind | undefined): void {
  if (wanted === undefined || kind === wanted) return;
  throw new UsageError(`--auth says ${wanted}, and ${source} holds an ${CREDENTIAL_NAMES[kind]}`, {
    done: "Nothing was sent.",
    remedy: `Leave --auth out, or give an ${CREDENTIAL_NAMES[wanted]}.`,
  });
}

async function fromProfile(
  question: CredentialQuestion,
  chosen: ChosenProfile | undefined,
): Promise<CredentialAnswer> {
  if (chosen === undefined) return none("No credential: nobody is logged in");
  const { name, profile } = chosen;
  if (profile.credential === "none") return none(`Profile ${name} has no credential`);
  const source = `profile ${name}`;
  const url = question.baseUrl().value;
  // Its key is public, and the sandbox may listen on another port.
  if (name === SANDBOX_NAME && isLoopback(new URL(url.href).hostname)) {
    const { kind, secret } = SANDBOX_CREDENTIAL;
    return { kind, secret, source, profile: name };
  }
  try {
    const { kind, secret } = credentialFor(name, url, await storedOf(question, chosen));
    const keptIn = profile.keyring === undefined ? "file" : "keyring";
    return { kind, secret, source, profile: name, keptIn };
  } catch (error) {
    if (error instanceof AuthError) return { kind: "none", why: error };
    throw error;
  }
}

async function storedOf({ sources, notices: told }: CredentialQuestion, chosen: ChosenProfile) {
  const { keyring } = chosen.profile;
  if (keyring !== undefined) return sources.fromKeyring(keyring);
  const { credentials, notices } = sources.credentials();
  for (const notice of notices) told.add(notice);
  return credentials.get(chosen.name);
}

function none(message: string): CredentialAnswer {
  const remedy = "Log in, or set AMP_API_KEY or AMP_ACCESS_TOKEN.";
  return { kind: "none", why: new AuthError(message, { remedy, suggestion: "amp auth login" }) };
}

function noteUnusedVariables({ sources, notices }: CredentialQuestion, used: string): void {
  const unused = ["AMP_API_KEY", "AMP_ACCESS_TOKEN"].filter((name) => sources.env[name]);
  for (const variable of unused) notices.add(`${used} is used; ${variable} is not.`);
}

function noteUnusedProfile(question: CredentialQuestion, { source }: Credential): void {
  const { notices, sources, profileIfReadable, baseUrl } = question;
  const chosen = profileIfReadable();
  if (chosen && chosen.profile.credential !== "none") {
    notices.add(`${source} is used; the ${nameOf(chosen)} is not.`);
  }
  // A checked-out file must not direct a secret of the environment unseen.
  const { path, values } = sources.projectFile ?? {};
  if (values?.baseUrl !== undefined && baseUrl().source === path) {
    notices.add(`${source} is sent to ${baseUrl().value.origin}, which ${path} names.`);
  }
}

function nameOf({ name, profile }: ChosenProfile): string {
  const kind = profile.credential === "none" ? "credential" : CREDENTIAL_NAMES[profile.credential];
  return `${kind} of profile ${name}`;
}
