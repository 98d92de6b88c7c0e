import { isJsonObject } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import {
  DESTINATION_TYPE_NAMES,
  type DestinationField,
  destinationType,
  UPDATE_FIELDS,
} from "./destination-types.ts";

/** The two parts of a destination's content. */
export type ContentPart = "metadata" | "secrets";

/** One reason why the live platform would refuse the content of a destination. */
export interface DestinationProblem {
  readonly part: ContentPart;
  /** The name of the field; of several of which one is required, the first. */
  readonly name: string;
  /**
   * The detail, which continues a sentence that begins with the field: `must begin with https://`.
   */
  readonly detail: string;
  /** The absent fields, one of which is required; undefined if the value is not valid. */
  readonly missing?: readonly [DestinationField, ...DestinationField[]];
}

/**
 * Checks metadata and secrets against the requirements of their destination type. An unknown type
 * may have any content.
 */
export function destinationProblems(
  type: string,
  content: Readonly<Record<ContentPart, Readonly<Record<string, unknown>>>>,
): DestinationProblem[] {
  const known = destinationType(type);
  if (known === undefined) return [];
  const groups = (known.oneOf ?? []).map((names) =>
    known.metadata.filter(({ name }) => names.includes(name)),
  );
  return [
    ...fieldProblems("metadata", known.metadata, content.metadata),
    ...groups.flatMap((group) => groupProblem(group, content.metadata)),
    ...fieldProblems("secrets", known.secrets, content.secrets),
  ];
}

function fieldProblems(
  part: ContentPart,
  fields: readonly DestinationField[],
  values: Readonly<Record<string, unknown>>,
): DestinationProblem[] {
  return fields.flatMap((field): DestinationProblem[] => {
    const { name, required } = field;
    if (!Object.hasOwn(values, name)) {
      return required ? [{ part, name, detail: "is required", missing: [field] }] : [];
    }
    const detail = valueProblem(field, values[name]);
    return detail === undefined ? [] : [{ part, name, detail }];
  });
}

function valueProblem({ shape, check }: DestinationField, value: unknown): string | undefined {
  if (shape === "flag") return typeof value === "boolean" ? undefined : "must be true or false";
  if (shape === "map") return isStringMap(value) ? undefined : "must be an object of strings";
  if (typeof value !== "string") return "must be a string";
  return value === "" ? "must not be empty" : check?.(value);
}

function isStringMap(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function groupProblem(
  [first, ...others]: readonly DestinationField[],
  metadata: Readonly<Record<string, unknown>>,
): DestinationProblem[] {
  if (first === undefined) return [];
  const names = [first, ...others].map(({ name }) => name);
  if (names.some((name) => Object.hasOwn(metadata, name))) return [];
  const detail = `one of ${names.join(", ")} is required`;
  return [{ part: "metadata", name: first.name, detail, missing: [first, ...others] }];
}

/**
 * Warnings of a type and of values that the live platform would refuse, the same wherever they are
 * typed. They are sent all the same: another service may accept them.
 */
export function valueWarnings(
  type: string,
  content: Readonly<Record<ContentPart, Readonly<Record<string, unknown>>>>,
): { readonly path: readonly string[]; readonly message: string }[] {
  const known = destinationType(type);
  if (known === undefined) {
    const near = nearest(type, DESTINATION_TYPE_NAMES);
    const hint = near === undefined ? "." : `: did you mean ${near}?`;
    const message = `Unknown destination type ${JSON.stringify(type)}${hint} The service may refuse it.`;
    return [{ path: ["type"], message }];
  }
  const unlisted = (["metadata", "secrets"] as const).flatMap((part) =>
    unlistedFields(known[part], content[part], UPDATE_FIELDS[type]).map(([name, near]) => {
      const [word, hint] = near === undefined ? ["known ", "."] : ["", `: did you mean ${near}?`];
      const message = `${part}.${name} is not a ${word}field of a ${type} destination${hint} The service may refuse it.`;
      return { path: [part, name], message };
    }),
  );
  const odd = destinationProblems(type, content).flatMap(({ part, name, detail, missing }) => {
    const message = `${part}.${name} of a ${type} destination ${detail}. The service may refuse it.`;
    return missing === undefined ? [{ path: [part, name], message }] : [];
  });
  return [...unlisted, ...odd];
}

/** The names that are not fields, each with the absent field that is nearest to it, if any. */
function unlistedFields(
  fields: readonly DestinationField[],
  values: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): readonly (readonly [name: string, near: string | undefined])[] {
  const names = fields.map(({ name }) => name);
  const absent = names.filter((name) => !Object.hasOwn(values, name));
  return Object.keys(values).flatMap((name) => {
    const isKnown = names.includes(name) || others.includes(name);
    return isKnown ? [] : [[name, nearest(name, absent)] as const];
  });
}
