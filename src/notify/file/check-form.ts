import type * as z from "zod/mini";
import { destinationType } from "../../api/catalogue/destination-types.ts";
import { isJsonObject } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { quoted } from "./issues.ts";
import { FILE_KEYS, type RoutingFile, routingFileSchema } from "./schema.ts";

type Path = readonly PropertyKey[];

/** A mistake in the form of a file. */
export interface FormIssue {
  /** The keys and list positions that lead to the part. */
  readonly path: Path;
  /** Whether the key is wrong, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

/** Checks the plain data of a file against the schema. */
export function checkForm(value: unknown): {
  readonly file?: RoutingFile;
  readonly issues: readonly FormIssue[];
} {
  const checked = routingFileSchema.safeParse(value);
  if (checked.success) return { file: checked.data, issues: [] };
  return { issues: checked.error.issues.flatMap((issue) => formIssues(issue, value)) };
}

function formIssues(issue: z.core.$ZodIssue, value: unknown): FormIssue[] {
  const { path, code } = issue;
  if (code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = [...path, key];
      const message = within(at, unknownKey(key, path, valueAt(value, path)));
      return { path: at, isKey: true, message };
    });
  }
  if (code === "invalid_union") {
    const branch = meantBranch(issue, valueAt(value, path));
    if (branch !== undefined) return branch.flatMap((each) => formIssues(each, value));
  }
  const isKey = code === "invalid_key";
  return [{ path, isKey, message: isKey ? issue.message : within(path, issue.message) }];
}

/** The issues of a destination as the variant, new or existing, that it was meant to be. */
function meantBranch(
  { path, errors }: z.core.$ZodIssueInvalidUnion,
  value: unknown,
): z.core.$ZodIssue[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const [existing = [], created = []] = errors;
  const meant = Object.hasOwn(value, "id") ? existing : created;
  const hasUnknownKey = meant.some(({ code }) => code === "unrecognized_keys");
  return (
    meant
      // The unknown key may be the missing one, misspelt.
      .filter((issue) => !hasUnknownKey || valueAt(value, issue.path) !== undefined)
      .map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
  );
}

function unknownKey(key: string, path: Path, value: unknown): string {
  const isDestination = path[0] === "destinations";
  if (isDestination && isJsonObject(value)) {
    if (FILE_KEYS.destination.includes(key)) {
      return `${key} cannot be combined with id, which selects an existing destination: remove one`;
    }
    const type = destinationType(String(value.type));
    const part = (["metadata", "secrets"] as const).find((fields) =>
      type?.[fields].some(({ name }) => name === key),
    );
    if (part !== undefined) return `unknown key ${quoted(key)}: move it below ${part}`;
  }
  const keys = FILE_KEYS[path.length === 0 ? "file" : isDestination ? "destination" : "topic"];
  const near = nearest(key, keys);
  const hint = near === undefined ? `use ${keys.join(", ")}` : `did you mean ${near}?`;
  return `unknown key ${quoted(key)}: ${hint}`;
}

/** The message, with the name of its destination or topic. */
function within([group, name, ...rest]: Path, message: string): string {
  if (name === undefined) return message;
  const part = `${group === "topics" ? "topic" : "destination"} ${quoted(String(name))}`;
  return `${part}${rest.length === 0 ? "" : ":"} ${message}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}
