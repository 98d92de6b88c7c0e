import { Account } from "../account/account.ts";
import { configFolder, readProfileFile } from "../account/files.ts";
import { userStateFolder } from "../account/folders.ts";
import type { Keyring } from "../account/keyring.ts";
import { findProjectFile } from "../account/project-file.ts";
import { type SettingSources, Settings } from "../account/settings.ts";
import type { ProjectFileUse, TrustQuestion } from "../account/trust.ts";
import { checkTypedOptions, readTypedSetting } from "../account/values.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { withDeadline } from "../runtime/end-process.ts";
import { redactedCommandLine } from "../secrets/secret.ts";
import { isEnabled, SETTINGS } from "../settings.ts";
import type { PromptTerminal } from "../ui/prompt-keys.ts";
import { derived, once } from "../values/basics.ts";
import { defined } from "../values/json.ts";
import { createOddFieldTally, type OddFieldTally } from "../values/odd-fields.ts";
import { readDuration } from "../values/time.ts";
import { type ClientDependencies, createCiMask, listenToHeaders } from "./client.ts";
import type { CommandContext, Prompter, Reporter, RunEnvironment } from "./command-context.ts";
import { createFiles, type Files } from "./files.ts";
import {
  createOutputSettings,
  type GlobalOptions,
  type OutputSettings,
} from "./output-settings.ts";
import { defaultService, targetService } from "./service.ts";
import { createWriteGuard, type WriteGuard } from "./write-guard.ts";

/** Dependencies that the composition root passes in, and tests replace. */
export interface ContextDependencies {
  /** Called with the first question: the prompts take long to load. */
  readonly loadPrompter: () => Promise<(terminal: PromptTerminal) => Prompter>;
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
  const files = createFiles(io);
  const account = await openAccount(io, options, { files, keyring });
  const { settings, profiles } = account;
  limit(settings);
  const output = await createOutputSettings(io, options, () => settings.get("output"));
  const report = createReporter(output);
  const interactive = () => !files.isPasted() && isInteractive(io, options, settings);
  const prompt = lazyPrompter(interactive, report, async () => {
    const { err, stdin: input, signal } = io;
    const terminal = { input, output: err.stream, columns: err.columns, signal };
    return (await loadPrompter())({ ...terminal, paint: output.paint("err") });
  });
  const guard = createWriteGuard({ settings, prompt, isInteractive: interactive });
  const environment = runEnvironment(io, report, options, settings);
  const oddFields = createOddFieldTally();
  const notify = (notice: string) => report.notice(notice);
  const answers = listenToHeaders(io, notify);
  const client: ClientDependencies = {
    io,
    guard,
    debug: output.debug,
    notify,
    settings,
    credentials: profiles.credentials,
    network: environment.network,
    shared: {
      onWait: report.waiting,
      onRetry: report.retrying,
      onOddFields: oddFields.add,
      onSend: answers.onSend,
      ...defined({ fetch, uuid }),
    },
    pace: once(async () => (await import("../api/request/retry.ts")).createRateGate()),
  };
  return {
    acceptProjectFile: (use) =>
      account.acceptProjectFile({ settings, prompt, report, isInteractive: interactive }, use),
    trust: account.trust,
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
    signal: io.signal,
    urgentSignal: io.urgentSignal,
    protect: (work) => io.protectedWork.keep(work),
    handOver: (work) => io.protectedWork.handOver(work),
    now: () => io.now(),
    serviceTime: answers.serviceTime,
    world: answers.world,
    target: () => ({
      profile: settings.profileIfReadable()?.name,
      baseUrl: settings.baseUrl().value.href,
    }),
    environment,
  };
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
  const loadTrust = once(() => import("../account/trust.ts"));
  const trust = once(async () => {
    const { ProjectTrust } = await loadTrust();
    return new ProjectTrust(io, folder, projectFile);
  });
  const ofFile = projectFile && { file: projectFile, trust: await trust() };
  const sources: SettingSources = {
    options: textOptions(options),
    env: io.env,
    projectFile,
    isTrusted: () => ofFile?.trust.isTrusted() ?? false,
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
  });
  const acceptProjectFile = async (asking: TrustQuestion, use: ProjectFileUse) => {
    if (ofFile === undefined) return;
    const accept = (await loadTrust()).acceptProjectFile;
    await accept(ofFile.file, ofFile.trust, asking, use);
  };
  return { settings, profiles, trust, acceptProjectFile };
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

/**
 * Loads the prompts with the first question.
 * @param interactive whether questions can be asked; if not, each is an error that names its option
 */
function lazyPrompter(
  interactive: () => boolean,
  report: Pick<Reporter, "asks">,
  build: () => Promise<Prompter>,
): Prompter {
  const prompter = once(build);
  const ready = (flag: string) => {
    if (!interactive()) {
      throw new UsageError(`missing ${flag.startsWith("<") ? "argument" : "option"} ${flag}`, {
        detail: "This is not an interactive terminal.",
        remedy: `Add ${flag}.`,
        done: "Nothing was sent.",
      });
    }
    report.asks();
    return prompter();
  };
  return {
    input: async (question) => (await ready(question.flag)).input(question),
    secret: async (question) => (await ready(question.flag)).secret(question),
    confirm: async (question) => (await ready(question.flag)).confirm(question),
    select: async (question) => (await ready(question.flag)).select(question),
    checkbox: async (question) => (await ready(question.flag)).checkbox(question),
  };
}
