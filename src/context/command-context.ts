/**
 * The capabilities of a command, and of the domain that it calls: all that they may use of the world,
 * each declared once. `context.ts` builds them; a domain asks for the ones that it needs by
 * `Pick<CommandContext, …>`.
 */

import type { Network } from "../api/network/network.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { Sourced } from "../config/sources.ts";
import type { SettingName } from "../settings.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import type { Page, ProgressEntry } from "../view/view.ts";
import type { ServiceTarget } from "./client.ts";
import type { Files } from "./files.ts";
import type { OutputSettings } from "./output-settings.ts";
import type { Profiles } from "./profiles.ts";
import type { ProjectTrust } from "./trust.ts";

export type { Sourced };

/** Everything that a command may use. Costly parts are built when they are first used. */
export interface CommandContext {
  /** The service that the settings name. */
  readonly api: Api;
  /** Another service, or the same service with another credential. */
  connect(target: ServiceTarget): Api;
  /** The saved logins. */
  readonly profiles: Profiles;
  readonly settings: SettingsReader;
  /** The project files that may say where credentials go. */
  readonly trust: ProjectTrust;
  /** Files and standard input that the command line names. */
  readonly files: Files;
  /** Questions; throws a usage error that names the option where the terminal is not interactive. */
  readonly prompt: Prompter;
  /** Notices and progress, on stderr. */
  readonly report: Reporter;
  readonly environment: RunEnvironment;
  /** Profile and service that a write acts on. */
  target(): { readonly profile: string | undefined; readonly baseUrl: string };
  /** Whether questions can be asked: a terminal, and nothing that forbids them. */
  readonly interactive: boolean;
  /** `--yes`. */
  readonly yes: boolean;
  /** `--dry-run`; always false for a command that writes nothing. */
  readonly dryRun: boolean;
  readonly output: Pick<OutputSettings, "format">;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  now(): Date;
}

/** Where a call runs. State that other runs share follows from it. */
export interface RunEnvironment {
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
  /** The command line without secrets; other runs see it in the lock that this run holds. */
  readonly commandLine: string;
}

/** Writes messages while amp works: on stderr, never data, never a secret. */
export interface Reporter {
  /** A line that `--quiet` drops, and the commands that it suggests. */
  notice(text: string, ...commands: readonly SuggestedCommand[]): void;
  /** A line that `--quiet` keeps, and the commands that it suggests. */
  warn(text: string, ...commands: readonly SuggestedCommand[]): void;
  /** A page, for example what a question is about. */
  page(page: Page): void;
  /** A resource whose outcome is known. */
  progress(entry: ProgressEntry): void;
  /** A JSON line for programs that read the log of a CI job; `--quiet` keeps it. */
  ciEvent(fields: Readonly<Record<string, unknown>>): void;
  /** Whether anything was written: a result on the same screen then follows after an empty line. */
  readonly hasOutput: boolean;
}

/** One choice of a question. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  /** Shown beside the label. */
  readonly note?: string;
  /** A heading above this choice, where it begins a group. */
  readonly group?: string;
}

/** The wording of a question, and the option that answers it without asking. */
export interface Question {
  readonly message: string;
  /** The option, such as `--destination-name`; an error names it where the terminal is not interactive. */
  readonly flag: string;
}

/** Asks the person at the terminal. Ctrl-C throws {@link InterruptedError}. */
export interface Prompter {
  input(
    question: Question & {
      default?: string;
      /** True, or what is wrong with the answer; checked on Enter. */
      check?: (answer: string) => true | string;
    },
  ): Promise<string>;
  /** Hidden while typed. */
  secret(question: Question & { check?: (answer: string) => true | string }): Promise<string>;
  confirm(question: Question & { default?: boolean }): Promise<boolean>;
  select<Value>(question: Question & { choices: readonly Choice<Value>[] }): Promise<Value>;
  /** At least one must be chosen. */
  checkbox<Value>(
    question: Question & { choices: readonly Choice<Value>[]; chosen?: readonly Value[] },
  ): Promise<Value[]>;
}

/** The settings of this call, resolved by precedence. */
export interface SettingsReader {
  /** @throws {UsageError} where the value is given but no good, an empty string included */
  get(name: SettingName): Sourced<string> | undefined;
}
