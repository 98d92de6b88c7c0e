import type { Network } from "../api/network/network.ts";
import { readCredentials } from "../config/credentials-file.ts";
import { userStateFolder } from "../config/folders.ts";
import type { Keyring } from "../config/keyring.ts";
import { configFolder } from "../config/own-file.ts";
import { readProfileFile } from "../config/profile-file.ts";
import { findProjectFile } from "../config/project-file.ts";
import { type ResolvedSettings, resolveSettings } from "../config/resolve-settings.ts";
import { checkTypedOptions, readTypedSetting } from "../config/setting-values.ts";
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
import { acceptProjectFile, type ProjectFileUse } from "./accept-project-file.ts";
import { type ClientDependencies, listenToHeaders } from "./client.ts";
import type { CommandContext, Prompter, Reporter, RunEnvironment } from "./command-context.ts";
import { createFiles } from "./files.ts";
import {
  createOutputSettings,
  type GlobalOptions,
  type OutputSettings,
} from "./output-settings.ts";
import { createCiMask, createProfiles } from "./profiles.ts";
import { defaultService, targetService } from "./service.ts";
import { createTrust, trustOf } from "./trust.ts";
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
  let signal = world.signal;
  const io: Io = derived(world, {
    get signal() {
      return signal;
    },
  });
  const files = createFiles(io);
  const folder = configFolder(io);
  const hide = createCiMask(io);
  const fromKeyring = async (entry: string) => {
    const { readFromKeyring, systemKeyring } = await import("../config/keyring.ts");
    return readFromKeyring(keyring ?? systemKeyring(), entry);
  };
  const allowInsecureHttp = options.allowInsecureHttp === true;
  const texts = textOptions(options);
  // A case is of another service and project than the folder that it is opened in.
  const projectFile = io.env[SETTINGS.case.env] ? undefined : await findProjectFile(io);
  let isTrusted = await trustOf(folder, projectFile);
  const settings = resolveSettings({
    options: texts,
    env: io.env,
    projectFile,
    isTrusted: () => isTrusted(),
    profiles: () => readProfileFile(folder),
    credentials: () => readCredentials(folder),
    readSecretFile: (path) => files.read(path),
    hide,
    fromKeyring,
    allowInsecureHttp,
    now: () => io.now(),
  });
  checkTypedOptions(settings, Object.keys(texts));
  // The value of an untrusted file is refused with its other settings, or ignored.
  const isUsable = settings.untrusted(["deadline"]).length === 0;
  const deadline = isUsable ? readTypedSetting(settings, "deadline", readDuration) : undefined;
  if (deadline !== undefined) signal = withDeadline(signal, deadline);
  const output = await createOutputSettings(io, options, () => settings.get("output"));
  const report = createReporter(output);
  const isInsecure = () =>
    options.insecureTls === true || isEnabled(settings.get("insecureTls")?.value);
  const network = lazyNetwork(io, report, { isInsecure, allowInsecureHttp });
  const notify = (notice: string) => report.notice(notice);
  const oddFields = createOddFieldTally();
  const answers = listenToHeaders(io, notify);
  const interactive = () => !files.isPasted() && isInteractive(io, options, settings);
  const loadPrompts = async () => {
    const { err, stdin: input, signal } = io;
    const terminal = { input, output: err.stream, columns: err.columns, signal };
    return (await loadPrompter())({ ...terminal, paint: output.paint("err") });
  };
  const prompt = lazyPrompter(interactive, loadPrompts, report);
  const guard = createWriteGuard({ settings, prompt, isInteractive: interactive });
  const client: ClientDependencies = {
    io,
    guard,
    debug: output.debug,
    notify,
    settings,
    network,
    shared: {
      onWait: report.waiting,
      onRetry: report.retrying,
      onOddFields: oddFields.add,
      onSend: answers.onSend,
      ...defined({ fetch, uuid }),
    },
    pace: once(async () => (await import("../api/request/retry.ts")).createRateGate()),
  };
  const trust = createTrust(io, folder, projectFile);
  const markTrusted = () => {
    isTrusted = () => true;
  };
  const asked = { settings, trust, prompt, report, isInteractive: interactive, markTrusted };
  return {
    acceptProjectFile: (command) => acceptProjectFile({ file: projectFile, ...asked }, command),
    trust,
    guard,
    api: defaultService(client),
    connect: (target) => targetService(client, target),
    settings,
    files,
    profiles: createProfiles(folder, {
      settings,
      typedProfile: options.profile,
      allowInsecureHttp,
      hide,
      signal: io.signal,
      keyring,
    }),
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
    environment: runEnvironment(io, network, isInsecure),
  };
}

/** Where the call runs; what takes time, or grows until it is read, are getters. */
function runEnvironment(
  io: Io,
  network: RunEnvironment["network"],
  isInsecure: () => boolean,
): RunEnvironment {
  return {
    program: io.program,
    cwd: io.cwd,
    env: io.env,
    get stateFolder() {
      return userStateFolder(io);
    },
    ci: isEnabled(io.env.CI),
    network,
    get insecureTls() {
      return isInsecure();
    },
    get commandLine() {
      // More secrets are known by the time it is read.
      return redactedCommandLine(io.argv);
    },
  };
}

/** The network settings of all requests; --quiet does not hide what makes them unsafe. */
function lazyNetwork(
  io: Io,
  report: Reporter,
  { isInsecure, allowInsecureHttp }: { isInsecure: () => boolean; allowInsecureHttp: boolean },
): () => Promise<Network | undefined> {
  return once(async () => {
    const { createNetwork } = await import("../api/network/network.ts");
    const insecureTls = isInsecure();
    const network = await createNetwork({ env: io.env, insecureTls });
    if (insecureTls) {
      report.warn(
        "TLS certificates are not verified (--insecure-tls): anyone on the network path can read the traffic.",
      );
    }
    if (allowInsecureHttp) {
      report.warn(
        "Requests may be sent without TLS (--allow-insecure-http): anyone on the network path can read the traffic.",
      );
    }
    return network;
  });
}

function textOptions(options: GlobalOptions): Record<string, string> {
  const texts = Object.entries(options).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return Object.fromEntries(texts);
}

/** Whether questions can be asked: on a terminal, without --no-input and CI. */
function isInteractive(io: Io, { input }: GlobalOptions, settings: ResolvedSettings): boolean {
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
  build: () => Promise<Prompter>,
  report: Pick<Reporter, "asks">,
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
