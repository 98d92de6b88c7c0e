import type { Network } from "../api/network/network.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { RateGate } from "../api/request/retry.ts";
import { readCredentials } from "../config/credentials-file.ts";
import type { Keyring } from "../config/keyring.ts";
import { configFolder, stateFolder } from "../config/own-file.ts";
import { readProfileFile } from "../config/profile-file.ts";
import { findProjectFile } from "../config/project-file.ts";
import { type ResolvedSettings, resolveSettings } from "../config/resolve-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { redactedCommandLine } from "../secrets/secret.ts";
import type { PromptTerminal } from "../ui/prompter.ts";
import {
  type ClientDependencies,
  checkTypedOptions,
  createDefaultClient,
  createTargetClient,
  type ServiceTarget,
} from "./client.ts";
import type { Prompter, SettingsReader } from "./command-context.ts";
import { createFiles, type Files } from "./files.ts";
import {
  createOutputSettings,
  type GlobalOptions,
  isEnabled,
  type OutputSettings,
} from "./output-settings.ts";
import { createCiMask, createProfiles, type Profiles } from "./profiles.ts";

export type * from "./command-context.ts";
export type * from "./profiles.ts";
export type { Files, GlobalOptions, OutputSettings, ServiceTarget };

/** What the composition root cannot know by itself, and tests replace. */
export interface ContextDependencies {
  /** Called with the first question: the prompts are dear. */
  readonly loadPrompter: () => Promise<(terminal: PromptTerminal) => Prompter>;
  /** In place of the global one. */
  readonly fetch?: ClientDependencies["fetch"];
  /** In place of random ones. */
  readonly uuid?: ClientDependencies["uuid"];
  /** In place of the system's. */
  readonly keyring?: Keyring;
}

/** Where this call runs, for what outlives it: state that is shared with other runs. */
export interface RunEnvironment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where state is kept unless it is said otherwise; not made yet. */
  readonly stateFolder: string;
  /** Whether a CI system runs it: its disk may go with it. */
  readonly ci: boolean;
  /**
   * How requests get out; undefined: as the runtime does it by itself.
   * @throws {UsageError} for an environment that would have certificates not checked
   */
  readonly network: () => Promise<Network | undefined>;
  /** What was typed, without what may be secret: for those who meet its lock. */
  readonly commandLine: string;
}

/** Everything that one call of amp works with. What is dear is built when it is first used. */
export interface Context extends OutputSettings {
  readonly settings: SettingsReader;
  readonly profiles: Profiles;
  readonly prompt: Prompter;
  readonly files: Files;
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  readonly yes: boolean;
  /** `--count`. */
  readonly count: boolean;
  /** `--csv-raw`. */
  readonly csvRaw: boolean;
  /** `--fields`, split. */
  fields(): string[] | undefined;
  /** What a write acts on. */
  target(): { profile: string | undefined; baseUrl: string };
  readonly surroundings: RunEnvironment;
  /** The service that the settings name. `tell` gets a line for each value that shadows another. */
  api(tell: (notice: string) => void): Api;
  /** Another service, or the same with another credential. */
  connect(target: ServiceTarget, tell: (notice: string) => void): Api;
}

/** Builds the context of one call: files, then settings, then what stands on them. */
export async function createContext(
  io: Io,
  options: GlobalOptions,
  { loadPrompter, fetch, uuid, keyring }: ContextDependencies,
): Promise<Context> {
  const files = createFiles(io);
  const folder = configFolder(io);
  const hide = createCiMask(io);
  const fromKeyring = async (entry: string) => {
    const { systemKeyring } = await import("../config/keyring.ts");
    const { readFromKeyring } = await import("../config/keyring.ts");
    return readFromKeyring(keyring ?? systemKeyring(), entry);
  };
  const allowInsecureHttp = options.allowInsecureHttp === true;
  const settings = resolveSettings({
    options: textOptions(options),
    env: io.env,
    projectFile: await findProjectFile(io.cwd, io.homeDir),
    profiles: () => readProfileFile(folder),
    credentials: () => readCredentials(folder),
    readSecretFile: (path) => files.read(path),
    hide,
    fromKeyring,
    allowInsecureHttp,
    now: () => io.now(),
  });
  checkTypedOptions(settings, Object.keys(textOptions(options)));
  const look = createOutputSettings(io, options, () => settings.get("output"));
  const network = lazyNetwork(
    io,
    () => options.insecureTls === true || isEnabled(settings.get("insecureTls")?.value),
  );
  let pace: Promise<RateGate> | undefined;
  const client: ClientDependencies = {
    io,
    look,
    settings,
    fetch,
    uuid,
    network,
    pace: () => {
      pace ??= import("../api/request/retry.ts").then(({ createRateGate }) => createRateGate());
      return pace;
    },
  };
  const interactive = () => isInteractive(io, options, settings);
  return {
    ...look,
    settings,
    files,
    profiles: createProfiles(folder, {
      io,
      settings,
      allowInsecureHttp,
      hide,
      keyring,
      fromKeyring,
    }),
    prompt: lazyPrompter(interactive, async () => {
      const { err, stdin: input, signal } = io;
      const terminal = { input, output: err.stream, columns: err.columns, signal };
      return (await loadPrompter())({ ...terminal, paint: look.paint("err") });
    }),
    get interactive() {
      return interactive();
    },
    yes: options.yes === true,
    count: options.count === true,
    csvRaw: options.csvRaw === true,
    fields: () => splitFields(options.fields),
    target: () => ({
      profile: settings.profileIfReadable()?.name,
      baseUrl: settings.baseUrl().value.href,
    }),
    surroundings: {
      cwd: io.cwd,
      env: io.env,
      get stateFolder() {
        return stateFolder(io);
      },
      ci: isEnabled(io.env.CI),
      network,
      get commandLine() {
        // When it is asked for: by then more secrets are known.
        return redactedCommandLine(io.argv);
      },
    },
    api: (tell) => lazyApi(() => createDefaultClient(client, tell)),
    connect: (target, tell) => lazyApi(() => createTargetClient(client, target, tell)),
  };
}

/** One for all that is sent by this call; that certificates are not checked is told, quiet or not. */
function lazyNetwork(io: Io, isInsecure: () => boolean): () => Promise<Network | undefined> {
  let built: Promise<Network | undefined> | undefined;
  const build = async () => {
    const { createNetwork } = await import("../api/network/network.ts");
    const insecureTls = isInsecure();
    const network = await createNetwork({ env: io.env, insecureTls });
    if (insecureTls) {
      await io.err.write(
        "TLS certificates are not checked (--insecure-tls): whoever is on the way can read everything.\n",
      );
    }
    return network;
  };
  return () => {
    built ??= build();
    return built;
  };
}

/** Only the options that carry a text: the resolution of settings knows no flags. */
function textOptions(options: GlobalOptions): Record<string, string> {
  const texts = Object.entries(options).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts);
}

/** A question needs somebody at a terminal who wants to be asked. */
function isInteractive(io: Io, { input }: GlobalOptions, settings: ResolvedSettings): boolean {
  if (input === false) return false;
  if (isEnabled(settings.get("input")?.value) || isEnabled(settings.get("ci")?.value)) return false;
  return io.stdin.isTTY === true && io.err.isTty;
}

function splitFields(fields: string | undefined): string[] | undefined {
  if (fields === undefined) return undefined;
  const names = fields.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw new UsageError("--fields: a name is empty", {
    remedy: "Write them as --fields id,group.groupName",
  });
}

/** The service, its client built with the first request. */
function lazyApi(build: () => Promise<Api>): Api {
  let built: Promise<Api> | undefined;
  const api = () => {
    built ??= build();
    return built;
  };
  return {
    call: async (endpoint, input) => (await api()).call(endpoint, input),
    list: async (endpoint, input) => (await api()).list(endpoint, input),
    raw: async (request) => (await api()).raw(request),
  };
}

/** Questions where somebody can be asked; elsewhere each names the option that answers it. */
function lazyPrompter(interactive: () => boolean, build: () => Promise<Prompter>): Prompter {
  let built: Promise<Prompter> | undefined;
  const ready = (flag: string) => {
    if (!interactive()) {
      throw new UsageError(`${flag} is missing, and nobody can be asked here`, {
        remedy: `Give ${flag}.`,
        done: "Nothing was sent.",
      });
    }
    built ??= build();
    return built;
  };
  return {
    input: async (question) => (await ready(question.flag)).input(question),
    secret: async (question) => (await ready(question.flag)).secret(question),
    confirm: async (question) => (await ready(question.flag)).confirm(question),
    select: async (question) => (await ready(question.flag)).select(question),
    checkbox: async (question) => (await ready(question.flag)).checkbox(question),
  };
}
