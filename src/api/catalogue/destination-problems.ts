import { isJsonObject } from "../../values/json.ts";
import { type DestinationField, destinationType } from "./destination-types.ts";

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
