import { routingErrors } from "../errors.ts";
import { RESOURCE_ORDER, RESOURCES, type ResourceKind } from "./resource.ts";

/** The stable name of a resource of a routing: `event-route/lifecycle/installation.created`. */
export type Address = `${ResourceKind}/${string}`;

/**
 * The address of a resource.
 * @param names one for each field of the kind's key; for a reference, the name of the referenced
 *   resource
 */
export function addressOf(kind: ResourceKind, ...names: readonly string[]): Address {
  return `${kind}/${namePath(...names)}`;
}

/** Names as one text: a server may allow a slash in a name, which must not split it. */
function namePath(...names: readonly string[]): string {
  return names.map(encodedName).join("/");
}

function encodedName(name: string): string {
  // Nearly no name has either: a plan of thousands of resources asks for each of them several times.
  return /[%/]/u.test(name) ? name.replaceAll("%", "%25").replaceAll("/", "%2F") : name;
}

/** The kind and the names of an address. */
export function addressParts(address: Address): {
  readonly kind: ResourceKind;
  readonly names: readonly string[];
} {
  const [kind, ...names] = address.split("/");
  // This is the one place that splits an address: its type says that a kind comes first.
  return { kind: kind as ResourceKind, names: names.map(decodedName) };
}

function decodedName(part: string): string {
  return part.includes("%") ? part.replaceAll("%2F", "/").replaceAll("%25", "%") : part;
}

/** A percent sign that {@link addressOf} does not write: the text would never equal an address. */
const STRAY_PERCENT = /%(?!25|2F)/u;

/** Whether a text has the form of an address. */
export function isAddress(text: string): text is Address {
  const [kind = "", ...names] = text.split("/");
  return (
    Object.hasOwn(RESOURCES, kind) &&
    names.length === RESOURCES[kind as ResourceKind].key.length &&
    !names.includes("") &&
    !STRAY_PERCENT.test(text)
  );
}

/**
 * Reads an address that was typed.
 * @throws {UsageError} for a text that is not an address
 */
export function parseAddress(typed: string): Address {
  if (isAddress(typed)) return typed;
  const forms = RESOURCE_ORDER.map((kind) =>
    [kind, ...RESOURCES[kind].key.map(({ label }) => label.toUpperCase())].join("/"),
  );
  throw routingErrors.address_invalid(typed, forms.join(", "));
}

/** A record as the key of a set or map: IDs are unique within a kind. */
export function recordKey(kind: ResourceKind, id: string): string {
  return `${kind} ${id}`;
}

/** The longest name of a topic at the live platform. */
export const MAX_NAME_LENGTH = 64;

/** The field with the name of a kind; undefined for a route, which has none. */
export function nameFieldOf(kind: ResourceKind): string | undefined {
  const [first] = RESOURCES[kind].key;
  return first?.references === undefined ? first?.field : undefined;
}

/**
 * The part of a record and the key in it that a path such as `metadata.url` names. Only the first
 * dot separates: a key may contain dots itself.
 */
export function splitField(path: string): { readonly part: string; readonly key?: string } {
  const dot = path.indexOf(".");
  return dot < 0 ? { part: path } : { part: path.slice(0, dot), key: path.slice(dot + 1) };
}
