import type { Descriptor } from "../api/schemas/provider.ts";
import type { Cell, PageRow } from "../view/view.ts";

/** A row, or nothing where there is nothing to tell: an absent field leaves no empty label. */
export function row(label: string, value: Cell | readonly Cell[]): PageRow[] {
  const empty = Array.isArray(value)
    ? value.length === 0
    : value === undefined || value === null || value === "";
  return empty ? [] : [[label, value]];
}

/** Parts of one line, absent ones left out. */
export function joined(
  parts: readonly (string | false | null | undefined)[],
  by = " · ",
): string | undefined {
  const told = parts.filter(
    (part) => part !== false && part !== null && part !== undefined && part !== "",
  );
  return told.length === 0 ? undefined : told.join(by);
}

/** `key value` for each entry of a map of texts or lists. */
export function entryTexts(map: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return Object.entries(map ?? {}).map(([key, value]) => `${key} = ${valueText(value)}`);
}

/** Any JSON value on one line. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A question that the builder or the customer must answer, with all that is known of it. */
export function descriptorText(one: Descriptor): string {
  const name = one.displayName ? `${one.name} (${one.displayName})` : (one.name ?? "");
  const modules = Object.keys(one.moduleDependencies ?? {});
  return (
    joined([
      one.prompt ? `${name}: ${one.prompt}` : name,
      one.defaultValue && `default ${one.defaultValue}`,
      modules.length > 0 && `for module ${modules.join(", ")}`,
      one.docsURL,
    ]) ?? ""
  );
}
