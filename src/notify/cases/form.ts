import { nearest } from "../../values/nearest.ts";
import { quoted } from "../file/issues.ts";
import { CASE_KEYS, type CasesFile, casesFileSchema } from "./schema.ts";

type Path = readonly PropertyKey[];

/**
 * Checks the plain data of a file of cases against the schema.
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
  return undefined;
}

/** The keys that the mapping at a place may have. */
function keysBelow(path: Path): readonly string[] {
  const above = path.findLast((part) => typeof part === "string" && Object.hasOwn(CASE_KEYS, part));
  return CASE_KEYS[String(above ?? "file")] ?? [];
}

function unknownKey(key: string, path: Path, near: string | undefined): string {
  const hint = near === undefined ? `use ${keysBelow(path).join(", ")}` : `did you mean ${near}?`;
  return `unknown key ${quoted(key)}: ${hint}`;
}
