import type { CommandNode, ParamNode, Routes } from "../../src/cli/define.ts";

/** Cells of the narrowest terminal that help is laid out for. */
const WIDTH = 80;

/** What commander adds to every command. */
const BUILT_IN = ["--help", "-h", "--version"];

/** Whether the table of routes is whole: a sentence for each place where it is not. */
export function routeBreaches(routes: Routes): string[] {
  return Object.entries(routes).flatMap(([path, route]) => {
    const parent = path.includes(" ") ? path.slice(0, path.lastIndexOf(" ")) : undefined;
    const isGroup = !("load" in route);
    const isEmpty = !Object.keys(routes).some((other) => other.startsWith(`${path} `));
    const above = parent === undefined ? undefined : routes[parent];
    return [
      ...(parent !== undefined && above === undefined ? [`${path}: no group ${parent}`] : []),
      ...(above !== undefined && "load" in above ? [`${path}: ${parent} is a command`] : []),
      ...(isGroup && isEmpty ? [`${path}: a group of nothing`] : []),
      ...(parent === undefined && route.section === undefined ? [`${path}: no section`] : []),
      ...(isMixed(routes, parent) ? [`${path}: only a part of its siblings has a section`] : []),
    ];
  });
}

function isMixed(routes: Routes, parent: string | undefined): boolean {
  if (parent === undefined) return false;
  const below = Object.entries(routes).filter(
    ([path]) => path.slice(0, path.lastIndexOf(" ")) === parent,
  );
  return new Set(below.map(([, { section }]) => section === undefined)).size > 1;
}

/** Whether every group and command keeps the conventions: a sentence for each that does not. */
export function treeBreaches(root: CommandNode): string[] {
  const everywhere = [...root.options.flatMap(spellings), ...BUILT_IN];
  return root.children.flatMap(below).flatMap((node) => {
    const parent = find(root, node.path.slice(0, -1));
    const said = [
      ...summaryBreaches(node, parent),
      ...siblingBreaches(node, parent),
      ...[...node.args, ...node.options].flatMap(paramBreaches),
      ...node.options
        .flatMap(spellings)
        .filter((spelling) => everywhere.includes(spelling))
        .map((spelling) => `redeclares ${spelling}`),
      ...twice([...node.options, ...node.args].map(({ name }) => name)),
      ...node.path.filter((word) => !isKebab(word)).map((word) => `${word} is not kebab-case`),
      ...(node.children.length === 0 && node.examples.length === 0 ? ["has no example"] : []),
      ...argumentOrder(node.args),
    ];
    return said.map((breach) => `${node.path.join(" ")}: ${breach}`);
  });
}

function below(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(below)];
}

function find(root: CommandNode, path: readonly string[]): CommandNode {
  const same = (node: CommandNode) => node.path.join(" ") === path.join(" ");
  return below(root).find(same) ?? root;
}

function spellings({ name, short }: ParamNode): string[] {
  return short === undefined ? [name] : [name, short];
}

function summaryBreaches({ path, summary }: CommandNode, parent: CommandNode): string[] {
  const column = Math.max(13, ...parent.children.map((child) => child.path.at(-1)?.length ?? 0));
  const title = `amp ${path.join(" ")}: ${summary}`;
  return [
    ...(/^\p{Ll}/u.test(summary) ? [] : ["its summary does not start in lower case"]),
    ...(/[.!\s]$/u.test(summary) ? ["its summary ends like a sentence"] : []),
    ...(2 + column + 2 + summary.length > WIDTH ? ["its summary does not fit the list"] : []),
    ...(title.length > WIDTH ? ["its summary does not fit its own help"] : []),
  ];
}

function siblingBreaches(node: CommandNode, parent: CommandNode): string[] {
  const names = (each: CommandNode) => [each.path.at(-1) ?? "", ...each.aliases];
  const others = parent.children.filter((each) => each !== node).flatMap(names);
  const help = parent.path.length === 0 ? ["help"] : [];
  return [
    ...names(node)
      .filter((name) => [...others, ...help].includes(name))
      .map((name) => `shares the name ${name}`),
    ...node.aliases.filter((alias) => !isKebab(alias)).map((alias) => `${alias} is not kebab-case`),
  ];
}

function paramBreaches({ name, description, takesValue, placeholder }: ParamNode): string[] {
  return [
    ...(isKebab(name.replace(/^--/u, "")) ? [] : [`${name} is not kebab-case`]),
    ...(description.trim() === "" ? [`${name} is not described`] : []),
    ...(/[.!\s]$/u.test(description) ? [`${name} is described by a sentence`] : []),
    ...(takesValue && !placeholder ? [`${name} has no placeholder`] : []),
  ];
}

/** One that may be left out, or that takes all the rest, stands last. */
function argumentOrder(args: readonly ParamNode[]): string[] {
  return args.flatMap((argument, index) => {
    const before = args.slice(0, index);
    return [
      ...(before.some(({ repeats }) => repeats) ? [`${argument.name} is never reached`] : []),
      ...(argument.mandatory && before.some(({ mandatory, env }) => !mandatory && !env)
        ? [`${argument.name} must be given after one that need not be`]
        : []),
    ];
  });
}

function twice(names: readonly string[]): string[] {
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `${name} stands twice`);
}

function isKebab(word: string): boolean {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(word);
}
