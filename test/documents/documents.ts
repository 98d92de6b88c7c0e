import * as z from "zod";
import { ACCOUNT_DOCUMENTS } from "../../src/documents/account.ts";
import { CASE_DOCUMENTS, CASE_PARTS } from "../../src/documents/case.ts";
import { EVENT_DOCUMENTS } from "../../src/documents/events.ts";
import { INSPECT_DOCUMENTS, INSPECT_PARTS } from "../../src/documents/inspect.ts";
import { NOTIFY_DOCUMENTS } from "../../src/documents/notify.ts";
import { ROUTING_DOCUMENTS, ROUTING_PARTS } from "../../src/documents/routing.ts";
import { RECORD_SCHEMAS } from "../../src/inspect/explained-records.ts";
import type { CommandPath } from "../../src/values/command-paths.ts";

export { WORDS } from "../../src/documents/routing.ts";

/** The JSON documents of amp by name: of one result, or of an item of a list. */
export const SCHEMAS = {
  ...RECORD_SCHEMAS,
  ...INSPECT_DOCUMENTS,
  ...CASE_DOCUMENTS,
  ...ROUTING_DOCUMENTS,
  ...NOTIFY_DOCUMENTS,
  ...EVENT_DOCUMENTS,
  ...ACCOUNT_DOCUMENTS,
} as const satisfies Readonly<Record<string, z.core.$ZodType>>;

/** Parts of several documents, by name. */
const PARTS = { ...INSPECT_PARTS, ...CASE_PARTS, ...ROUTING_PARTS } as const;

/** The name of a document. */
export type SchemaName = keyof typeof SCHEMAS;

/** The JSON of a command: one document, a list of them, one of several; or a text about another form. */
interface CommandDocument {
  readonly one?: SchemaName;
  readonly list?: SchemaName;
  /** The plan that it prints where nothing is created: with `--dry-run`, or only saved. */
  readonly plan?: SchemaName;
  /** Each line with `--watch`, where the command has it. */
  readonly watch?: SchemaName;
  /** What stdout is, where it is not described here. */
  readonly other?: string;
}

const one = (name: SchemaName, plan?: SchemaName): CommandDocument => ({
  one: name,
  ...(plan === undefined ? {} : { plan }),
});
const list = (name: SchemaName): CommandDocument => ({ list: name });
const other = (what: string): CommandDocument => ({ other: what });

/** The JSON that each command prints. */
export const DOCUMENTS: Readonly<Record<CommandPath, CommandDocument>> = {
  "projects list": list("project"),
  "projects get": one("project"),
  "integrations list": list("integration"),
  "integrations get": one("integration"),
  "apps list": list("providerApp"),
  "apps get": one("providerApp"),
  "apps lint": one("appsLint"),
  "providers list": list("provider"),
  "providers get": one("provider"),
  "providers compare": one("providerComparison"),
  "installations list": { list: "installation", watch: "installationChange" },
  "installations get": one("installation"),
  "installations operations": list("operation"),
  "installations logs": list("logEntry"),
  "installations pause": one("pausing"),
  "installations resume": one("pausing"),
  "installations summary": one("summary"),
  "installations diff": one("installationDiff"),
  "installations wait": one("wait"),
  "case create": one("case"),
  "case show": one("savedCase"),
  "case open": other("what the command prints that it runs"),
  "installations check": one("installationsCheck"),
  "connections list": list("connection"),
  "connections get": one("connection"),
  "invites list": list("invite"),
  "invites revoke": list("revocation"),
  "notify setup": one("setupReceipt", "setupPlan"),
  "notify plan": one("plan", "plans"),
  "notify apply": one("receipt", "plan"),
  "notify state list": list("stateEntry"),
  "notify state history": list("recordedRun"),
  "notify undo": one("receipt", "plan"),
  "notify state import": one("imported"),
  "notify state resolve": one("resolved"),
  "notify state forget": one("forgotten"),
  "notify state unlock": one("unlocked"),
  "notify schema": other("the JSON Schema of the routing file"),
  "notify export": other("a routing file, as `amp notify schema` describes it"),
  "notify state pull": other("the saved state, for `amp notify state push`"),
  "notify state push": one("pushed"),
  "notify events": list("eventType"),
  "notify graph": one("graph", "trace"),
  "notify check": one("check", "checks"),
  "notify test": one("routingTest"),
  "notify destinations create": one("destination"),
  "notify destinations list": list("destination"),
  "notify destinations get": one("shownDestination"),
  "notify destinations update": one("receipt", "plan"),
  "notify destinations delete": list("deletion"),
  "notify destinations secret": one("destinationSecret"),
  "notify topics create": one("topic"),
  "notify topics list": list("topic"),
  "notify topics get": one("shownTopic"),
  "notify topics update": one("receipt", "plan"),
  "notify topics delete": list("deletion"),
  "notify routes create": one("route"),
  "notify routes list": list("route"),
  "notify routes delete": list("deletion"),
  "webhooks test": one("receiverTest"),
  listen: one("listened", "plan"),
  "webhooks verify": one("verifiedCapture"),
  trigger: one("shownEvent"),
  "sandbox start": one("sandbox"),
  "sandbox deliveries": list("shownAttempt"),
  "sandbox reset": one("acted"),
  "sandbox forward": one("acted"),
  "sandbox fail": one("acted"),
  "sandbox pause": one("acted"),
  "sandbox resume": one("acted"),
  "sandbox export": other("a seed file for `amp sandbox start --world`"),
  "auth login": one("loggedIn"),
  "auth logout": one("profileName"),
  "auth list": list("profile"),
  "auth switch": one("profileName"),
  "auth rename": one("renamed"),
  "auth status": one("loginStatus"),
  doctor: one("loginStatus"),
  "auth default": list("profileSetting"),
  "auth protect": one("guardedProfile"),
  "auth token": one("token"),
  trust: list("trustedFile"),
  api: other("the answer of the service"),
  explain: list("explanation"),
  completion: other("a script, not JSON"),
  commands: list("command"),
  version: one("version"),
};

/** Whether a document is a record of the service, which may be other than specified. */
export function isRecord(name: SchemaName): boolean {
  return Object.hasOwn(RECORD_SCHEMAS, name) || name.startsWith("shown") || name === "route";
}

/** The documents that have the fields of another one: `all`, or each only where it was asked for. */
export const EXTENDED: Readonly<
  Partial<Record<SchemaName, { readonly base: SchemaName; readonly has: "all" | "some" }>>
> = {
  setupPlan: { base: "plan", has: "all" },
  setupReceipt: { base: "receipt", has: "all" },
  shownDestination: { base: "destination", has: "all" },
  shownTopic: { base: "topic", has: "all" },
  savedCase: { base: "case", has: "some" },
};

/** JSON Schema, as far as amp's documents have it; `meanings`, `kind` and `source` are amp's own. */
export interface Definition {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly required?: readonly string[];
  readonly items?: Definition;
  readonly allOf?: readonly Definition[];
  readonly anyOf?: readonly Definition[];
  readonly oneOf?: readonly Definition[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly meanings?: Readonly<Record<string, string>>;
}

function definitions(): Readonly<Record<string, Definition>> {
  const named: Readonly<Record<string, z.core.$ZodType>> = { ...SCHEMAS, ...PARTS };
  for (const [id, schema] of Object.entries(named)) {
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  }
  const whole = z.toJSONSchema(z.object(named), { unrepresentable: "any" });
  const all = JSON.parse(JSON.stringify(whole.$defs), plain) as Record<string, Definition>;
  return Object.fromEntries(
    Object.keys(named).map((name) => [name, extended(all, name as SchemaName)]),
  );
}

/** A document that refers to the fields of the one that it extends. */
function extended(all: Readonly<Record<string, Definition>>, name: SchemaName): Definition {
  const { base, has } = EXTENDED[name] ?? {};
  const { properties = {}, required = [], ...definition } = all[name] ?? {};
  if (base === undefined) return all[name] ?? {};
  const known = all[base]?.properties ?? {};
  const own = Object.entries(properties).filter(([field]) => !Object.hasOwn(known, field));
  const shared = Object.keys(properties).filter((field) => Object.hasOwn(known, field));
  const inherited = shared.map((field) => [field, { $ref: `#/$defs/${base}/properties/${field}` }]);
  return {
    ...definition,
    ...(has === "all" && { allOf: [{ $ref: `#/$defs/${base}` }] }),
    properties: Object.fromEntries([...(has === "all" ? [] : inherited), ...own]),
    required: required.filter((field) => has === "some" || !Object.hasOwn(known, field)),
  };
}

/** What zod writes of every number, map and object, and says nothing. */
const NOTHING: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === "string",
  minimum: (value) => value === Number.MIN_SAFE_INTEGER,
  maximum: (value) => value === Number.MAX_SAFE_INTEGER,
  propertyNames: (value) => JSON.stringify(value) === '{"type":"string"}',
  required: (value) => JSON.stringify(value) === "[]",
  // What amp adds later must pass.
  additionalProperties: (value) => value === false || JSON.stringify(value) === "{}",
};

/** A node of JSON Schema without what says nothing, and with null as one of the types. */
function plain(key: string, value: unknown): unknown {
  if (NOTHING[key]?.(value)) return undefined;
  const { anyOf: [first, second, ...more] = [], ...rest } = (value ?? {}) as Definition;
  const isNullable =
    second?.type === "null" && more.length === 0 && typeof first?.type === "string";
  if (!isNullable || first.enum !== undefined) return value;
  return { ...first, type: [first.type, "null"], ...rest };
}

/** Each document and each part of several as JSON Schema; they refer to each other. */
export const DEFINITIONS = definitions();

/** The top-level fields of a document, of each of its forms. */
export function fieldsOf(name: string): readonly string[] {
  const { properties, allOf = [], anyOf = [], oneOf = [] } = DEFINITIONS[name] ?? {};
  const others = [...allOf, ...anyOf, ...oneOf].flatMap((one) =>
    one.$ref === undefined
      ? Object.keys(one.properties ?? {})
      : fieldsOf(one.$ref.replace("#/$defs/", "")),
  );
  return [...new Set([...others, ...Object.keys(properties ?? {})])];
}

/** The module of `src` that has the fields of each result, for help. */
export function resultFieldsModule(): string {
  const printed = Object.values(DOCUMENTS).flatMap(({ one, list, plan }) => [one, list, plan]);
  const names = new Set(
    [...Object.keys(RECORD_SCHEMAS), ...printed].filter((name) => name !== undefined),
  );
  const lines = [...names].map((name) => `  ${name}: words("${fieldsOf(name).join(" ")}"),`);
  return `// biome-ignore-all format: generated from src/documents by \`npm run generate\`; do not edit.

/** The top-level fields of each result, by the name of its document: help lists them without zod. */
export const RESULT_FIELDS = {
${lines.join("\n")}
} as const;

function words(names: string): readonly string[] {
  return names.split(" ");
}
`;
}

/** Whether it is a keyword of amp's own, which validators refuse; fields may have such names, too. */
function isOwnKeyword(key: string, value: unknown): boolean {
  return key === "meanings" || (["kind", "source"].includes(key) && typeof value === "string");
}

/** The documents as one JSON Schema, one definition a line. */
export function documentsJsonSchema(): string {
  const published = (key: string, value: unknown) => (isOwnKeyword(key, value) ? undefined : value);
  const lines = Object.entries(DEFINITIONS).map(
    ([name, definition]) => `${JSON.stringify(name)}:${JSON.stringify(definition, published)}`,
  );
  return `{
"$schema":"https://json-schema.org/draft/2020-12/schema",
"title":"The JSON documents of amp",
"$defs":{
${lines.join(",\n")}
}}
`;
}
