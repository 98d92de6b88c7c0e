import { isJsonObject } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { quoted } from "../file/issues.ts";
import { CASE_KEYS, type CasesFile, casesFileSchema } from "./schema.ts";

type Path = readonly PropertyKey[];

/**
 * Checks the plain data of a file of test cases against the schema.
 * @returns the file, after a mistake without what is wrong, so that its names can be checked as
 * well; undefined where too little is left
 * @param report receives each mistake with its place; `isKey`: the key is wrong, not its value
 */
export function checkCaseForm(
  value: unknown,
  report: (at: Path, isKey: boolean, message: string) => void,
): CasesFile | undefined {
  const checked = casesFileSchema.safeParse(value);
  if (checked.success) return checked.data;
  const { issues } = checked.error;
  const meant = new Set<string>();
  if (isRoutingFile(value)) {
    report(
      [],
      false,
      "this is a routing file: pass it with --file, and the file of cases as the argument",
    );
    return undefined;
  }
  for (const { code, path, ...issue } of issues) {
    if (code !== "unrecognized_keys" || !("keys" in issue)) continue;
    for (const key of issue.keys) {
      const near = nearest(key, keysBelow(path));
      if (near !== undefined) meant.add(JSON.stringify([...path, near]));
      report([...path, key], true, unknownKey(key, path, near));
    }
  }
  for (const { code, path, message } of issues) {
    // The unknown key is the missing one, misspelt.
    if (code === "unrecognized_keys" || meant.has(JSON.stringify(path))) continue;
    report(path, false, message);
  }
  // The value of a key that was misspelt may be wrong itself.
  const once = withoutMistakes(value, issues);
  const again = casesFileSchema.safeParse(once);
  if (again.success) return again.data;
  return casesFileSchema.safeParse(withoutMistakes(once, again.error.issues)).data;
}

function isRoutingFile(value: unknown): boolean {
  return (
    isJsonObject(value) && !("cases" in value) && ("topics" in value || "destinations" in value)
  );
}

type SchemaIssues = NonNullable<ReturnType<typeof casesFileSchema.safeParse>["error"]>["issues"];

/**
 * A copy without the values that are wrong, and with misspelt keys under the name that is meant.
 */
function withoutMistakes(value: unknown, issues: SchemaIssues): unknown {
  const copy: unknown = structuredClone(value);
  for (const issue of issues) {
    const isKey = issue.code === "unrecognized_keys";
    const parent = mappingAt(copy, isKey ? issue.path : issue.path.slice(0, -1));
    if (parent === undefined) continue;
    for (const key of isKey ? issue.keys : [String(issue.path.at(-1))]) {
      const near = isKey ? nearest(key, keysBelow(issue.path)) : undefined;
      if (near !== undefined) parent[near] ??= parent[key];
      delete parent[key];
    }
  }
  return copy;
}

function mappingAt(value: unknown, path: Path): Record<string, unknown> | undefined {
  const found = path.reduce<unknown>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)];
    return isJsonObject(part) ? part[String(key)] : undefined;
  }, value);
  return isJsonObject(found) ? found : undefined;
}

function keysBelow(path: Path): readonly string[] {
  const above = path.findLast((part) => typeof part === "string" && Object.hasOwn(CASE_KEYS, part));
  return CASE_KEYS[String(above ?? "file")] ?? [];
}

function unknownKey(key: string, path: Path, near: string | undefined): string {
  const hint = near === undefined ? `use ${keysBelow(path).join(", ")}` : `did you mean ${near}?`;
  return `unknown key ${quoted(key)}: ${hint}`;
}
