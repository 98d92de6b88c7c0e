import type { GroupRoute, LeafRoute } from "../commands/routes.ts";
import { SETTINGS } from "../settings.ts";
import { kebab } from "../values/suggested-command.ts";
import type { CommandNode, ParamNode } from "./command-node.ts";
import type { AnyCommand } from "./define.ts";
import type { Param, Params } from "./param.ts";

/** Offered by every command that writes. */
export const DRY_RUN = {
  name: "--dry-run",
  description: "print the requests without sending them",
  mandatory: false,
  repeats: false,
  takesValue: false,
} as const satisfies ParamNode;

/** Verbs that have a second name. */
const VERB_ALIASES: Readonly<Record<string, string>> = { list: "ls", get: "show" };

/** Whether a route is a command. */
export function isLeaf(route: GroupRoute | LeafRoute): route is LeafRoute {
  return "load" in route;
}

/** The further names under which a route is reached. */
export function aliasesOf(path: string, route: GroupRoute | LeafRoute): string[] {
  const verb = path.split(" ").at(-1) ?? "";
  return [route.alias, isLeaf(route) ? VERB_ALIASES[verb] : undefined].filter(
    (alias) => alias !== undefined,
  );
}

/** The names and groups directly below a path (`""` is the root), in the order of the table. */
export function pathsBelow(
  routes: Readonly<Record<string, GroupRoute | LeafRoute>>,
  path: string,
): string[] {
  const prefix = path === "" ? "" : `${path} `;
  return Object.keys(routes).filter(
    (key) => key.startsWith(prefix) && key !== path && !key.slice(prefix.length).includes(" "),
  );
}

/** Loads every command and returns the whole tree. */
export async function readTree(
  routes: Readonly<Record<string, GroupRoute | LeafRoute>>,
): Promise<CommandNode> {
  const children = await Promise.all(pathsBelow(routes, "").map((path) => readNode(routes, path)));
  return {
    path: [],
    summary: "administer integrations, installations and notification routing",
    aliases: [],
    args: [],
    options: globalOptions(),
    examples: [],
    children,
  };
}

async function readNode(
  routes: Readonly<Record<string, GroupRoute | LeafRoute>>,
  path: string,
): Promise<CommandNode> {
  const route = routes[path];
  if (route === undefined) throw new Error(`no route ${path}`);
  const command = isLeaf(route) ? (await route.load()).default : undefined;
  return {
    path: path.split(" "),
    summary: route.summary,
    ...(route.section === undefined ? {} : { section: route.section }),
    aliases: aliasesOf(path, route),
    ...(command?.description === undefined ? {} : { description: command.description }),
    ...(command?.effect === undefined ? {} : { effect: command.effect }),
    args: command ? paramNodes(command.args ?? {}, (key) => kebab(key)) : [],
    options: command ? optionNodes(command) : [],
    examples: (command?.examples ?? []).map((example) =>
      typeof example === "string" ? { run: example } : example,
    ),
    children: await Promise.all(pathsBelow(routes, path).map((child) => readNode(routes, child))),
  };
}

/** The options of one command, `--dry-run` of a writing one included. */
export function optionNodes(command: AnyCommand): ParamNode[] {
  const own = paramNodes(command.options ?? {}, (key) => `--${kebab(key)}`);
  return command.effect === "write" ? [...own, DRY_RUN] : own;
}

/** The arguments of one command. */
export function argumentNodes(command: AnyCommand): ParamNode[] {
  return paramNodes(command.args ?? {}, (key) => kebab(key));
}

function paramNodes(params: Params, name: (key: string) => string): ParamNode[] {
  return Object.entries(params).map(([key, param]) => paramNode(name(key), param));
}

function paramNode(name: string, param: Param<unknown>): ParamNode {
  const setting = param.setting === undefined ? undefined : SETTINGS[param.setting];
  return {
    name,
    ...(param.short === undefined ? {} : { short: param.short }),
    description: param.description,
    ...(param.takesValue ? { placeholder: param.placeholder } : {}),
    mandatory: param.mandatory && setting === undefined,
    repeats: param.repeats,
    takesValue: param.takesValue,
    ...(param.choices === undefined ? {} : { choices: param.choices }),
    ...(param.suggestions === undefined ? {} : { suggestions: param.suggestions }),
    ...(param.complete === undefined ? {} : { complete: param.complete }),
    ...(setting !== undefined && "env" in setting ? { env: setting.env } : {}),
  };
}

/** The options that work everywhere. */
export function globalOptions(): ParamNode[] {
  return Object.values(SETTINGS).flatMap((setting) => {
    if (!("flags" in setting)) return [];
    const [, short, name, placeholder] =
      /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/u.exec(setting.flags) ?? [];
    if (name === undefined) throw new Error(`flags of the wrong form: ${setting.flags}`);
    return [
      {
        name,
        ...(short === undefined ? {} : { short }),
        description: setting.summary,
        ...(placeholder === undefined ? {} : { placeholder }),
        mandatory: false,
        repeats: false,
        takesValue: placeholder !== undefined,
        ...("choices" in setting ? { choices: setting.choices } : {}),
        ...("complete" in setting ? { complete: setting.complete } : {}),
        ...("env" in setting ? { env: setting.env } : {}),
      },
    ];
  });
}
