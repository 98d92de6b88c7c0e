import type { Command } from "commander";
import { EXIT, type ExitName } from "../errors.ts";
import { kebabCase, SETTINGS, type Setting } from "../settings.ts";
import { targetOptions } from "../values/command-paths.ts";
import { defined } from "../values/json.ts";
import { FILTER_SUMMARY } from "../values/setting.ts";
import { exampleFilters } from "../view/list-names.ts";
import type {
  AnyCommand,
  CommandNode,
  Example,
  ExitCode,
  GroupRoute,
  LeafRoute,
  ParamNode,
  Routes,
} from "./define.ts";
import { flag, type Param, type Params } from "./param.ts";

/** The option of every command that writes. */
const DRY_RUN = flag("print the requests without sending them");
/** Of a command that shows its plan instead. */
const PLAN_ONLY = flag("show the plan without changing anything");

const VERB_ALIASES: Readonly<Record<string, string>> = { list: "ls", get: "show" };

/** Whether a route is a command. */
export function isLeaf(route: GroupRoute | LeafRoute): route is LeafRoute {
  return "load" in route;
}

export function aliasesOf(path: string, route: GroupRoute | LeafRoute): string[] {
  const verb = path.split(" ").at(-1) ?? "";
  return [route.alias, isLeaf(route) ? VERB_ALIASES[verb] : undefined].filter(
    (alias) => alias !== undefined,
  );
}

/** The names and groups directly below a path (`""` is the root), in the order of the table. */
export function pathsBelow(routes: Routes, path: string): string[] {
  const end = path === "" ? -1 : path.length;
  return Object.keys(routes).filter((key) => key.lastIndexOf(" ") === end && key.startsWith(path));
}

/** The whole command tree; loads every command. */
export async function readTree(routes: Routes): Promise<CommandNode> {
  const children = await Promise.all(pathsBelow(routes, "").map((path) => readNode(routes, path)));
  return {
    path: [],
    summary: "administer integrations, installations and notification routing",
    aliases: [],
    args: [],
    options: shownOptions(),
    globalOptions: shownOptions().map(({ name }) => name),
    examples: [],
    exitCodes: [],
    children,
  };
}

async function readNode(routes: Routes, path: string): Promise<CommandNode> {
  const route = routes[path];
  if (route === undefined) throw new Error(`no route ${path}`);
  const command = isLeaf(route) ? (await route.load()).default : undefined;
  const children = await Promise.all(
    pathsBelow(routes, path).map((child) => readNode(routes, child)),
  );
  const acting = command
    ? inheritedOptions(path, command).flatMap(({ name, hidden }) => (hidden ? [] : [name]))
    : children.flatMap(({ globalOptions: names }) => names);
  return {
    path: path.split(" "),
    summary: route.summary,
    ...defined({
      section: route.section,
      description: command?.description,
      effect: command?.effect,
      fields: command?.fields,
    }),
    aliases: aliasesOf(path, route),
    args: command ? argumentNodes(command) : [],
    options: command ? optionNodes(command).filter(({ hidden }) => !hidden) : [],
    globalOptions: [...new Set(acting)],
    examples: command ? examplesOf(command) : [],
    exitCodes: command ? exitCodesOf(path, command) : [],
    children,
  };
}

/** The options of one command, with `--dry-run` if it writes. */
export function optionNodes(command: AnyCommand): ParamNode[] {
  const dryRun = command.dryRun === "own" ? PLAN_ONLY : DRY_RUN;
  const options = { ...command.options, ...(command.effect === "write" && { dryRun }) };
  return paramNodes(options, (key) => `--${kebabCase(key)}`);
}

export function argumentNodes(command: AnyCommand): ParamNode[] {
  return paramNodes(command.args ?? {}, kebabCase);
}

export function examplesOf({ examples }: AnyCommand): Example[] {
  return examples.map((example) => (typeof example === "string" ? { run: example } : example));
}

function paramNodes(params: Params, name: (key: string) => string): ParamNode[] {
  return Object.entries(params).map(([key, param]) => paramNode(name(key), param));
}

/** A parameter as plain data. */
export function paramNode(name: string, param: Param<unknown>): ParamNode {
  const { presence, parse, accepts, wire, setting: settingName, ...facts } = param;
  const { placeholder, needs, ...declared } = facts;
  const setting: Setting | undefined = settingName && SETTINGS[settingName];
  return {
    ...declared,
    name,
    mandatory: param.mandatory && setting === undefined,
    ...defined({
      placeholder: param.takesValue ? placeholder : undefined,
      needs: needs && `--${kebabCase(needs)}`,
      env: setting?.env,
    }),
  };
}

/** Every global option. */
export function globalOptions(): ParamNode[] {
  return Object.values(SETTINGS).flatMap(globalOption);
}

/** The global options that help, completion and the reference have. */
export function shownOptions(): ParamNode[] {
  return globalOptions().filter(({ hidden }) => !hidden);
}

/** The global options that act on one command. */
export function inheritedOptions(path: string, command: AnyCommand): ParamNode[] {
  const acts = actingSettings(path, command);
  return Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) => {
    if (!acts.has(name)) return [];
    return globalOption(
      name === "filter" ? { ...setting, summary: filterSummary(command) } : setting,
    );
  });
}

/** The summary of `--filter` with names that the list of the command has. */
function filterSummary({ view, fields }: AnyCommand): string {
  if (view?.kind !== "table") return FILTER_SUMMARY;
  return `${FILTER_SUMMARY}, for example ${exampleFilters({ view, fields }).join(" or ")}`;
}

/** The settings whose options act on one command. */
export function actingSettings(
  path: string,
  { view, printsJson, filters, effect, takes = [] }: AnyCommand,
): ReadonlySet<string> {
  const target: readonly string[] = targetOptions(path);
  const present = {
    service: target.includes("baseUrl"),
    result: view !== undefined || printsJson === true,
    view: view !== undefined,
    query: view?.kind === "table" && effect !== "write",
    consent: effect === "write",
  };
  const isTaken = new Set<string>([...takes, ...(filters === "own" ? ["filter"] : [])]);
  const acting = Object.entries<Setting>(SETTINGS).filter(([name, { actsOn }]) => {
    if (isTaken.has(name) || actsOn === undefined) return true;
    return actsOn === "target" ? target.includes(name) : present[actsOn];
  });
  return new Set(acting.map(([name]) => name));
}

function globalOption(setting: Setting): ParamNode[] {
  const { flags, summary, inProjectFile, inProfile, actsOn, repeats, ...facts } = setting;
  if (flags === undefined) return [];
  const [, short, name, placeholder] = /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/u.exec(flags) ?? [];
  if (name === undefined) throw new Error(`flags of the wrong form: ${flags}`);
  return [
    {
      ...facts,
      repeats: repeats !== undefined,
      name,
      description: summary,
      ...defined({ short, placeholder }),
      mandatory: false,
      takesValue: placeholder !== undefined,
    },
  ];
}

/** A node and all nodes below it, each before its children. */
export function nodesOf(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

const LOCAL: readonly ExitName[] = ["ok", "usage"];
const AT_SERVICE: readonly ExitName[] = ["not-found", "auth", "conflict", "rejected", "service"];

/**
 * The exit codes of a command, without 1, 124, 130 and 143, which any may end with: they follow
 * from what it acts on (this machine, the service, the saved state) and from what it declares.
 */
export function exitCodesOf(path: string, command: AnyCommand): ExitCode[] {
  const takes = targetOptions(path);
  const own = command.exits ?? {};
  const names = new Set<string>([
    ...LOCAL,
    ...(takes.includes("baseUrl") ? AT_SERVICE : []),
    ...(takes.includes("state") || (command.effect === "write" && takes.includes("baseUrl"))
      ? (["partial"] as const)
      : []),
    ...Object.keys(own),
  ]);
  return (Object.keys(EXIT) as ExitName[])
    .filter((name) => names.has(name))
    .map((name) => ({ code: EXIT[name].code, meaning: own[name] ?? EXIT[name].meaning }));
}

/** The words that reach a command: `amp notify topics`. */
export function commandLineOf(command: Command): string {
  return `amp ${routeOf(command)}`.trimEnd();
}

/** The path of a command in the route table: `notify topics`; empty for amp itself. */
export function routeOf(command: Command): string {
  const { parent } = command;
  return parent === null ? "" : `${routeOf(parent)} ${command.name()}`.trimStart();
}
