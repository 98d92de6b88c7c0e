import { createHmac, randomBytes } from "node:crypto";
import { REDACTED } from "../secrets/secret.ts";
import { tried } from "../values/tried.ts";

/** The alias of a field's value, by the name of the field; `id` depends on the value. */
const ALIASES: Readonly<Record<string, string>> = {
  groupRef: "grp",
  groupName: "grp",
  consumerRef: "usr",
  consumerName: "usr",
  installationId: "ins",
  connectionId: "con",
  operationId: "op",
  operation_id: "op",
  integrationId: "int",
  projectId: "prj",
  configId: "cfg",
  revisionId: "rev",
  destinationId: "dst",
  topicId: "top",
  routeId: "rte",
  orgId: "org",
  parentId: "org",
  clientId: "cli",
  externalRef: "ext",
  providerWorkspaceRef: "wsp",
  providerConsumerRef: "usr",
};

/** The minimum length of a value to replace within texts; a shorter one is a part of words. */
const MIN_IN_TEXT = 4;

/**
 * Makes aliases for the groups, refs and IDs in values, the same for the same. The numbers follow
 * from a salt that is not kept, so that neither the order of the records nor a list of known IDs
 * leads back.
 * @returns what makes a copy in which each of them is replaced, also within texts
 */
export function createAliases(values: readonly unknown[], salt = randomBytes(16)) {
  const found = new Map<string, string>();
  // The name and the ref of a group are one group.
  const sameAs = new Map<string, string>();
  for (const value of values) collect(value, "", found, sameAs);
  const aliases = numbered(found, sameAs, salt);
  const names = patternOf([...aliases.keys()].filter((value) => !isWord(value)));
  const text = (value: string): string => {
    const whole = aliases.get(value);
    if (whole !== undefined) return whole;
    const words = value.replaceAll(WORD, (word) => aliases.get(word) ?? word);
    if (names === undefined) return words;
    return words.replaceAll(names, (one) => aliases.get(one) ?? aliases.get(decoded(one)) ?? one);
  };
  const visit = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, item]) => [key, visit(item)]));
  };
  return <Value>(value: Value) => visit(value) as Value;
}

function collect(
  value: unknown,
  parent: string,
  found: Map<string, string>,
  sameAs: Map<string, string>,
): void {
  if (Array.isArray(value)) for (const item of value) collect(item, parent, found, sameAs);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const record = value as Readonly<Record<string, unknown>>;
  const { groupRef, groupName, consumerRef, consumerName } = record;
  for (const [name, ref] of [
    [groupName, groupRef],
    [consumerName, consumerRef],
  ]) {
    if (isNaming(name) && isNaming(ref)) sameAs.set(name, ref);
  }
  for (const [key, item] of Object.entries(record)) {
    if (!isNaming(item)) collect(item, key, found, sameAs);
    else if (key === "id") found.set(item, found.get(item) ?? kindOfId(item, parent));
    else if (Object.hasOwn(ALIASES, key)) found.set(item, ALIASES[key] ?? "id");
  }
}

/** Whether a value may name somebody; what was redacted would make one person of all. */
function isNaming(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value !== REDACTED;
}

/** The kind of an ID: the part before its number, as in `ins_08139571`, or that of its record. */
function kindOfId(id: string, parent: string): string {
  const [, prefix] = /^([a-z]{2,4})_/u.exec(id) ?? [];
  if (prefix !== undefined) return prefix;
  return { connection: "con", config: "cfg", latestRevision: "rev" }[parent] ?? "id";
}

function numbered(
  found: ReadonlyMap<string, string>,
  sameAs: ReadonlyMap<string, string>,
  salt: Uint8Array,
): Map<string, string> {
  const hash = (value: string) => createHmac("sha256", salt).update(value).digest("hex");
  const owners = [...found.keys()].filter((value) => !sameAs.has(value));
  const order = owners
    .map((value) => [hash(value), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const counts = new Map<string, number>();
  const aliases = new Map<string, string>();
  for (const [, value] of order) {
    const kind = found.get(value) ?? "id";
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    aliases.set(value, `${kind}_${number}`);
  }
  for (const [name, ref] of sameAs) {
    const alias = aliases.get(ref) ?? aliases.get(sameAs.get(ref) ?? "");
    if (alias !== undefined) aliases.set(name, alias);
  }
  return aliases;
}

/** The IDs and refs that are one word are looked up: a pattern of thousands would take minutes. */
const WORD = /[\p{L}\p{N}_-]+/gu;

function isWord(value: string): boolean {
  return /^[\p{L}\p{N}_-]+$/u.test(value);
}

/** The pattern of names with spaces or signs within texts and paths, the longest first. */
function patternOf(values: readonly string[]): RegExp | undefined {
  const long = values.filter((value) => value.length >= MIN_IN_TEXT);
  if (long.length === 0) return undefined;
  const forms = long.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const words = sorted.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.join("|")})(?![\\p{L}\\p{N}_])`, "gu");
}

function decoded(text: string): string {
  return tried(() => decodeURIComponent(text)) ?? text;
}
