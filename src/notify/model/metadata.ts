import { isDeepStrictEqual } from "node:util";
import { destinationType } from "../../api/catalogue/destination-types.ts";
import { registerAddressSecrets } from "../../secrets/address.ts";
import { DEEPER_VALUE, redactAnswer, redactQuoted } from "../../secrets/answer.ts";
import {
  REDACTED,
  registerSecret,
  type Secret,
  type SecretReference,
} from "../../secrets/secret.ts";
import { isJsonObject, plainText } from "../../values/json.ts";
import { routingErrors } from "../errors.ts";

/** The metadata of a destination: a tree whose shape its type decides. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A value of the tree with the keys that lead to it. */
export interface MetadataValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The maximum depth of metadata; deeper nesting is a mistake, and would overflow the stack. */
const MAX_DEPTH = 40;

/** A copy of the tree with the value at the path, replacing any earlier one. */
export function withValueAt(
  tree: Metadata,
  [key, ...rest]: readonly string[],
  value: unknown,
): Metadata {
  if (key === undefined) return tree;
  const below = Object.hasOwn(tree, key) ? tree[key] : undefined;
  const next =
    rest.length === 0 ? value : withValueAt(isJsonObject(below) ? below : {}, rest, value);
  // Assignment would treat a key named __proto__ specially; here it is data.
  return Object.fromEntries([
    ...Object.entries(tree).filter(([name]) => name !== key),
    [key, next],
  ]);
}

/** The keys of a dotted path such as `headers.X-Team`. */
export function keyPath(dotted: string): readonly string[] {
  const path = dotted.split(".");
  if (path.includes("")) throw routingErrors.metadata_key_part(dotted);
  if (path.length > MAX_DEPTH) throw routingErrors.metadata_key_deep(MAX_DEPTH);
  return path;
}

/**
 * A value of the metadata that is read from a variable; the path has the positions of lists, too.
 */
export interface MetadataReference {
  readonly path: readonly string[];
  readonly secret: Secret;
}

/** The name of the variable in `env:NAME`, the form in which metadata refers to one. */
export function referencedVariable(value: unknown): string | undefined {
  return typeof value === "string" ? /^env:([A-Za-z_]\w*)$/u.exec(value)?.[1] : undefined;
}

/** Whether a text has the form `file:PATH`, which is a reference only among secrets. */
export function isFileReference(text: string): boolean {
  return text.startsWith("file:");
}

/**
 * The problem of a text that amp shows in place of a hidden value: it is never sent as the value.
 */
export function placeholderProblem(text: string): string | undefined {
  const shown = [REDACTED, DEEPER_VALUE].find((one) => text.includes(one));
  return shown && `${shown} is shown in place of a hidden value; use env:NAME`;
}

/** A copy of the metadata with each text changed. */
export function mapTexts(
  metadata: Metadata,
  change: (text: string, path: readonly string[]) => unknown,
): Metadata {
  const changed = (leaf: unknown, path: readonly string[]) =>
    typeof leaf === "string" ? change(leaf, path) : leaf;
  return mapLeaves(metadata, changed) as Metadata;
}

/** A copy of a JSON value with each value within it changed that has no further ones. */
export function mapLeaves(
  value: unknown,
  change: (leaf: unknown, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, at) => mapLeaves(item, change, [...path, String(at)]));
  }
  if (!isJsonObject(value)) return change(value, path);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapLeaves(item, change, [...path, key])]),
  );
}

/**
 * Reads the variables that metadata refers to as `env:NAME`.
 * @param read returns undefined where the variable must not be read
 */
export function resolveMetadata(
  metadata: Metadata,
  read: (name: string, path: readonly string[]) => Secret | undefined,
): { readonly metadata: Metadata; readonly references?: readonly MetadataReference[] } {
  const references: MetadataReference[] = [];
  const resolved = mapTexts(metadata, (text, path) => {
    const name = referencedVariable(text);
    const secret = name === undefined ? undefined : read(name, path);
    if (secret === undefined) return text;
    references.push({ path, secret });
    return secret.reveal();
  });
  return references.length === 0 ? { metadata } : { metadata: resolved, references };
}

/** The reference of a value: none if the value was changed since it was read. */
export function referenceAt(
  references: readonly MetadataReference[] = [],
  path: readonly string[],
  value: unknown,
): SecretReference | undefined {
  const found = references.find(({ path: at }) => isDeepStrictEqual(at, path));
  return found?.secret.reveal() === value ? found?.secret.reference : undefined;
}

/** A reference as a routing file has it. */
export function referenceText(reference: SecretReference): string {
  return reference.from === "env" ? `env:${reference.name}` : `file:${reference.path}`;
}

/** Every value that is not an object, and every empty object, with its path. */
export function metadataValues(tree: Metadata, above: readonly string[] = []): MetadataValue[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...above, key];
    return isJsonObject(value) && Object.keys(value).length > 0
      ? metadataValues(value, path)
      : [{ path, value }];
  });
}

/** Whether a value of the metadata may be a credential, or quotes one: `https://…?token=…`. */
export function isSensitive(type: string, path: readonly string[], value: unknown): boolean {
  const quotes = typeof value === "string" && redactQuoted(value) !== value;
  return isCredential(type, path, value) || (quotes && referencedVariable(value) === undefined);
}

/**
 * Whether a value of the metadata may be a credential as a whole: a Slack URL is one, whatever the
 * type of its destination; headers often carry one, and so may the user info of a URL.
 */
function isCredential(type: string, path: readonly string[], value: unknown): boolean {
  if (referencedVariable(value) !== undefined) return false;
  if (type === "slack" && path[0] === "url") return true;
  if (path[0] === "headers") return true;
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null) return false;
  return url.username !== "" || url.password !== "" || SLACK_HOST.test(url.hostname);
}

/** The hosts of Slack, also for governments; a final dot names the same host. */
const SLACK_HOST = /^hooks\.slack(?:-gov)?\.com\.?$/u;

/** The host of a URL that is a secret; any other text unchanged. */
function maskAddress(value: string): string {
  const url = value.includes("://") ? URL.parse(value) : null;
  if (url === null) return value;
  const hidden = url.pathname.length > 1 || url.search !== "";
  return `${url.protocol}//${url.host}${hidden ? "/…" : ""}`;
}

/**
 * A URL with the parts of its path that are words, so that two receivers on one host can be told
 * apart. Random parts may be a secret of the receiver: they are left out, and so is a query.
 */
function shortAddress(value: string): string {
  const url = value.includes("://") ? URL.parse(value) : null;
  if (url === null) return value;
  const parts = url.pathname.split("/").map((part) => (WORD.test(part) ? part : "…"));
  const shown = parts.filter((part, at) => part !== "…" || parts[at - 1] !== "…");
  const path = url.pathname === "/" ? "" : shown.join("/");
  return `${url.protocol}//${url.host}${path}${url.search === "" ? "" : "?…"}`;
}

/** A part of a path that is a word, words with dashes, a version or a small number; or empty. */
const WORD = /^(?:v?\d{0,4}|[a-z]{1,14}\d{0,2}(?:[-_.][a-z]{1,14}\d{0,2}){0,3})$/iu;

/** Registers the credentials in a destination's metadata, so that amp never shows them. */
export function registerMetadataSecrets(type: string, metadata: unknown): void {
  mapLeaves(metadata, (value, path) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    if (text === undefined || referencedVariable(text) !== undefined) return;
    registerAddressSecrets(text);
    if (isCredential(type, path, text)) registerSecret(text);
  });
}

/** A record for display, also in JSON: credentials in its metadata are hidden. */
export function redactMetadata<Shown extends Delivering>(record: Shown): Shown {
  const { type, metadata } = record;
  if (metadata === undefined || metadata === null) return redactAnswer(record);
  const hide = (value: unknown, path: readonly string[]) => {
    if (value === null || !isCredential(plainText(type), path, value)) return value;
    // The host of a URL shows where a destination delivers to.
    return typeof value === "string" && path[0] !== "headers" ? maskAddress(value) : REDACTED;
  };
  // The metadata may be the URL itself where an object is expected.
  const hidden = mapLeaves(metadata, hide, isJsonObject(metadata) ? [] : ["url"]);
  return redactAnswer({ ...record, metadata: hidden });
}

interface Delivering {
  readonly references?: readonly MetadataReference[];
  readonly type?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
}

/** The target of a destination for display: the URL without secrets, or the name of the stream. */
export function deliversTo({ type, metadata, references }: Delivering): string | undefined {
  const fields = destinationType(type ?? "")?.metadata ?? [];
  const values = new Map(Object.entries(metadata ?? {}));
  const first = ["url", ...fields.map(({ name }) => name)]
    .map((name) => ({ name, value: values.get(name) }))
    .find(({ value }) => typeof value === "string");
  if (first === undefined) return undefined;
  const reference = referenceAt(references, [first.name], first.value);
  const text = String(first.value);
  if (reference && !URL.canParse(text)) return referenceText(reference);
  const isSecret = reference !== undefined || isCredential(type ?? "", [first.name], text);
  return isSecret ? maskAddress(text) : shortAddress(text);
}
