/**
 * The capabilities of a command and of the domain that it calls, each declared once. `context.ts`
 * builds them; a domain takes the ones that it needs by `Pick<CommandContext, …>`, and makes a
 * context with other members by `derived()` (`values/basics.ts`): a law forbids spreads, which
 * would call the getters.
 */

import type { Account } from "../account/account.ts";
import type { ProjectTrust } from "../account/trust.ts";
import type { Sourced } from "../account/values.ts";
import type { RetryNote, WaitNote } from "../api/client/policy.ts";
import type { Network } from "../api/network/network.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { SettingName } from "../settings.ts";
import type { ServiceTime } from "../values/service-clock.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import type { Page, ProgressEntry } from "../view/view.ts";
import type { ServiceTarget } from "./client.ts";
import type { Files } from "./files.ts";
import type { OutputSettings } from "./output-settings.ts";

export type { Sourced };

/** The capabilities of a command. Costly parts are built when they are first used. */
export interface CommandContext {
  /** The service that the settings name. */
  readonly api: Api;
  /** Connects to another service, or to the same one with another credential. */
  connect(target: ServiceTarget): Api;
  /** The saved logins. */
  readonly profiles: Account;
  readonly settings: SettingsReader;
  /** The project files that may say where credentials go. */
  readonly trust: () => Promise<ProjectTrust>;
  /** The files and standard input that the command line names. */
  readonly files: Files;
  /** The questions; each is an error that names its option if not interactive. */
  readonly prompt: Prompter;
  /** The notices and progress, on stderr. */
  readonly report: Reporter;
  readonly environment: RunEnvironment;
  /** The profile and service that a write acts on. */
  target(): { readonly profile: string | undefined; readonly baseUrl: string };
  /** Decides about writes; the client asks it in any case. */
  readonly guard: {
    /** Asks once for what a protected profile needs; called where a plan was agreed to. */
    assertMayWrite(): Promise<void>;
  };
  /** Whether questions can be asked: on a terminal, unless an option or CI forbids them. */
  readonly interactive: boolean;
  /** Whether `--yes` was given. */
  readonly yes: boolean;
  /** Whether `--dry-run` was given; always false for a command that writes nothing. */
  readonly dryRun: boolean;
  readonly output: Pick<
    OutputSettings,
    "format" | "forReading" | "isJobLog" | "jq" | "messages" | "query"
  >;
  /** The signal that Ctrl-C, SIGTERM and SIGHUP abort. */
  readonly signal: AbortSignal;
  /** The signal that a second one aborts while work is protected: it must end at once. */
  readonly urgentSignal: AbortSignal;
  /** Keeps work that saves what was done from being abandoned after a signal. */
  protect<Result>(work: Promise<Result>): Promise<Result>;
  /** Waits for another program, to which the interrupts of the terminal belong meanwhile. */
  handOver<Result>(work: Promise<Result>): Promise<Result>;
  now(): Date;
  /** The time by the clock of the service; undefined while none of its answers had a date. */
  serviceTime(): ServiceTime | undefined;
  /**
   * The world that the last answer of a sandbox on this machine named; undefined for any service.
   */
  world(): string | undefined;
}

/** The environment of a call, which determines the state that it shares with other runs. */
export interface RunEnvironment {
  /** The words that start this very program. */
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default folder of saved states; it may not exist yet. */
  readonly stateFolder: string;
  /** Whether a CI system runs amp: the disk may vanish with the job. */
  readonly ci: boolean;
  /**
   * The network settings of all requests; undefined: the runtime's own.
   * @throws {UsageError} for an environment that turns certificate checks off
   */
  readonly network: () => Promise<Network | undefined>;
  /** Whether certificates are not checked, by `--insecure-tls`. */
  readonly insecureTls: boolean;
  /** The command line without secrets; other runs see it in the lock that this run holds. */
  readonly commandLine: string;
}

/** Writes messages while amp works: on stderr, never data, never a secret. */
export interface Reporter {
  /** A line that `--quiet` drops, and the commands that it suggests. */
  notice(text: string, ...commands: readonly SuggestedCommand[]): void;
  /** A line that `--quiet` keeps, and the commands that it suggests. */
  warn(text: string, ...commands: readonly SuggestedCommand[]): void;
  /**
   * Warns of each; a terminal shows the first ones.
   * @param more the line about those that it does not show
   */
  warnAll(texts: readonly string[], more: (count: number) => string): void;
  /**
   * Writes a page, for example the plan that a question is about.
   * @param options `isWarning`: `--quiet` keeps it
   */
  page(page: Page, options?: { readonly isWarning?: boolean }): void;
  /**
   * Called before each question: writes what `--json` or `--quiet` has left out so far, since it
   * may be what the question is about. From then on all is written for a person.
   */
  asks(): void;
  /** A line of `--debug`. */
  debug(text: string): void;
  /** Writes the line of a resource whose outcome is known; the log of a job has the receipt. */
  progress(entry: ProgressEntry): void;
  /**
   * Shows on a terminal what is waited for, if it takes longer than a moment.
   * @returns ends the wait
   */
  waiting(wait: WaitNote): () => void;
  /**
   * Says that a request is sent again: on a terminal until then, elsewhere once for each request.
   */
  retrying(note: RetryNote): void;
  /**
   * Shows on a terminal what amp itself does, if it takes longer than a moment.
   * @returns ends it
   */
  working(text: string): () => void;
  /** Rings the bell of a terminal, whose person may look elsewhere by now. */
  bell(): void;
  /** Writes a JSON line for a program, with `--progress json`. */
  event(fields: Readonly<Record<string, unknown>>): void;
  /** Marks a place of a file in the job of GitHub Actions; nothing elsewhere, and with `--json`. */
  annotation(mark: Annotation): void;
  /** The warnings that `--json` keeps from stderr: they belong in its error, if there is one. */
  readonly unwritten: readonly string[];
  /** Whether anything was written: a result on the same screen then follows after an empty line. */
  readonly hasOutput: boolean;
}

/** A remark on a place of a file. */
export interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly text: string;
  /** The path below the checkout; absent where it is about no file. */
  readonly file?: string | undefined;
  /** Counted from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** One choice of a question. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  /** A text beside the label. */
  readonly note?: string;
  /** A heading above this choice, where it begins a group. */
  readonly group?: string;
}

/** The wording of a question, and the option that answers it without asking. */
export interface Question {
  readonly message: string;
  /**
   * The option, such as `--destination-name`; the error for a terminal that is not interactive
   * names it.
   */
  readonly flag: string;
  /** Whether Esc and ← return to the question before: they throw {@link BackError}. */
  readonly back?: boolean;
  /**
   * Whether the line above the question is the answer to the one before: returning erases it if it
   * fits one line.
   */
  readonly isBelowAnswer?: boolean;
}

/** Asks the person at the terminal. Ctrl-C throws {@link InterruptedError}. */
export interface Prompter {
  /** How to return to the question before; absent where each question says it. */
  readonly wayBack?: string | undefined;
  input(
    question: Question & {
      default?: string;
      /** An answer to edit: one that was refused, or given before. */
      typed?: string;
      /**
       * Returns true, or the problem of the answer; called on Enter. An error ends the question.
       */
      check?: (answer: string) => true | string | Promise<true | string>;
    },
  ): Promise<string>;
  /** Asks for a text that is hidden while typed. */
  secret(question: Question & { check?: (answer: string) => true | string }): Promise<string>;
  confirm(question: Question & { default?: boolean }): Promise<boolean>;
  select<Value>(
    question: Question & {
      choices: readonly Choice<Value>[];
      /** The choice that Enter takes; the first, if it is absent or not among the choices. */
      default?: Value;
      /** Whether typing searches the choices even if all of them are on the screen. */
      isSearched?: boolean;
    },
  ): Promise<Value>;
  /** Asks for one or more of several choices. */
  checkbox<Value>(
    question: Question & {
      choices: readonly Choice<Value>[];
      /** The label of the first row, which chooses all, for example "all 15 events". */
      all: string;
      chosen?: readonly Value[];
      /** Called with what is chosen so far, which an interrupt would lose. */
      changed?: (chosen: readonly Value[]) => void;
    },
  ): Promise<Value[]>;
}

/** The settings of this call, resolved by precedence. */
export interface SettingsReader {
  /**
   * The value of a setting.
   * @throws {UsageError} for a value that is not valid, an empty string included
   */
  get(name: SettingName): Sourced<string> | undefined;
}
