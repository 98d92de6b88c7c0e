import type { Config, ReadObject } from "../api/schemas/installation.ts";
import { isEmptyValue, isJsonObject } from "../values/json.ts";
import {
  type Block,
  type Cell,
  entryTexts,
  joined,
  type PageRow,
  row,
  rows,
  toned,
  valueRow,
  valueText,
} from "../view/view.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a config's content that are maps of objects, with their headings. */
const OBJECT_MAPS = { write: "Writes", subscribe: "Subscribes" } as const;

/**
 * The content of a config. Only the reads are specified: other parts are shown unchanged, and
 * absent ones are not mentioned.
 * @param isOdd whether a part of it could not be read, because it is not as specified
 */
export function configBlocks(config: Config | null | undefined, isOdd: boolean): Block[] {
  const content = config?.content;
  const unread = "The configuration is not as specified.";
  if (!content) return [silence(isOdd ? unread : "The service does not report the configuration.")];
  const { provider: _, read, ...others } = content as typeof content & Fields;
  const objects = readsOf(config);
  const readMore = Object.entries(read ?? {}).filter(([name]) => name !== "objects");
  const blocks = [
    rows(
      [...objects.flatMap(readRows), ...readMore.flatMap(([name, value]) => valueRow(name, value))],
      "Reads",
    ),
    ...Object.entries(OBJECT_MAPS).map(([name, heading]) => rows(mapRows(others[name]), heading)),
    rows(otherRows(others), "Also configured"),
  ].filter((block) => block.kind !== "rows" || block.rows.length > 0);
  return blocks.length > 0 ? blocks : [silence(isOdd ? unread : "Reads nothing.")];
}

/** The objects that the config reads, by name. */
export function readsOf(config: Config | null | undefined): [name: string, object: ReadObject][] {
  const objects = Object.entries(config?.content?.read?.objects ?? {});
  return objects.map(([name, object]) => [name, object ?? {}]);
}

/** Whether reading an object is paused, by a field that the specification does not have. */
export function isPaused(object: ReadObject): boolean {
  return (object as Fields).disabled === true;
}

function readRows([name, object]: [string, ReadObject]): PageRow[] {
  const {
    objectName,
    schedule,
    destination,
    selectedFields,
    disabled,
    selectedFieldsAuto: auto,
    selectedFieldMappings: mappings,
    ...more
  } = object as ReadObject & Fields;
  const selection = Object.entries(selectedFields ?? {});
  const fields = selection.filter(([, selected]) => selected).map(([field]) => field);
  const left = selection.filter(([, selected]) => !selected).map(([field]) => field);
  const lines: Cell[] = [
    isPaused(object) ? toned("attention", "paused") : undefined,
    joined([schedule && `schedule ${schedule}`, destination && `to ${destination}`]),
    fields.length > 0 ? `fields ${fields.join(", ")}` : undefined,
    left.length > 0 ? toned("dim", `not selected ${left.join(", ")}`) : undefined,
    isEmptyValue(auto) ? undefined : `fields selected automatically: ${valueText(auto)}`,
    ...mapped(mappings),
    typeof disabled === "boolean" ? undefined : fieldText("disabled", disabled),
    ...Object.entries(more).map(([field, value]) => fieldText(field, value)),
    objectName && objectName !== name ? `in the config as ${name}` : undefined,
  ];
  const known = lines.filter((line) => line !== undefined);
  return row(objectName || name, known.length > 0 ? known : toned("dim", "no details reported"));
}

/** The cells `email from contact_email`: the builder's name of a field, and the provider's. */
function mapped(mappings: unknown): Cell[] {
  if (!isJsonObject(mappings)) return [fieldText("selectedFieldMappings", mappings)];
  return Object.entries(mappings).map(([to, from]) => `maps ${valueText(from)} to ${to}`);
}

/** The rows of `{objects: {<name>: {…}}}`, one for each object. */
function mapRows(part: unknown): PageRow[] {
  if (!isJsonObject(part)) return valueRow("Configured", part);
  const { objects, ...more } = part;
  return [
    ...(isJsonObject(objects)
      ? Object.entries(objects).flatMap(([name, object]) => objectRows(name, object))
      : valueRow("objects", objects)),
    ...Object.entries(more).flatMap(([name, value]) => valueRow(name, value)),
  ];
}

function objectRows(name: string, object: unknown): PageRow[] {
  if (!isJsonObject(object))
    return row(name, isEmptyValue(object) ? "configured" : valueText(object));
  const { objectName, ...more } = object;
  const lines = entryTexts(more);
  const label = typeof objectName === "string" && objectName ? objectName : name;
  return row(label, lines.length > 0 ? lines : "configured");
}

function otherRows(others: Fields): PageRow[] {
  return Object.entries(others).flatMap(([name, value]) => {
    if (Object.hasOwn(OBJECT_MAPS, name)) return [];
    if (name !== "proxy" || !isJsonObject(value)) return valueRow(name, value);
    const { enabled, ...more } = value;
    if (typeof enabled !== "boolean") return valueRow("Proxy", value);
    return row("Proxy", [enabled ? "enabled" : "not enabled", ...entryTexts(more)]);
  });
}

function fieldText(name: string, value: unknown): Cell {
  return isEmptyValue(value) ? undefined : `${name} ${valueText(value)}`;
}

function silence(text: string): Block {
  return { kind: "text", text, tone: "dim" };
}
