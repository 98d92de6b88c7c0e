import { transformSync } from "rolldown/utils";
import { routes } from "../harness.ts";
import { type Import, importsOf } from "./imports.ts";
import {
  FILES,
  LAYERS,
  type Law,
  LEAVES,
  LONG_FILES,
  MAX_LINES,
  PROCESS,
  PURE_BUILTINS,
} from "./law.ts";

const ROUTES = "commands/routes.ts";

/** The files that hold one command each. */
const COMMANDS = new Set(
  Object.entries(routes).flatMap(([path, route]) => ("load" in route ? [fileOf(path)] : [])),
);

/** Where the command of a route stands, relative to `src`. */
export function fileOf(route: string): string {
  return `commands/${route.replaceAll(" ", "/")}.ts`;
}

/**
 * Whether a file keeps the laws of `law.ts`.
 * @param path relative to `src`
 * @returns a sentence for each breach
 */
export function breaches(path: string, text: string): string[] {
  const imports = importsOf(path, text);
  return [
    ...imports.flatMap((each) => (mayImport(path, each) ? [] : [sayImport(path, each)])),
    ...globals(path, text),
    ...(text.trimEnd().split("\n").length > MAX_LINES && LONG_FILES[path] === undefined
      ? [`${path} has more than ${MAX_LINES} lines`]
      : []),
    ...contextCopies(path, text),
    ...(/\b(?:TODO|FIXME|XXX)\b/u.test(text) ? [`${path} leaves something to be done`] : []),
  ];
}

/** A context is derived in one way: `derived()` keeps its getters and what an object inherits. */
function contextCopies(path: string, text: string): string[] {
  const copies = /Object\.create\((?!null\b)|\{\s*\.\.\.(?:context|ports|io)\s*[,}]/u;
  return path !== "values/basics.ts" && copies.test(text)
    ? [`${path} copies an object other than by derived()`]
    : [];
}

function sayImport(path: string, { kind, target }: Import): string {
  const how = { value: "", lazy: " lazily", type: " the types of" }[kind];
  return `${path} may not import${how} ${target}`;
}

function mayImport(path: string, { kind, target }: Import): boolean {
  const layer = layerOf(path);
  if (layer === undefined) return false;
  if (isLeaf(target) && !isLeaf(path) && path !== "io.ts") return true;
  // What a result is: its zod objects, which nothing loads.
  if (kind === "type" && within(target, "documents") && !isLeaf(path)) return true;
  // A file beside the commands may be shared by them; a command is reached by its route alone.
  if (layer === "commands" && within(target, "commands")) {
    // The same command by another name.
    if (path === "commands/doctor.ts") return target === "commands/auth/status.ts";
    if (path === ROUTES) return kind === "lazy" && COMMANDS.has(target);
    return !COMMANDS.has(target) && target !== ROUTES;
  }
  if (layerOf(target) === layer) return true;
  return [LAYERS[layer], FILES[path] ?? {}].some((granted) => allows(granted, kind, target));
}

function isLeaf(path: string): boolean {
  return LEAVES.some((leaf) => within(path, leaf));
}

/** The deepest folder that has a row of its own, or the file at the top. */
function layerOf(path: string): keyof typeof LAYERS | undefined {
  const parts = path.split("/");
  const folders = parts.map((_, at) => parts.slice(0, parts.length - at).join("/"));
  return folders.find(isLayer);
}

function isLayer(name: string): name is keyof typeof LAYERS {
  return Object.hasOwn(LAYERS, name);
}

function allows(law: Law, kind: Import["kind"], target: string): boolean {
  const ways = [
    ...(law.may ?? []),
    ...(law.packages ?? []),
    ...PURE_BUILTINS,
    ...(kind === "value" ? [] : (law.lazily ?? [])),
    ...(kind === "type" ? (law.types ?? []) : []),
  ];
  return ways.some((way) => within(target, way));
}

function within(target: string, name: string): boolean {
  return target === name || target.startsWith(`${name}/`);
}

/** The parser replaces a global where it is one, and not a property or a name of the file's own. */
function globals(path: string, text: string): string[] {
  const { code } = transformSync(path, text, {
    define: {
      process: "FREE_process",
      console: "FREE_console",
      "globalThis.process": "FREE_process",
      "globalThis.console": "FREE_console",
    },
  });
  const uses = [...code.matchAll(/FREE_(?<name>\w+)(?:\??\.(?<member>\w+))?/gu)];
  return uses.flatMap(({ groups: { name, member } = {} }) =>
    name === "process" && mayUse(PROCESS[path], member)
      ? []
      : [`${path} may not use ${[name, member].filter(Boolean).join(".")}`],
  );
}

function mayUse(granted: (typeof PROCESS)[string] | undefined, member: string | undefined) {
  if (granted === undefined || member === undefined) return false;
  // Even who may use the whole needs leave to cut off what is still being written.
  return granted === "whole" ? member !== "exit" : granted.includes(member);
}
