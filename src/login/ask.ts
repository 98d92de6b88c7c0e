import { AmpError, AuthError, UsageError } from "../errors.ts";
import { withBack } from "../questions/with-back.ts";
import { derived } from "../values/basics.ts";
import { suggest, suggestHelp } from "../values/suggested-command.ts";
import { askCredential, checkAt, typedCredentialKind } from "./ask-credential.ts";
import { askDefaults } from "./ask-defaults.ts";
import {
  askBaseUrl,
  askProfile,
  confirmPath,
  confirmReplacement,
  confirmVersion,
  profileWithoutQuestion,
} from "./ask-service.ts";
import { type AskingContext, knownSetting, type Login, type LoginContext } from "./login.ts";
import type { CredentialCheck } from "./status.ts";

/** The answers of a login, and what the service said about the credential. */
export type CheckedLogin = Login & Pick<CredentialCheck, "outcome" | "projects">;

/**
 * Gets the answers of a login, from options or questions, and checks the credential.
 * @throws {UsageError} that lists every missing option, before any prompt or request
 */
export async function askLogin(context: LoginContext): Promise<CheckedLogin> {
  try {
    if (!context.interactive) requireLoginOptions(context);
    typedCredentialKind(context);
    await prepareFiles(context);
    return await withBack(context, ({ report, ...returning }) =>
      askAnswers(derived(context, { ...returning, report: derived(context.report, report) })),
    );
  } catch (error) {
    if (!(error instanceof AmpError) || error.facts.done !== undefined) throw error;
    // Other commands suggest amp auth status. A login with the same file would be refused again.
    const suggestion = typedCredentialKind(context) === undefined ? suggest("auth login") : [];
    const next = error instanceof AuthError ? { suggestion } : {};
    throw error.setFacts({ done: "Nothing was saved.", ...next });
  }
}

async function askAnswers(context: AskingContext): Promise<CheckedLogin> {
  const reads = readHostOf(context);
  const known = profileWithoutQuestion(context);
  const typedUrl = await confirmVersion(
    context,
    await askBaseUrl(context, knownSetting(context, "baseUrl")),
  );
  if (known !== undefined) await confirmReplacement(context, known, typedUrl);
  const knownProject = knownSetting(context, "project")?.value;
  const typed = await askCredential(context, typedUrl, knownProject);
  const baseUrl = typed.outcome === "unchecked" ? await confirmPath(context, typedUrl) : typedUrl;
  const credential =
    baseUrl === typedUrl ? typed : await checkAt(context, baseUrl, typed, knownProject);
  const defaults = await askDefaults(context, baseUrl, credential);
  const { kind, secret, outcome, projects } = credential;
  const profile = known?.profile ?? (await askProfile(context, baseUrl));
  return { profile, baseUrl, ...reads, kind, secret, ...defaults, outcome, projects };
}

/** The read host of this login: never that of an earlier one, for the secret is bound to it. */
function readHostOf(context: LoginContext): Pick<Login, "readBaseUrl"> {
  const { profiles, options } = context;
  const known = knownSetting(context, "readBaseUrl");
  const given = options.readBaseUrl
    ? { value: options.readBaseUrl, source: "--read-base-url" }
    : known;
  if (given === undefined || ("place" in given && given.place === "profile")) return {};
  return { readBaseUrl: profiles.readBaseUrl(given.value, given.source).href };
}

/** Checks the files before the first question: the answers must not be lost to an invalid file. */
async function prepareFiles({ profiles, now, reset, report }: LoginContext): Promise<void> {
  const store = await profiles.store();
  if (!reset) return store.assertReadable();
  const moved = await store.moveUnreadableAside(now());
  for (const { from, to } of moved) report.warn(`Moved ${from} to ${to}.`);
  if (moved.length === 0) report.warn("--reset: all files are valid; nothing was moved.");
}

function requireLoginOptions(context: LoginContext): void {
  const missing = [
    knownSetting(context, "baseUrl") ? undefined : "--base-url",
    typedCredentialKind(context) ? undefined : "--api-key-file (or --access-token-file)",
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw new UsageError(
    `missing ${missing.length > 1 ? "options" : "option"} ${missing.join(", ")}`,
    {
      detail: "This is not an interactive terminal.",
      done: "Nothing was sent or saved.",
      suggestion: suggestHelp("auth login"),
    },
  );
}
