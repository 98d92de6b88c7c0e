import type { CommandEntry } from "../command-tree.ts";

/** What `amp commands --json` and `docs/json.schema.json` say of one version. */
export interface Release {
  readonly version: string;
  readonly commands: readonly CommandEntry[];
  readonly schema: { readonly $defs: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** One thing that a script may rely on. */
interface Part {
  /** The command or document that has it: a new one brings all its parts along. */
  readonly owner: string;
  /** What a line of CHANGELOG.md must contain to be about it. */
  readonly words: readonly string[];
  /** Its form; another one is another thing to a script. */
  readonly form: string;
  /** Whether it must be given, or is always there. */
  readonly needed?: boolean;
  /** Whether a script writes it, and does not read it. */
  readonly isInput?: boolean;
}

/** A difference of two surfaces. */
export interface Change extends Pick<Part, "words"> {
  readonly text: string;
  readonly breaks: boolean;
}

/** All that a script may rely on, by name. */
export function surfaceOf({ commands, schema }: Release): Map<string, Part> {
  const parts = new Map(commands.flatMap(partsOfCommand));
  for (const [name, document] of Object.entries(schema.$defs))
    addSchema(parts, name, document, true);
  return parts;
}

function partsOfCommand(entry: CommandEntry): [string, Part][] {
  const { command: owner, aliases, args, options, globalOptions, fields = [], exitCodes } = entry;
  const path = owner.replace(/^amp /u, "");
  const part = (name: string, form: string, more: Partial<Part> = {}): [string, Part] => [
    `${owner} ${name}`.trim(),
    { owner, words: [path, name].filter(Boolean), form, ...more },
  ];
  return [
    part("", "command"),
    ...aliases.map((name) => part(name, "another name")),
    ...[...args, ...options].flatMap((one) => {
      const { name, takesValue, repeats, mandatory: needed, choices = [], short, env } = one;
      const at = args.indexOf(one);
      const place = at < 0 ? "" : `argument ${at + 1}, `;
      const form = place + (!takesValue ? "flag" : repeats ? "values" : "value");
      return [
        part(name, form, { needed, isInput: true }),
        ...choices.map((choice) => part(`${name} ${choice}`, "value")),
        ...(short ? [part(short, `short for ${name}`)] : []),
        ...(env ? [part(env, `variable of ${name}`)] : []),
      ];
    }),
    ...globalOptions.map((name) => part(name, "global option")),
    ...fields.map((name) => part(`JSON field ${name}`, "field", { words: [path, name] })),
    ...exitCodes.map(({ code }) =>
      part(`exit code ${code}`, "exit code", { words: [path, `${code}`] }),
    ),
  ];
}

/** Adds a field of a document, and all below it; several forms at one place are joined. */
function addSchema(parts: Map<string, Part>, path: string, one: Schema, needed: boolean): void {
  const [owner = ""] = path.split(/[.[]/u);
  const add = (name: string, form: string, words: readonly string[]) => {
    const before = parts.get(name);
    const forms = new Set([...(before?.form.split("|") ?? []), form].filter(Boolean));
    const always = needed && before?.needed !== false;
    parts.set(name, { owner, words, form: [...forms].sort().join("|"), needed: always });
  };
  const field = path.split(".").at(-1)?.replaceAll("[]", "") ?? path;
  add(`JSON ${path}`, [one.$ref ?? one.type ?? []].flat().sort().join("|"), [field]);
  for (const value of one.enum ?? (one.const === undefined ? [] : [one.const]))
    add(`JSON ${path} ${value}`, "value", [field, `${value}`]);
  for (const part of [one.anyOf, one.oneOf, one.allOf].flatMap((all) => all ?? []))
    addSchema(parts, path, part, needed);
  for (const [name, part] of Object.entries(one.properties ?? {}))
    addSchema(parts, `${path}.${name}`, part, one.required?.includes(name) === true);
  if (one.items) addSchema(parts, `${path}[]`, one.items, true);
  if (typeof one.additionalProperties === "object")
    addSchema(parts, `${path}.*`, one.additionalProperties, true);
}

/** Each change from one surface to another, and whether it breaks a script that worked. */
export function changesOf(before: Map<string, Part>, after: Map<string, Part>): Change[] {
  const owners = (parts: Map<string, Part>) =>
    new Set([...parts.values()].map(({ owner }) => owner));
  const [had, has] = [owners(before), owners(after)];
  const isWhole = (name: string, { owner }: Part) => name === owner || name === `JSON ${owner}`;
  const removed = [...before].filter(
    ([name, part]) => !after.has(name) && (has.has(part.owner) || isWhole(name, part)),
  );
  const added = [...after].filter(
    ([name, part]) => !before.has(name) && (had.has(part.owner) || isWhole(name, part)),
  );
  const changed = [...after].flatMap(([name, now]): Change[] => {
    const was = before.get(name);
    if (was === undefined) return [];
    const { words, isInput = false } = now;
    const changes: Change[] = [];
    const isMore = isInput && now.form === was.form.replace(/value$/u, "values");
    if (now.form !== was.form)
      changes.push({ text: `${name}: ${was.form} is now ${now.form}`, breaks: !isMore, words });
    if ((now.needed ?? false) !== (was.needed ?? false)) {
      const text = `${name} is ${now.needed ? "now" : "no longer"} ${isInput ? "required" : "always there"}`;
      changes.push({ text, breaks: isInput === now.needed, words });
    }
    return changes;
  });
  return [
    ...removed.map(([name, { words }]) => ({ text: `${name} was removed`, breaks: true, words })),
    ...added.map(([name, { words, needed = false, isInput = false }]) => {
      const breaks = needed && isInput && !name.endsWith(" command");
      return { text: `${name} was added${breaks ? ", and is required" : ""}`, breaks, words };
    }),
    ...changed,
  ];
}

/**
 * The changes that CHANGELOG.md does not have: each must be in an entry of its newest section, and
 * one that breaks scripts in an entry below the heading "Breaking".
 */
export function unsaid(changes: readonly Change[], changelog: string): string[] {
  const [, newest = ""] = changelog.split(/^## /mu);
  const entriesOf = (text: string) =>
    text
      .split(/^- /mu)
      .slice(1)
      .map((entry) => entry.replaceAll(/\s+/gu, " "));
  const breaking = newest.split(/^### /mu).filter((part) => part.startsWith("Breaking\n"));
  return changes.flatMap(({ text, breaks, words }) => {
    const entries = entriesOf(breaks ? breaking.join("\n") : newest);
    const isSaid = entries.some((entry) => words.every((word) => entry.includes(word)));
    return isSaid ? [] : [`${breaks ? "breaking" : "additive"}: ${text}`];
  });
}
