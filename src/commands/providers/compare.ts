import type { Provider } from "../../api/schemas/provider.ts";
import {
  type Block,
  type Cell,
  cellText,
  choice,
  defineCommand,
  list,
  type Page,
  type PageRow,
  record,
  required,
  rows,
  rowsOfItems,
  table,
  text,
  toned,
  type ViewRows,
  valueText,
} from "../../cli/define.ts";
import type { ProviderComparison, ProviderDifference } from "../../documents/inspect.ts";
import { authRows, capabilities, inputRows } from "../../inspect/provider-page.ts";
import { providerByName } from "../../inspect/providers.ts";
import { asList } from "../../values/basics.ts";
import { counted } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

/** The capabilities by which providers are chosen (spec 2.2). */
const CAPABILITIES = [
  "read",
  "write",
  "delete",
  "subscribe",
  "proxy",
  "search:equals",
  "bulk:insert",
  "bulk:update",
  "bulk:upsert",
  "bulk:delete",
  "subscribe:create",
  "subscribe:update",
  "subscribe:delete",
  "subscribe:passThrough",
  "batch:create",
  "batch:update",
  "batch:upsert",
  "batch:delete",
] as const;

export default defineCommand({
  description:
    "Shows the differences in capabilities, authentication and required input. Providers are found by name or display name.",
  args: {
    provider: required(text("provider name or display name")),
    other: required(text("provider to compare it with")),
  },
  options: {
    require: list(
      choice("exit with code 8 unless both providers support these", CAPABILITIES, {
        placeholder: "capability",
      }),
    ),
  },
  examples: [
    "amp providers compare hubspot salesforce",
    "amp providers compare hubspot zendesk --require read,proxy",
  ],
  fields: RESULT_FIELDS.providerComparison,
  exits: {
    check: "a provider does not support what --require lists",
    conflict: "several providers match",
  },
  run: async (context): Promise<ProviderComparison> => {
    const { api, args, options } = context;
    // One after the other: a terminal may ask which one is meant.
    const one = await providerByName(api, args.provider, context);
    const other = await providerByName(api, args.other, context);
    return compareProviders(one, other, options.require);
  },
  exit: ({ required: all }) => (all.every((one) => one.first && one.second) ? "ok" : "check"),
  view: record(
    providerComparisonPage,
    ({ first, second }) => [first.name, second.name],
    providerComparisonRows,
  ),
});

type Capability = (typeof CAPABILITIES)[number];

type Area = ProviderDifference["area"];
type Properties = ReadonlyMap<string, string>;

/** Compares what two providers can do, and what it takes to connect to them. */
export function compareProviders(
  one: Provider,
  other: Provider,
  require: readonly Capability[],
): ProviderComparison {
  const [first, second] = [one, other].map(capabilitiesOf) as [Properties, Properties];
  const has = (side: Properties, capability: string) => side.get(capability) === "yes";
  const both = (isWanted: boolean) =>
    [...first.keys()].filter(
      (name) => second.has(name) && has(first, name) === isWanted && has(second, name) === isWanted,
    );
  return {
    first: sideOf(one),
    second: sideOf(other),
    differences: [
      ...differences("capability", first, second),
      ...differences("authentication", authOf(one), authOf(other)),
      ...differences("input", textsOf(inputRows(one)), textsOf(inputRows(other))),
    ],
    bothSupport: both(true),
    neitherSupports: both(false),
    required: require.map((capability) => ({
      capability,
      first: has(first, capability),
      second: has(second, capability),
    })),
  };
}

function sideOf({ name, displayName }: Provider): ProviderComparison["first"] {
  return { name, ...(displayName && displayName !== name ? { displayName } : {}) };
}

function capabilitiesOf({ support }: Provider): Properties {
  return new Map(
    capabilities(support).flatMap(([name, flag]) =>
      typeof flag === "boolean" ? [[name, flag ? "yes" : "no"] as const] : [],
    ),
  );
}

function authOf(provider: Provider): Properties {
  const { oauth2Opts } = provider;
  // The live platform says the grant; the specification does not.
  const grant = (oauth2Opts as { readonly grantType?: unknown } | null | undefined)?.grantType;
  return new Map([
    ["Authentication", provider.authType],
    ...(typeof grant === "string" ? [["Grant", grant] as const] : []),
    ...textsOf(authRows(provider)),
  ]);
}

function textsOf(all: readonly PageRow[]): Properties {
  return new Map(
    all.map(([label, value]) => [label, asList(value).map(cellText).filter(Boolean).join("; ")]),
  );
}

function differences(area: Area, first: Properties, second: Properties): ProviderDifference[] {
  const names = [...new Set([...first.keys(), ...second.keys()])];
  return names.flatMap((property) => {
    const [one, other] = [first.get(property), second.get(property)];
    return one === other ? [] : defined({ area, property, first: one, second: other });
  });
}

const AREAS = {
  capability: "Capabilities",
  authentication: "Authentication",
  input: "Required input",
} as const satisfies Readonly<Record<Area, string>>;

/** The comparison side by side: what differs by area, then what is the same. */
function providerComparisonPage(comparison: ProviderComparison): Page {
  const { first, second, differences: all, bothSupport, neitherSupports, required } = comparison;
  const names = [first, second].map(({ name, displayName }) => displayName ?? name);
  const missing = required.filter((one) => !(one.first && one.second));
  const grid = (heading: string, lines: Cell[][]) =>
    ({ kind: "grid", heading, columns: ["Capability", ...names], rows: lines }) as const;
  const mark = (isThere: boolean) => (isThere ? toned("good", "yes") : toned("bad", "no"));
  return {
    title:
      all.length === 0
        ? toned("good", `${names.join(" and ")} do not differ`)
        : `${names.join(" and ")}: ${counted(all.length, "difference")}`,
    ...(required.length === 0
      ? {}
      : { aside: `${missing.length} of ${required.length} required missing` }),
    blocks: [
      grid(
        "Required",
        required.map((one) => [one.capability, mark(one.first), mark(one.second)]),
      ),
      ...Object.entries(AREAS).map(([area, heading]): Block => {
        const found = all.filter((one) => one.area === area);
        return area === "capability"
          ? { ...grid(heading, found.map(gridRow)), inRows: true }
          : { kind: "rows", heading, rows: found.map((one) => textRow(one, names)), inRows: true };
      }),
      rows([
        ["Both support", bothSupport.join(", ") || "nothing"],
        ["Neither supports", neitherSupports.join(", ") || undefined],
      ]),
    ],
  };
}

function gridRow({ property, first, second }: ProviderDifference): Cell[] {
  return [property, first ?? notSaid(), second ?? notSaid()];
}

/** Long values below each other, whole: of two cut ones, a reader would not see what differs. */
function textRow(
  { property, first, second }: ProviderDifference,
  names: readonly string[],
): PageRow {
  const [one = "", other = ""] = names;
  return [
    property,
    [
      ...(first === undefined ? [] : [`${one}: ${first}`]),
      ...(second === undefined ? [] : [`${other}: ${second}`]),
    ],
  ];
}

function notSaid(): Cell {
  return toned("dim", "not specified");
}

function providerComparisonRows({ differences: all }: ProviderComparison): ViewRows {
  return rowsOfItems(
    all,
    table<ProviderDifference>(["difference", "differences"], {
      Area: "area",
      Property: "property",
      First: ({ first }) => first && valueText(first),
      Second: ({ second }) => second && valueText(second),
    }),
  );
}
