import type { CommandContext } from "../../context/command-context.ts";
import { handleSignals } from "../../runtime/end-process.ts";
import { keepHeapSmall } from "../../runtime/runtime.ts";
import { counted } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { routingErrors } from "../errors.ts";
import { type Address, addressParts } from "../model/address.ts";
import { expandEvents } from "../model/names.ts";
import { canonicalRouting, type DestinationPart, type RoutingModel } from "../model/routing.ts";
import { optionalVariables } from "../model/secrets.ts";
import { type ReadContent, readContents, registerSecrets } from "./contents.ts";
import type { FileIssues, Position } from "./issues.ts";
import type { OwnRules, RoutingFile } from "./schema.ts";
import {
  type AllowedSecrets,
  type SecretPolicy,
  type SecretSources,
  secretPolicy,
} from "./secrets.ts";
import { readYaml } from "./yaml-text.ts";
import { entryOf, offsetOf, plainData, type YamlTree } from "./yaml-tree.ts";

/** The content of a routing file. */
export interface ReadRouting {
  /** The model in canonical order. */
  readonly model: RoutingModel;
  /** The name or ID of the project that the file belongs to, if it has one. */
  readonly project?: string;
  /** The warnings with path, line, column and the word. */
  readonly warnings: readonly string[];
  readonly rules: OwnRules;
  readonly positionOf: PositionOf;
}

/** The part of a command's context that reading a routing file uses. */
export interface FileContext {
  readonly project: string;
  readonly files: Pick<CommandContext["files"], "read" | "realPath" | "variable" | "variables"> & {
    /** The variables that are not set, and have a placeholder value. */
    readonly unset?: ReadonlySet<string>;
  };
  readonly settings: CommandContext["settings"];
  readonly report: Pick<CommandContext["report"], "warn" | "warnAll">;
  readonly signal: AbortSignal;
}

/** A routing file, and the secrets that it may read. */
export interface FileOptions extends AllowedSecrets {
  readonly file: string;
}

/** The routing file of the folder. */
export const DEFAULT_FILE = "routing.yaml";

/** The routing file that was given, or else that of the folder, which is said. */
export function fileToRead(
  { report }: Pick<CommandContext, "report">,
  file: string | undefined,
): string {
  if (file === undefined) report.notice(`Reading ./${DEFAULT_FILE}.`);
  return file ?? DEFAULT_FILE;
}

/** The words for a file that is read from `-`. */
export const STANDARD_INPUT = "standard input";

/**
 * The characters of a file with some 500 routes, from which memory depends on what is left behind.
 */
const LARGE = 16 * 1024;

/**
 * Reads the routing file of a command, shows its warnings, and checks its project.
 * @throws {UsageError} where it is not valid, or names another project
 */
export async function readRouting(
  ports: FileContext,
  options: FileOptions,
  policy: SecretPolicy = secretPolicy(ports, options),
): Promise<ReadRouting> {
  const { project, files, report, settings, signal } = ports;
  const { file, allow } = options;
  const path = file === "-" ? STANDARD_INPUT : file;
  const text = await files.read(file, {
    remedy: "Check the path, or write a new routing file.",
    suggestion: suggest("notify setup", [], { save: file }),
  });
  if (text.length > LARGE) await keepHeapSmall();
  const routing = await readRoutingFile(text, path, {
    read: (name) => files.read(name),
    variable: (name) => files.variable(name),
    policy,
    allow,
    signal,
    ...defined({ unset: files.unset }),
  });
  report.warnAll(routing.warnings, (more) => `${path} has ${counted(more, "more warning")}.`);
  if (routing.project !== undefined && routing.project !== project) {
    const by = settings.get("project")?.source ?? "--project";
    throw routingErrors.routing_of_another_project(path, routing.project, project, by);
  }
  return routing;
}

/**
 * Reads a routing file, YAML or JSON, and the secrets that it refers to, so that nothing is missing
 * once the first request is sent.
 * @param path for messages; `file:` is relative to its folder
 * @throws {UsageError} with line and column of up to a hundred errors; never with a secret in it
 */
export async function readRoutingFile(
  text: string,
  path: string,
  sources: Omit<SecretSources, "path"> & { readonly signal?: AbortSignal },
): Promise<ReadRouting> {
  const { tree, issues } = await readYaml(text, path);
  registerSecrets(tree);
  await handleSignals(sources.signal);
  // Loaded here, because zod comes with it.
  const { checkForm, checkTree } = await import("./check.ts");
  const { collectMistakes } = await import("./mistakes.ts");
  const { file, issues: found } = checkForm(plainData(tree, isTyped));
  const placed = found.map(({ path, isKey, message }) => ({
    at: offsetOf(tree, path, isKey),
    message,
  }));
  for (const { at, message } of placed.filter(({ at }) => !issues.hasErrorAt(at))) {
    issues.error(at, message);
  }
  checkTree(tree, issues);
  await handleSignals(sources.signal);
  const missing = new Set<string>();
  const contents = await readContents(tree, { ...sources, path, missing }, issues);
  collectMistakes(tree, contents, issues, sources.allow);
  await handleSignals(sources.signal);
  issues.check(missing.size === 0 ? {} : { remedy: unsetRemedy([...missing]) });
  if (file === undefined) return issues.fail();
  return {
    model: canonicalRouting({ ...defined({ name: file.name }), ...modelOf(file, contents) }),
    ...defined({ project: file.project }),
    warnings: issues.warnings(),
    rules: { require: file.require ?? [], forbid: file.forbid ?? [] },
    positionOf: positionsIn(tree, issues),
  };
}

/** Whether YAML decides the type of a value: all other values of the file are text. */
function isTyped([first, , third]: readonly string[]): boolean {
  return first === "version" || (first === "destinations" && third === "metadata");
}

function modelOf(file: RoutingFile, contents: ReadonlyMap<string, ReadContent>): RoutingModel {
  const destinations = Object.entries(file.destinations ?? {}).map(
    ([name, part]): [string, DestinationPart] => {
      if ("id" in part) return [name, { kind: "existing", id: part.id }];
      const { type, "renamed-from": renamedFrom } = part;
      const { metadata = {}, secrets = {}, references } = contents.get(name) ?? {};
      const more = defined({ references, renamedFrom });
      return [name, { kind: "new", type, metadata, secrets, ...more }];
    },
  );
  const topics = Object.entries(file.topics ?? {}).map(([name, part]) => {
    const { id, "renamed-from": renamedFrom, events, destinations } = part ?? {};
    const lists = { events: expandEvents(events ?? []), destinations: destinations ?? [] };
    return [name, { ...defined({ id, renamedFrom }), ...lists }] as const;
  });
  return { destinations: new Map(destinations), topics: new Map(topics) };
}

/** A routing file that was read on this machine alone. */
export interface OfflineRouting extends ReadRouting {
  /** The path of the file, for messages. */
  readonly file: string;
  /** The references whose variable is not set, or whose file does not exist. */
  readonly unavailableSecrets: readonly string[];
}

function unsetRemedy(names: readonly string[]): string {
  const [them, it] = names.length === 1 ? ["this variable", "it"] : ["these variables", "them"];
  return `Set ${them} first: ${names.join(", ")}. In a CI job, pass ${it} to the step that runs amp.`;
}

/**
 * Reads a routing file on this machine alone: a secret that is not set here is not an error.
 * @throws {UsageError} where it is not valid
 */
export async function readRoutingOffline(
  { files, settings, signal }: Pick<FileContext, "files" | "settings" | "signal">,
  options: FileOptions,
): Promise<OfflineRouting> {
  const { file, allow } = options;
  const path = file === "-" ? STANDARD_INPUT : file;
  const { variable, unset } = optionalVariables(files);
  const absent = new Set<string>();
  const standIn = (name: string) => {
    absent.add(`file:${name}`);
    return "?";
  };
  const policy = secretPolicy({ settings, files }, options);
  const routing = await readRoutingFile(await files.read(file), path, {
    allow,
    variable,
    unset,
    signal,
    read: (name) => files.read(name).catch(() => standIn(name)),
    policy: {
      ...policy,
      // Whether a file that does not exist would be allowed is not known.
      locate: (name, folder) => policy.locate(name, folder).catch(() => ({ file: name })),
    },
  });
  const unavailableSecrets = [...[...unset].map((name) => `env:${name}`), ...absent];
  return { ...routing, file: path, unavailableSecrets };
}

/**
 * The place of a part of a routing file: of a resource by its address, or of the value that a path
 * of keys and list positions leads to.
 */
type PositionOf = (part: Address | readonly PropertyKey[]) => Position;

/** The places of the parts of a routing file. A part that it lacks has that of what is around. */
function positionsIn(tree: YamlTree, { placeOf }: Pick<FileIssues, "placeOf">): PositionOf {
  return (part) => {
    const isAddress = typeof part === "string";
    const path = isAddress ? pathOf(part, tree) : part;
    return placeOf(offsetOf(tree, path, isAddress && path.length === 2));
  };
}

/** The path of a resource in the file: a route is an item of a list of its topic. */
function pathOf(address: Address, tree: YamlTree): readonly PropertyKey[] {
  const { kind, names } = addressParts(address);
  const [name = "", other = ""] = names;
  if (kind === "destination") return ["destinations", name];
  if (kind === "topic") return ["topics", name];
  const list = kind === "event-route" ? "events" : "destinations";
  const means = (text: string) =>
    kind === "event-route" ? expandEvents([text]).includes(other) : text === other;
  const path = ["topics", name, list];
  const topics = entryOf(tree, "topics")?.value;
  const topic = topics && entryOf(topics, name)?.value;
  const part = topic && entryOf(topic, list)?.value;
  const texts = part?.kind === "list" ? part.items : [];
  const position = texts.findIndex((item) => item.kind === "scalar" && means(item.text));
  return position < 0 ? path.slice(0, 2) : [...path, position];
}
