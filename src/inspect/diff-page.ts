import type { ComparedSide, FieldDifference, InstallationDiff } from "../documents/inspect.ts";
import { shortened } from "../values/basics.ts";
import { counted } from "../values/counted.ts";
import { isEmptyValue, isJsonObject } from "../values/json.ts";
import {
  type Block,
  type Cell,
  type Page,
  type PageRow,
  rows,
  rowsOfItems,
  type Tone,
  table,
  toned,
  type ViewRows,
  valueText,
} from "../view/view.ts";
import { isOfConfig } from "./installation-diff.ts";

const AREAS = {
  config: "Configuration",
  read: "Reads",
  write: "Writes",
  subscribe: "Subscribes to",
  installation: "Status",
  connection: "Connection",
} as const satisfies Readonly<Record<FieldDifference["area"], string>>;

/** The words for fields that have some, by their path. */
const FIELDS: Readonly<Record<string, string>> = {
  healthStatus: "Health",
  lastOperationStatus: "Last operation",
  updateTime: "Config changed",
  createTime: "Created",
  createdBy: "Created by",
  integrationId: "Integration",
  status: "Status",
  authScheme: "Scheme",
  provider: "Provider",
  "content.provider": "Provider",
  revisionId: "Revision",
  "group.groupName": "Group",
  "group.groupRef": "Group ref",
  "consumer.consumerName": "Consumer",
  "consumer.consumerRef": "Consumer ref",
  schedule: "Schedule",
  destination: "Destination",
  objectName: "Object",
  selectedFields: "Fields",
  selectedFieldMappings: "Mappings",
  selectedFieldsAuto: "Selected automatically",
  disabled: "Paused",
};

/** The words for the keys of maps within an object. */
const MAPS: Readonly<Record<string, string>> = {
  selectedFields: "Field",
  selectedFieldMappings: "Mapping",
};

const STATE_FIELDS = new Set(["healthStatus", "lastOperationStatus", "status"]);
/** The longest label of a field, and the longest value that a page shows. */
const MAX_LABEL = 24;
const MAX_VALUE = 300;

/** The differences between two installations, by area, object and field. */
export function diffPage(diff: InstallationDiff): Page {
  const { since, before, after, changes, leftOut } = diff;
  const note = leftOut === undefined ? [] : [rows([["Not compared", leftOut]])];
  if (before === undefined || after === undefined) return oneSidedPage(diff);
  const aside =
    since === undefined
      ? `${sideName(before)} and ${sideName(after)}`
      : `${sideName(after)} since ${since}`;
  const config = changes.filter(isOfConfig);
  return {
    title:
      config.length === 0
        ? toned("good", "Configuration: the same")
        : `Configuration: ${counted(config.length, "difference")}`,
    aside,
    blocks: [...changeBlocks(changes), ...note],
  };
}

/** The page of an installation that only the service or only the saved list has. */
function oneSidedPage({ since, before, after }: InstallationDiff): Page {
  const text =
    before === undefined
      ? `is not in ${since}: it was installed later, or the list covers other installations`
      : `is in ${since}, but no longer listed: it was uninstalled`;
  const only = before ?? after;
  return {
    title: toned("attention", `${nameOf(only)} ${text}`),
    aside: only?.id ?? "",
    blocks: [],
  };
}

function nameOf(side: ComparedSide | undefined): string {
  return side?.group ?? side?.id ?? "The installation";
}

function sideName({ id, group }: ComparedSide): string {
  return group === undefined ? id : `${group} (${id})`;
}

function changeBlocks(changes: readonly FieldDifference[]): Block[] {
  const order = Object.keys(AREAS);
  const places = Map.groupBy(changes, ({ area, object = "" }) => JSON.stringify([area, object]));
  return [...places.values()]
    .toSorted(([a], [b]) => order.indexOf(a?.area ?? "") - order.indexOf(b?.area ?? ""))
    .map((group): Block => {
      const [first] = group;
      const heading = [AREAS[first?.area ?? "installation"], first?.object].filter(Boolean);
      return {
        kind: "rows",
        heading: heading.join(" "),
        rows: group.flatMap(changeRows),
        inRows: true,
      };
    });
}

/** The signs of what was added, removed and changed. */
export const CHANGE_MARKS = { added: "+", removed: "-", changed: "~" } as const satisfies Readonly<
  Record<FieldDifference["change"], string>
>;
const TONES = { added: "good", removed: "bad", changed: "attention" } as const satisfies Readonly<
  Record<FieldDifference["change"], Tone>
>;

function changeRows(one: FieldDifference): PageRow[] {
  const { change, field, before, after } = one;
  const whole = before ?? after;
  if (field !== "" || !isJsonObject(whole) || isEmptyValue(whole)) {
    return [changeRow(change, field, [before, after])];
  }
  const filled = Object.entries(whole).filter(([, value]) => !isEmptyValue(value));
  return filled.map(([name, value]) => changeRow(change, name, [value]));
}

function changeRow(
  change: FieldDifference["change"],
  field: string,
  values: readonly unknown[],
): PageRow {
  const { label, name } = fieldWords(field);
  const text = valuesText(field, values);
  const named = name === undefined ? text : `${name}: ${text}`;
  return [`${CHANGE_MARKS[change]} ${label}`, toned(TONES[change], named)];
}

/** A difference in one line, for a list of them. */
export function changeText(one: FieldDifference): string {
  const { area, object, change, field, before, after } = one;
  const { label, name } = fieldWords(field);
  const place = object ?? (area === "connection" ? "connection" : "");
  const what = [place, name ?? (field === "" ? "" : label.toLowerCase())].filter(Boolean).join(" ");
  if (field === "" && object !== undefined) return `${area} of ${what} ${change}`;
  const note = change === "changed" ? "" : ` (${change})`;
  return `${what} ${valuesText(field, [before, after])}${note}`;
}

/** Both values, cut only behind MAX_VALUE: of shorter ones, a reader would not see what differs. */
function valuesText(field: string, values: readonly unknown[]): string {
  const known = values.filter((value) => value !== undefined);
  return known.map((value) => sideText(field, value)).join(" → ");
}

/** The label of a field; a long name, or one that the customer chose, goes before its value. */
function fieldWords(field: string): { readonly label: string; readonly name?: string } {
  if (field === "") return { label: "Value" };
  if (Object.hasOwn(FIELDS, field)) return { label: FIELDS[field] ?? field };
  const [map = "", ...name] = field.split(".");
  const label = Object.hasOwn(MAPS, map) ? MAPS[map] : undefined;
  if (label !== undefined && name.length > 0) return { label, name: name.join(".") };
  return field.length > MAX_LABEL ? { label: "Field", name: field } : { label: field };
}

function sideText(field: string, value: unknown): string {
  if (typeof value === "string" && STATE_FIELDS.has(field)) return value.replaceAll("_", " ");
  if (field.startsWith("selectedFields.")) return value === true ? "selected" : "not selected";
  if (field === "selectedFields" && isJsonObject(value)) {
    return Object.keys(value)
      .filter((name) => value[name] === true)
      .join(", ");
  }
  if (field === "disabled") return value === true ? "yes" : "no";
  const text = valueText(value);
  return text === "" ? '""' : shortened(text, MAX_VALUE);
}

/** The place of a difference, for `-o id`. */
export function diffId({ area, object, field }: FieldDifference): string {
  return [area, object, field].filter(Boolean).join("/");
}

/** The differences as rows for a program. */
export function diffRows({ changes }: InstallationDiff): ViewRows {
  const value = (one: unknown): Cell => (one === undefined ? "" : valueText(one));
  return rowsOfItems(
    changes,
    table<FieldDifference>(["difference", "differences"], {
      Change: "change",
      Area: "area",
      Object: ({ object }) => object,
      Field: "field",
      Before: ({ before }) => value(before),
      After: ({ after }) => value(after),
    }),
  );
}
