import * as z from "zod";
import { ACCOUNT_DOCUMENTS } from "../../src/documents/account.ts";
import { CASE_DOCUMENTS } from "../../src/documents/case.ts";
import { EVENT_DOCUMENTS } from "../../src/documents/events.ts";
import { INSPECT_DOCUMENTS } from "../../src/documents/inspect.ts";
import { NOTIFY_DOCUMENTS } from "../../src/documents/notify.ts";
import { ROUTING_DOCUMENTS } from "../../src/documents/routing.ts";
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
  "notify plan": one("plan"),
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
  "notify check": one("check"),
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
  "auth login": one("loggedIn"),
  "auth logout": one("profileName"),
  "auth list": list("profile"),
  "auth switch": one("profileName"),
  "auth rename": one("renamed"),
  "auth status": one("loginStatus"),
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

/** Each document as JSON Schema. */
export function definitions(): Readonly<Record<string, object>> {
  const entries = Object.entries(SCHEMAS).map(([name, schema]) => {
    const whole = z.toJSONSchema(schema as z.core.$ZodType, { unrepresentable: "any" });
    // A document with an ID is a definition beside those that contain it, which refer to it.
    const { $schema: _, $defs: __, id: ___, ...definition } = whole.$defs?.[name] ?? whole;
    return [name, definition];
  });
  return Object.fromEntries(entries);
}

/** Keywords that the schemas have for amp alone. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(["meanings", "kind", "source"]);

/** The documents as one JSON Schema, each below `$defs`. */
export function documentsJsonSchema(): object {
  // Validators refuse keywords that JSON Schema does not have, and what amp adds later must pass.
  const published = (key: string, value: unknown) =>
    OWN_KEYWORDS.has(key) || (key === "additionalProperties" && value === false)
      ? undefined
      : value;
  return JSON.parse(
    JSON.stringify(
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        title: "The JSON documents of amp",
        $defs: definitions(),
      },
      published,
    ),
  );
}
