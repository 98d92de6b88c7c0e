import { Account } from "../account/account.ts";
import { configFolder, readProfileFile } from "../account/files.ts";
import { seenNamesPath, userStateFolder } from "../account/folders.ts";
import type { Keyring } from "../account/keyring.ts";
import { findProjectFile } from "../account/project-file.ts";
import { type ChosenProfile, type SettingSources, Settings } from "../account/settings.ts";
import type { ProjectFileUse, TrustQuestion } from "../account/trust.ts";
import { checkTypedOptions, readTypedSetting } from "../account/values.ts";
import type { Api } from "../api/operations/endpoint.ts";
import { stops } from "../errors.ts";
import type { Io } from "../io.ts";
import { withDeadline } from "../runtime/end-process.ts";
import { redactedCommandLine } from "../secrets/secret.ts";
import { isEnabled, SETTINGS } from "../settings.ts";
import type { PromptTerminal } from "../ui/prompt-keys.ts";
import { derived, once } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { defined } from "../values/json.ts";
import { createOddFieldTally, type OddFieldTally } from "../values/odd-fields.ts";
import { readDuration } from "../values/time.ts";
import { guardText } from "../values/writes.ts";
import {
  type ClientDependencies,
  createCiMask,
  defaultService,
  listenToHeaders,
  targetService,
} from "./client.ts";
import type { CommandContext, Prompter, Reporter, RunEnvironment } from "./command-context.ts";
import { contextErrors } from "./errors.ts";
import { Files } from "./files.ts";
import {
  createOutputSettings,
  type GlobalOptions,
  type OutputSettings,
} from "./output-settings.ts";

interface ContextDependencies {
  /** Called with the first question: the prompts take long to load. */
  readonly loadPrompter: (redraws: boolean) => Promise<(terminal: PromptTerminal) => Prompter>;
  /** A replacement for the global `fetch`. */
  readonly fetch?: ClientDependencies["shared"]["fetch"];
  /** A replacement for random client request IDs. */
  readonly uuid?: ClientDependencies["shared"]["uuid"];
  /** A replacement for the system's keyring. */
  readonly keyring?: Keyring;
  readonly createReporter: (output: OutputSettings) => Reporter;
}

/** The context of one call, before the command's own arguments and options are read. */
export interface Context extends Omit<CommandContext, "dryRun"> {
  readonly output: OutputSettings;
  readonly guard: WriteGuard;
  /** The odd fields of the answers, reported once the result is written. */
  readonly oddFields: OddFieldTally;
  /**
   * Asks once whether the project file is trusted, if the command uses one of its settings.
   * @throws {UsageError} if the command needs the file, and it is broken
   */
  acceptProjectFile(command: ProjectFileUse): Promise<void>;
}

/** Builds the context of one call. */
export async function createContext(
  world: Io,
  options: GlobalOptions,
  { loadPrompter, fetch, uuid, keyring, createReporter }: ContextDependencies,
): Promise<Context> {
  const { io, limit } = withLimit(world);
  const files = new Files(io);
  const { settings, profiles, trust, accept } = await openAccount(io, options, { files, keyring });
  limit(settings);
  const output = await createOutputSettings(io, options, settings.get);
  const report = createReporter(output);
  const interactive = () => !files.isPasted() && isInteractive(io, options, settings);
  const prompt = lazyPrompter({ io, output, interactive, report }, loadPrompter);
  const guard = new WriteGuard({ settings, prompt, isInteractive: interactive });
  const environment = runEnvironment(io, report, options, settings);
  const oddFields = createOddFieldTally();
  const { onSend, ...answers } = listenToHeaders(io, (notice) => report.notice(notice));
  const client: ClientDependencies = {
    io,
    guard,
    settings,
    notify: (notice) => report.notice(notice),
    debug: output.debug,
    credentials: profiles.credentials,
    network: environment.network,
    shared: {
      ...observerOf(report),
      onOddFields: oddFields.add,
      onSend,
      ...defined({ fetch, uuid }),
    },
    pace: once(async () => (await import("../api/request/retry.ts")).createRateGate()),
  };
  return {
    acceptProjectFile: accept({ settings, prompt, report, isInteractive: interactive }),
    trust,
    guard,
    api: defaultService(client),
    connect: (target) => targetService(client, target),
    settings,
    files,
    profiles,
    prompt,
    // The property is a getter: few commands need settings and standard input.
    get interactive() {
      return interactive();
    },
    yes: options.yes === true,
    output,
    oddFields,
    report,
    ...ofProcess(io),
    ...answers,
    target: () => ({
      profile: settings.profileIfReadable()?.name,
      baseUrl: settings.baseUrl().value.href,
    }),
    environment,
  };
}

function observerOf({ waiting, retrying }: Reporter) {
  return { onWait: waiting, onRetry: retrying };
}

function ofProcess(io: Io) {
  const { signal, urgentSignal, protectedWork } = io;
  return {
    signal,
    urgentSignal,
    protect: <Result>(work: Promise<Result>) => protectedWork.keep(work),
    handOver: <Result>(work: Promise<Result>) => protectedWork.handOver(work),
    now: () => io.now(),
  };
}

async function loadPrompts(
  { err, stdin: input, signal }: Io,
  output: OutputSettings,
  load: ContextDependencies["loadPrompter"],
): Promise<Prompter> {
  const terminal = { input, output: err.stream, columns: err.columns, signal };
  return (await load(output.redraws()))({ ...terminal, paint: output.paint("err") });
}

/** The call whose signal the setting `deadline` limits, once it is known. */
function withLimit(world: Io) {
  let signal = world.signal;
  const io: Io = derived(world, {
    get signal() {
      return signal;
    },
  });
  const limit = (settings: Settings) => {
    // The value of an untrusted file is refused with its other settings, or ignored.
    if (settings.untrusted(["deadline"]).length > 0) return;
    const deadline = readTypedSetting(settings, "deadline", readDuration);
    if (deadline !== undefined) signal = withDeadline(signal, deadline);
  };
  return { io, limit };
}

/** The settings, logins and project file of the call. */
async function openAccount(
  io: Io,
  options: GlobalOptions,
  { files, keyring }: { files: Files; keyring: Keyring | undefined },
) {
  const folder = configFolder(io);
  // A case is of another service and project than the folder that it is opened in.
  const projectFile = io.env[SETTINGS.case.env] ? undefined : await findProjectFile(io);
  // The module is loaded when it matters: few folders have a project file.
  const trust = once(async () => {
    const { ProjectTrust } = await import("../account/trust.ts");
    return new ProjectTrust(io, folder, projectFile);
  });
  const ofFile = projectFile && (await trust());
  const sources: SettingSources = {
    options: textOptions(options),
    env: io.env,
    projectFile,
    isTrusted: () => ofFile?.isTrusted() ?? false,
    profiles: () => readProfileFile(folder),
    allowInsecureHttp: options.allowInsecureHttp === true,
  };
  const settings = new Settings(sources);
  checkTypedOptions(settings, sources.options);
  const profiles = new Account(settings, sources, {
    folder,
    keyring,
    get signal() {
      return io.signal;
    },
    now: () => io.now(),
    readSecretFile: (path) => files.read(path),
    hide: createCiMask(io),
    seenNames: (profile) => seenNamesPath(io, profile),
  });
  const accept = (question: TrustQuestion) => async (use: ProjectFileUse) =>
    ofFile?.accept(question, use);
  return { settings, profiles, trust, accept };
}

/** Where the call runs; what takes time, or grows until it is read, are getters. */
function runEnvironment(
  io: Io,
  report: Reporter,
  { insecureTls, allowInsecureHttp }: GlobalOptions,
  settings: Settings,
): RunEnvironment {
  const isInsecure = () => insecureTls === true || isEnabled(settings.get("insecureTls")?.value);
  return {
    program: io.program,
    cwd: io.cwd,
    env: io.env,
    get stateFolder() {
      return userStateFolder(io);
    },
    ci: isEnabled(io.env.CI),
    /** The network settings of all requests; --quiet does not hide what makes them unsafe. */
    network: once(async () => {
      const { createNetwork } = await import("../api/network/network.ts");
      const network = await createNetwork({ env: io.env, insecureTls: isInsecure() });
      const warnings = [
        isInsecure() && "TLS certificates are not verified (--insecure-tls)",
        allowInsecureHttp && "Requests may be sent without TLS (--allow-insecure-http)",
      ];
      for (const warning of warnings) {
        if (warning) report.warn(`${warning}: anyone on the network path can read the traffic.`);
      }
      return network;
    }),
    get insecureTls() {
      return isInsecure();
    },
    get commandLine() {
      // More secrets are known by the time it is read.
      return redactedCommandLine(io.argv);
    },
  };
}

function textOptions(options: GlobalOptions): Record<string, string> {
  const texts = Object.entries(options).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return Object.fromEntries(texts);
}

/** Whether questions can be asked: on a terminal, without --no-input and CI. */
function isInteractive(io: Io, { input }: GlobalOptions, settings: Settings): boolean {
  if (input === false) return false;
  if (isEnabled(settings.get("input")?.value) || isEnabled(settings.get("ci")?.value)) return false;
  return io.stdin.isTTY === true && io.err.isTty;
}

interface PrompterParts {
  /** Whether questions can be asked; if not, each is an error that names its option. */
  readonly interactive: () => boolean;
  readonly report: Pick<Reporter, "asks">;
  readonly io: Io;
  readonly output: OutputSettings;
}

/** Loads the prompts with the first question. */
function lazyPrompter(
  { io, output, interactive, report }: PrompterParts,
  load: ContextDependencies["loadPrompter"],
): Prompter {
  const prompter = once(() => loadPrompts(io, output, load));
  const ready = (flag: string) => {
    if (!interactive()) {
      const why = "This is not an interactive terminal.";
      throw inputErrors.param_missing(flag, `Add ${flag}.`, "Nothing was sent.", why);
    }
    report.asks();
    return prompter();
  };
  return {
    get wayBack() {
      return output.redraws() ? "Esc returns to the previous question." : undefined;
    },
    input: async (question) => (await ready(question.flag)).input(question),
    secret: async (question) => (await ready(question.flag)).secret(question),
    confirm: async (question) => (await ready(question.flag)).confirm(question),
    select: async (question) => (await ready(question.flag)).select(question),
    checkbox: async (question) => (await ready(question.flag)).checkbox(question),
  };
}

interface GuardParts {
  readonly settings: Pick<Settings, "get" | "profileIfReadable" | "baseUrl">;
  readonly prompt: Pick<Prompter, "input">;
  readonly isInteractive: () => boolean;
}

/** How often the name of a profile may be typed before the write is cancelled. */
const MAX_TRIES = 3;

/**
 * The guard of a call: decides whether it may write, by the guards of the profile and the expected
 * project. The client checks it before each request that writes, so no command can bypass it; an
 * earlier check only avoids a late refusal. Nothing is read or prompted until then.
 */
class WriteGuard {
  readonly #parts: GuardParts;
  #mayHaveWritten = false;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** The profile in use; the active one has no say about another service. */
  readonly #profile = once((): ChosenProfile | undefined => {
    const { settings } = this.#parts;
    const chosen = settings.profileIfReadable();
    if (chosen === undefined || chosen.isNamed) return chosen;
    const { origin } = settings.baseUrl().value;
    return URL.parse(chosen.profile.baseUrl)?.origin === origin ? chosen : undefined;
  });

  readonly #projectCheck = once(async () => {
    const expected = this.#parts.settings.get("expectProject");
    if (expected === undefined) return undefined;
    const { createProjectCheck } = await import("../api/operations/expected-project.ts");
    return createProjectCheck(expected);
  });

  #refuseWithoutAsking(): void {
    const { settings, isInteractive } = this.#parts;
    const chosen = this.#profile();
    const confirmed = settings.get("confirm");
    if (chosen?.profile.readOnly) throw contextErrors.profile_read_only(chosen.name);
    if (confirmed && confirmed.value !== chosen?.name) {
      throw contextErrors.profile_not_in_use(confirmed.source, confirmed.value, chosen?.name);
    }
    if (chosen?.profile.protected && !confirmed && !isInteractive()) {
      throw contextErrors.profile_not_confirmed(chosen.name);
    }
  }

  /** Whether a request that writes may have been sent. */
  mayHaveWritten(): boolean {
    return this.#mayHaveWritten;
  }

  /** The guards in the line that shows the target of a write. */
  labels() {
    const expected = this.#parts.settings.get("expectProject");
    const profile = this.#profile();
    return {
      profile: profile && guardText(profile.profile),
      project: expected && `expects project ${expected.value}`,
    };
  }

  /**
   * Refuses a command that writes before it sends anything; prompts on a terminal are left to
   * {@link assertMayWrite}.
   * @param project the project of the command, if it has one
   * @throws {UsageError} for a read-only profile, and for a protected one without confirmation
   * @throws {ConflictError} for another project than the expected one
   */
  async check(api: Pick<Api, "call">, project: string | undefined): Promise<void> {
    this.#refuseWithoutAsking();
    if (project === undefined) return;
    const check = await this.#projectCheck();
    await check?.project(api, this.#parts.settings.baseUrl().value.href, project);
  }

  /**
   * Asks once per call for the name of a protected profile, unless --confirm gives it. A command
   * with a plan calls it after the plan was confirmed: a prompt during the requests would come
   * between a saved intent and its request.
   * @throws {InterruptedError} if another name was typed; the errors of `check`
   */
  readonly assertMayWrite = once(async (): Promise<void> => {
    this.#refuseWithoutAsking();
    const { settings, prompt } = this.#parts;
    const chosen = this.#profile();
    if (chosen?.profile.protected && !settings.get("confirm")) {
      await askForName(prompt, chosen.name);
    }
  });

  /** Decides about one request; the client calls it before each that writes. */
  async beforeWrite(api: Pick<Api, "call">, baseUrl: string, url: URL): Promise<void> {
    await (await this.#projectCheck())?.request(api, baseUrl, url);
    await this.assertMayWrite();
    this.#mayHaveWritten = true;
  }
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
      if (tries === MAX_TRIES) throw stops.cancelled("Nothing was changed.");
      return `${answer.trim() || "Nothing"} is not ${name}.`;
    },
  });
}
