import { parse } from "node:path";
import type { CommandContext } from "../../context/command-context.ts";
import { UsageError } from "../../errors.ts";
import { keepHeapSmall } from "../../runtime/runtime.ts";
import { counted } from "../../values/counted.ts";
import { suggest } from "../../values/suggested-command.ts";
import { expandEvents } from "../model/names.ts";
import { canonicalRouting, type DestinationPart, type RoutingModel } from "../model/routing.ts";
import { type ReadContent, readContents, registerSecrets } from "./contents.ts";
import { type PositionOf, positionsIn } from "./positions.ts";
import type { OwnRules } from "./rule-schema.ts";
import type { RoutingFile } from "./schema.ts";
import {
  type AllowedSecrets,
  type SecretPolicy,
  type SecretSources,
  secretPolicy,
} from "./secrets.ts";
import { readYaml } from "./yaml-text.ts";
import { offsetOf, plainData } from "./yaml-tree.ts";

/** The content of a routing file. */
export interface ReadRouting {
  /** The model in canonical order. */
  readonly model: RoutingModel;
  /** Whether the name of the routing is in the file, and not only that of the file. */
  readonly hasOwnName: boolean;
  /** The name or ID of the project that the file belongs to, if it has one. */
  readonly project?: string;
  /** The warnings with path, line, column and the word. */
  readonly warnings: readonly string[];
  /** The rules that the file has for itself. */
  readonly rules: OwnRules;
  /** The line and column of a part of the file. */
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
}

/** A routing file, and the secrets that it may read. */
export interface FileOptions extends AllowedSecrets {
  readonly file: string;
  readonly allowLiteralSecrets: boolean;
}

/** The words for a file that is read from `-`. */
export const STANDARD_INPUT = "standard input";

/** The characters of a file with some 500 routes, from which memory depends on what is left behind. */
const LARGE = 16 * 1024;

/**
 * Reads the routing file of a command, shows its warnings, and checks that it belongs to the
 * project.
 * @throws {UsageError} where it is not valid, or names another project
 */
export async function readRouting(
  ports: FileContext,
  options: FileOptions,
  policy: SecretPolicy = secretPolicy(ports, options),
): Promise<ReadRouting> {
  const { project, files, report, settings } = ports;
  const { file, allowLiteralSecrets } = options;
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
    allowLiteralSecrets,
    ...(files.unset === undefined ? {} : { unset: files.unset }),
  });
  report.warnAll(routing.warnings, (more) => `${path} has ${counted(more, "more warning")}.`);
  if (routing.project !== undefined && routing.project !== project) {
    throw new UsageError(`${path} belongs to project ${routing.project}, not ${project}`, {
      detail: `The project ${project} is set by: ${settings.get("project")?.source ?? "--project"}.`,
      remedy: `Add --project ${routing.project}, or remove the line from the file.`,
      done: "Nothing was sent.",
    });
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
  sources: Omit<SecretSources, "path">,
): Promise<ReadRouting> {
  const { source, tree, issues } = await readYaml(text, path);
  registerSecrets(tree);
  // Loaded here, because zod comes with it.
  const { checkForm, checkTree } = await import("./check.ts");
  const { collectRoutingWarnings } = await import("./warnings.ts");
  const { file, issues: found } = checkForm(plainData(tree, isTyped));
  const placed = found.map(({ path, isKey, message }) => ({
    at: offsetOf(tree, path, isKey),
    message,
  }));
  for (const { at, message } of placed.filter(({ at }) => !issues.hasErrorAt(at))) {
    issues.error(at, message);
  }
  checkTree(tree, issues);
  const contents = await readContents(tree, { ...sources, path }, issues);
  collectRoutingWarnings(tree, contents, issues, sources.allowLiteralSecrets);
  issues.check();
  if (file === undefined) return issues.fail();
  const name = file.name ?? fileName(path);
  const model = modelOf(file, contents);
  return {
    model: canonicalRouting({
      ...(name === undefined ? {} : { name }),
      ...model,
      topics: withKnownEvents(model.topics),
    }),
    hasOwnName: file.name !== undefined,
    ...(file.project === undefined ? {} : { project: file.project }),
    warnings: issues.warnings(),
    rules: { require: file.require ?? [], forbid: file.forbid ?? [] },
    positionOf: positionsIn(tree, source),
  };
}

/** The name of a file without extension; none for a pipe, whose name says nothing of its content. */
function fileName(path: string): string | undefined {
  if (path === STANDARD_INPUT || /^\/(dev|proc)\//u.test(path)) return undefined;
  return parse(path).name;
}

/** Whether YAML decides the type of a value: all other values of the file are text. */
function isTyped([first, , third]: readonly string[]): boolean {
  return first === "version" || (first === "destinations" && third === "metadata");
}

function modelOf(file: RoutingFile, contents: ReadonlyMap<string, ReadContent>): RoutingModel {
  const destinations = Object.entries(file.destinations ?? {}).map(
    ([name, part]): [string, DestinationPart] => {
      if ("id" in part) return [name, { kind: "existing", id: part.id }];
      const { metadata = {}, secrets = {}, references } = contents.get(name) ?? {};
      const read = references === undefined ? {} : { references };
      return [name, { kind: "new", type: part.type, metadata, ...read, secrets, ...renamed(part) }];
    },
  );
  const topics = Object.entries(file.topics ?? {}).map(([name, part]) => {
    const { id, events, destinations } = part ?? {};
    const given = { ...(id === undefined ? {} : { id }), ...renamed(part ?? {}) };
    return [name, { ...given, events: events ?? [], destinations: destinations ?? [] }] as const;
  });
  return { destinations: new Map(destinations), topics: new Map(topics) };
}

function renamed({ "renamed-from": before }: { readonly "renamed-from"?: string | undefined }) {
  return before === undefined ? {} : { renamedFrom: before };
}

/** The topics with the event types that `all` and patterns mean. */
function withKnownEvents(topics: RoutingModel["topics"]): RoutingModel["topics"] {
  const expanded = [...topics].map(
    ([name, part]) => [name, { ...part, events: expandEvents(part.events) }] as const,
  );
  return new Map(expanded);
}
