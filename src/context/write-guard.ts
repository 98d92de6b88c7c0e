import type { ChosenProfile, Settings } from "../account/settings.ts";
import type { Sourced } from "../account/values.ts";
import type { Api } from "../api/operations/endpoint.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { once } from "../values/basics.ts";
import { suggest } from "../values/suggested-command.ts";
import { guardText } from "../values/writes.ts";
import type { Prompter } from "./command-context.ts";

interface GuardParts {
  readonly settings: Pick<Settings, "get" | "profileIfReadable" | "baseUrl">;
  readonly prompt: Pick<Prompter, "input">;
  readonly isInteractive: () => boolean;
}

/**
 * The guard of a call: decides whether it may write, by the guards of the profile and the expected
 * project. The client checks it before each request that writes, so no command can bypass it; an
 * earlier check only avoids a late refusal.
 */
export type WriteGuard = ReturnType<typeof createWriteGuard>;

/** How often the name of a profile may be typed before the write is cancelled. */
const MAX_TRIES = 3;

const UNCHANGED = "Nothing was changed.";

/** Creates the guard of one call; nothing is read or prompted yet. */
export function createWriteGuard({ settings, prompt, isInteractive }: GuardParts) {
  /** The profile in use; the active one has no say about another service. */
  const profileInUse = once((): ChosenProfile | undefined => {
    const chosen = settings.profileIfReadable();
    if (chosen === undefined || chosen.isNamed) return chosen;
    const { origin } = settings.baseUrl().value;
    return URL.parse(chosen.profile.baseUrl)?.origin === origin ? chosen : undefined;
  });
  const projectCheck = once(async () => {
    const expected = settings.get("expectProject");
    if (expected === undefined) return undefined;
    const { createProjectCheck } = await import("../api/operations/expected-project.ts");
    return createProjectCheck(expected);
  });

  function refuseWithoutAsking(): void {
    const chosen = profileInUse();
    const confirmed = settings.get("confirm");
    if (chosen?.profile.readOnly) throw readOnlyProfile(chosen.name);
    if (confirmed && confirmed.value !== chosen?.name) throw otherProfile(confirmed, chosen);
    if (chosen?.profile.protected && !confirmed && !isInteractive()) {
      throw unconfirmed(chosen.name);
    }
  }

  /** Asks for the name of a protected profile, unless --confirm gives it. */
  const assertMayWrite = once(async (): Promise<void> => {
    refuseWithoutAsking();
    const chosen = profileInUse();
    if (!chosen?.profile.protected || settings.get("confirm")) return;
    await askForName(prompt, chosen.name);
  });

  let mayHaveWritten = false;
  return {
    /** Whether a request that writes may have been sent. */
    mayHaveWritten: () => mayHaveWritten,
    /** The guards in the line that shows the target of a write. */
    labels: () => {
      const expected = settings.get("expectProject");
      const profile = profileInUse();
      return {
        profile: profile && guardText(profile.profile),
        project: expected && `expects project ${expected.value}`,
      };
    },
    /**
     * Refuses a command that writes before it sends anything; prompts on a terminal are left to
     * {@link assertMayWrite}.
     * @param project the project of the command, if it has one
     * @throws {UsageError} for a read-only profile, and for a protected one without confirmation
     * @throws {ConflictError} for another project than the expected one
     */
    check: async (api: Pick<Api, "call">, project: string | undefined): Promise<void> => {
      refuseWithoutAsking();
      if (project === undefined) return;
      await (await projectCheck())?.project(api, settings.baseUrl().value.href, project);
    },
    /**
     * Prompts once per call. A command with a plan calls it after the plan was confirmed: a prompt
     * during the requests would come between a saved intent and its request.
     * @throws {InterruptedError} if another name was typed; the errors of `check`
     */
    assertMayWrite,
    /** Decides about one request; the client calls it before each that writes. */
    beforeWrite: async (api: Pick<Api, "call">, baseUrl: string, url: URL): Promise<void> => {
      await (await projectCheck())?.request(api, baseUrl, url);
      await assertMayWrite();
      mayHaveWritten = true;
    },
  };
}

/** Asks for the name of a protected profile; @throws {InterruptedError} if it is never typed */
async function askForName(prompt: GuardParts["prompt"], name: string): Promise<void> {
  let tries = 0;
  await prompt.input({
    message: `Profile ${name} is protected. Type ${name} to continue`,
    flag: `--confirm ${name}`,
    // Refused as it is typed: an accepted answer gets a tick.
    check: (answer) => {
      if (answer.trim() === name) return true;
      tries += 1;
      if (tries === MAX_TRIES) throw new InterruptedError("Cancelled", { done: UNCHANGED });
      return `${answer.trim() || "Nothing"} is not ${name}.`;
    },
  });
}

function readOnlyProfile(name: string): UsageError {
  return new UsageError(`Profile ${name} is read-only`, {
    done: UNCHANGED,
    remedy: "Use another profile with --profile, or allow this one to write:",
    suggestion: suggest("auth protect", [name], { readOnly: true, off: true }),
  });
}

function unconfirmed(name: string): UsageError {
  return new UsageError(`Profile ${name} is protected, and this is not an interactive terminal`, {
    done: UNCHANGED,
    remedy: `Add --confirm ${name}.`,
  });
}

function otherProfile(
  { value, source }: Sourced<string>,
  chosen: ChosenProfile | undefined,
): UsageError {
  const message = `${source} is ${value}, but ${chosen ? `the profile in use is ${chosen.name}` : "no profile is in use"}`;
  return new UsageError(message, {
    done: UNCHANGED,
    remedy: chosen
      ? `Choose the profile with --profile, or correct ${source}.`
      : `Remove ${source}; --expect-project guards a credential without a profile.`,
  });
}
