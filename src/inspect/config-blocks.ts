import type { Config, ReadObject } from "../api/schemas/installation.ts";
import { isEmptyValue, isJsonObject } from "../values/json.ts";
import {
  type Block,
  type Cell,
  dimBlock,
  entryTexts,
  joined,
  type PageRow,
  row,
  rows,
  toned,
  valueRow,
  valueText,
} from "../view/view.ts";
import type { ScheduleText } from "./schedules.ts";

type Fields = Readonly<Record<string, unknown>>;
type Content = NonNullable<Config["content"]> & Fields;

/** The notes of a page on reads, beyond their config. */
export interface ReadNotes {
  /** The schedules in words, by expression; those that are not cron are missing. */
  readonly schedules: ReadonlyMap<string, ScheduleText>;
  /**
   * The names of the destinations of the project; undefined where the service does not list them.
   */
  readonly destinations: ReadonlySet<string> | undefined;
  /** The reads of all records that are in progress, each as a text: since when, and how far. */
  readonly firstReads: readonly string[];
  /** The same reads as rows of a block. */
  readonly backfills: readonly PageRow[];
}

/** The parts of a config's content that are maps of objects, with their headings. */
const OBJECT_MAPS = { write: "Writes", subscribe: "Subscribes" } as const;

/**
 * The content of a config. Only the reads are specified: other parts are shown unchanged, and
 * absent ones are not mentioned.
 * @param unknown why it is not known what is configured, if it is not; see `unknownReads`
 * @param notes what is known of schedules and destinations
 */
export function configBlocks(
  config: Config | null | undefined,
  unknown: string | undefined,
  notes?: ReadNotes,
): Block[] {
  const { provider: _, read, ...others } = (config?.content ?? {}) as Content;
  const objects = readsOf(config);
  const readMore = Object.entries(read ?? {}).filter(([name]) => name !== "objects");
  const blocks = [
    rows(
      [
        ...objects.flatMap((one) => readRows(one, notes)),
        ...readMore.flatMap(([name, value]) => valueRow(name, value)),
      ],
      "Reads",
    ),
    ...Object.entries(OBJECT_MAPS).map(([name, heading]) => rows(mapRows(others[name]), heading)),
    rows(otherRows(others), "Also configured"),
  ].filter((block) => block.kind !== "rows" || block.rows.length > 0);
  return blocks.length > 0 ? blocks : [dimBlock(unknown ?? "Reads nothing.")];
}

/** The objects that the config reads, by name. */
export function readsOf(config: Config | null | undefined): [name: string, object: ReadObject][] {
  const objects = Object.entries(config?.content?.read?.objects ?? {});
  return objects.map(([name, object]) => [name, object ?? {}]);
}

/** Whether a config was reported, and has nothing that is read, written or used otherwise. */
export function readsNothing(config: Config | null | undefined): boolean {
  const { content } = config ?? {};
  if (!content) return false;
  const { provider: _, proxy, ...parts } = content as Content;
  const isProxyIdle = isEmptyValue(proxy) || (isJsonObject(proxy) && proxy.enabled === false);
  return isProxyIdle && Object.entries(parts).every(([name, part]) => isUnused(name, part));
}

/** Whether a part of a config has nothing: a map of objects, also if all that it has is empty. */
function isUnused(name: string, part: unknown): boolean {
  const isMap = name === "read" || Object.hasOwn(OBJECT_MAPS, name);
  return (
    isEmptyValue(part) || (isMap && isJsonObject(part) && Object.values(part).every(isEmptyValue))
  );
}

/** Whether reading an object is paused, by a field that the specification does not have. */
export function isPaused(object: ReadObject): boolean {
  return object.disabled === true;
}

function readRows([name, object]: [string, ReadObject], notes: ReadNotes | undefined): PageRow[] {
  const {
    objectName,
    schedule: _schedule,
    destination: _destination,
    selectedFields,
    disabled,
    selectedFieldsAuto: auto,
    selectedFieldMappings: mappings,
    ...more
  } = object as ReadObject & Fields;
  const selection = Object.entries(selectedFields ?? {});
  const fields = selection.filter(([, selected]) => selected).map(([field]) => field);
  const left = selection.filter(([, selected]) => !selected).map(([field]) => field);
  // With all fields selected, those that are named say nothing more.
  const [chosenWord, leftWord] =
    auto === "all" ? ["also named", "listed, but not selected"] : ["fields", "not selected"];
  const lines: Cell[] = [
    isPaused(object) ? toned("attention", "paused") : undefined,
    ...scheduleCells(object, notes),
    ...(auto === "all" ? ["all fields"] : []),
    fields.length > 0 ? `${chosenWord} ${fields.join(", ")}` : undefined,
    left.length > 0 ? toned("dim", `${leftWord} ${left.join(", ")}`) : undefined,
    isEmptyValue(auto) || auto === "all"
      ? undefined
      : `fields selected automatically: ${valueText(auto)}`,
    ...mapped(mappings),
    typeof disabled === "boolean" ? undefined : fieldText("disabled", disabled),
    ...Object.entries(more).map(([field, value]) => fieldText(field, value)),
    objectName && objectName !== name ? `in the config as ${name}` : undefined,
  ];
  const known = lines.filter((line) => line !== undefined);
  return row(objectName || name, known.length > 0 ? known : toned("dim", "no details reported"));
}

/** Schedule and destination, as far as known: in words, with the next run of what is not paused. */
function scheduleCells(object: ReadObject, notes: ReadNotes | undefined): Cell[] {
  const { schedule, destination } = object;
  const known = schedule ? notes?.schedules.get(schedule) : undefined;
  const when = known ? `${known.words} (${schedule})` : schedule && `schedule ${schedule}`;
  const isLost = Boolean(destination) && notes?.destinations?.has(destination ?? "") === false;
  const next = isPaused(object) ? undefined : known?.next;
  return [
    joined([when, destination && !isLost && `to ${destination}`]),
    next === null ? toned("bad", "its schedule never occurs") : next && `next run ${next}`,
    isLost ? toned("bad", `to ${destination}: no destination has this name`) : undefined,
  ];
}

/** The cells `email from contact_email`: the builder's name of a field, and the provider's. */
function mapped(mappings: unknown): Cell[] {
  if (!isJsonObject(mappings)) return [fieldText("selectedFieldMappings", mappings)];
  return Object.entries(mappings).map(([to, from]) => `maps ${valueText(from)} to ${to}`);
}

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
