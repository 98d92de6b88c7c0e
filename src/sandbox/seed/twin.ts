import { createHmac } from "node:crypto";
import * as states from "../../api/schemas/installation.ts";
import { cleanEvidence } from "../../secrets/evidence.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { defined, isJsonObject } from "../../values/json.ts";
import type { StoryName } from "./stories.ts";

type Listed = Readonly<Record<string, unknown>>;
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The fields that are copied of the records of each list; others may say anything. */
const LISTS = {
  integration: setOf("id name provider createTime"),
  destination: setOf("id name type createTime updateTime"),
  topic: setOf("id name createTime updateTime"),
  "event-route": setOf("id eventType topicId createTime"),
  "destination-route": setOf("id topicId destinationId createTime"),
  installation: setOf(
    "id integrationId healthStatus lastOperationStatus group connection config createTime createdBy updateTime",
  ),
};
type List = keyof typeof LISTS;

/** The fields that are copied of the objects inside records, by their kinds. */
const WORDS = setOf("provider type eventType objectName selectedFieldsAuto");
const VALUES = setOf("disabled enabled days fullHistory");
const INSIDE = setOf(
  `id revisionId createTime createdBy status authScheme group groupRef groupName consumer consumerRef consumerName content read write subscribe proxy objects schedule destination selectedFields selectedFieldMappings backfill defaultPeriod ${[...WORDS, ...VALUES].join(" ")}`,
);
/** The objects whose keys are names at the provider. */
const MAPS = setOf("objects selectedFields selectedFieldMappings");
const STATES: ReadonlySet<string> = new Set([
  ...[...states.HEALTH, ...states.OPERATION_STATUS],
  ...[...states.CONNECTION_STATUS, ...states.AUTH_SCHEMES],
]);

/** A word of a format, such as `contacts` or `crm.deals`. */
const WORD = /^[\w./-]{1,80}$/u;
const CRON = /^[\d*/,?#LW -]{1,60}$|^@[a-z]{4,8}$/u;
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/u;
const ADDRESS = /^(?:(amqps?)|[a-z][a-z\d+.-]*):\/\//iu;
/** The parts of a name that are looked for in other texts; shorter ones are parts of words. */
const MIN_PART = 4;

type ProjectLists = Readonly<Record<Exclude<List, "installation">, readonly Listed[]>> & {
  readonly project: Listed;
  readonly installation: AsyncIterable<readonly Listed[]>;
};

/** How names are written: equal keys give equal pseudonyms. */
interface TwinOptions {
  readonly key: string;
  readonly keepNames: boolean;
  readonly now: Date;
}

/**
 * The seed of a sandbox like a project: its records with their IDs, and only the fields that are
 * known here. What a customer or builder wrote is a pseudonym, unless it is a word of the format or
 * of a provider.
 */
export async function twinOf(lists: ProjectLists, options: TwinOptions): Promise<object> {
  const twin = new Twin(options);
  const { id, name, appName = name, orgId, createTime } = lists.project;
  const org = { id: twin.id(orgId), createTime: twin.time(createTime) };
  const projectId = twin.id(id);
  const record = (list: List, one: Listed, needed: Listed = {}) => {
    const own = { id: twin.id(one.id), projectId, createTime: twin.time(one.createTime) };
    const named = LISTS[list].has("name") ? { name: twin.name(list, one.name || one.id) } : {};
    return { ...own, ...named, ...needed, ...twin.fields(one, LISTS[list], list) };
  };
  const installations: states.Installation[] = [];
  // Only the copies are kept: records of the service have many more fields.
  for await (const batch of lists.installation) {
    for (const one of batch) {
      const needed = { healthStatus: "healthy", createdBy: "builder:unknown" };
      installations.push(record("installation", one, needed) as unknown as states.Installation);
    }
  }
  const [project, app] = [twin.name("project", name), twin.name("app", appName)];
  return {
    projects: [{ ...org, id: projectId, name: project, appName: app, orgId: org.id }],
    orgs: [{ ...org, name: twin.pseudonym("org", orgId) }],
    integrations: lists.integration.map((one) => {
      const made = record("integration", one, { provider: "unknown" });
      const revision = { id: twin.id(Object(one.latestRevision).id), createTime: made.createTime };
      return { ...made, latestRevision: { ...revision, specVersion: "1.0.0", content: {} } };
    }),
    destinations: lists.destination.map((one) => {
      const metadata = Object(twin.metadata("metadata", one.metadata));
      return { ...record("destination", one, { type: "unknown" }), metadata };
    }),
    topics: lists.topic.map((one) => record("topic", one)),
    eventRoutes: lists["event-route"].map((one) => record("event-route", one)),
    destinationRoutes: lists["destination-route"].map((one) => record("destination-route", one)),
    installations,
    activity: {
      present: options.now.toISOString(),
      stories: Object.fromEntries(installations.map((one) => [one.id, storyOf(one)])),
    },
  };
}

class Twin {
  readonly #options: TwinOptions;

  constructor(options: TwinOptions) {
    this.#options = options;
  }

  /** The fields of a record, or of an object in it, that may be copied. */
  fields(value: Listed, known: ReadonlySet<string>, kind = "", names = this.#names(value)): Listed {
    const made = [...known].map((key) => [key, this.#field(key, value[key], kind, names)]);
    return defined(Object.fromEntries(made));
  }

  #field(key: string, value: unknown, kind: string, names: readonly string[]): unknown {
    if (isJsonObject(value)) {
      return MAPS.has(key) ? this.#map(value, names) : this.fields(value, INSIDE, kind, names);
    }
    if (VALUES.has(key) && typeof value !== "object") return value;
    if (typeof value !== "string") return undefined;
    if (/^id$|Id$/u.test(key)) return this.id(value);
    if (key.endsWith("Time")) return this.time(value);
    if (key === "name") return this.name(kind, value || undefined);
    if (key === "destination") return this.name("destination", value);
    if (key.startsWith("group")) return this.name("customer", value);
    if (key.startsWith("consumer")) return this.pseudonym("person", value);
    if (key === "createdBy") {
      const [, role = "consumer", who = value] = /^(consumer|builder):(.*)$/su.exec(value) ?? [];
      return `${role}:${this.pseudonym("person", who)}`;
    }
    if (key === "schedule") return CRON.test(value) ? value : undefined;
    if (WORDS.has(key)) return this.#word(value, key === "objectName" ? names : []);
    return STATES.has(value) ? value : undefined;
  }

  #map(value: Listed, names: readonly string[]): Listed {
    const made = Object.entries(value).map(([name, item]) => {
      const kept = typeof item === "string" ? this.#word(item, names) : item;
      const inner = typeof kept === "object" ? this.fields(Object(kept), INSIDE, "", names) : kept;
      return [this.#word(name, names), inner];
    });
    return Object.fromEntries(made);
  }

  /** A part of the metadata of a destination. An address has the host and path of nobody. */
  metadata(name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.metadata(name, item));
    if (isJsonObject(value)) {
      const made = Object.entries(value).map(([key, item]) => {
        return [this.#word(key), name === "headers" ? REDACTED : this.metadata(key, item)];
      });
      return Object.fromEntries(made);
    }
    if (typeof value !== "string" || REGION.test(value)) return value;
    if (this.#options.keepNames && isClean(value)) return value;
    const [isAddress, broker = "https"] = ADDRESS.exec(value) ?? [];
    if (!isAddress) return this.pseudonym(this.#word(name), value);
    return `${broker}://${this.pseudonym("host", value)}.example/amp`;
  }

  name(kind: string, real: unknown): string {
    const isKept = this.#options.keepNames && typeof real === "string" && isClean(real);
    return isKept ? real : this.pseudonym(kind, real);
  }

  /** A word of a format or of a provider; anything else is a pseudonym. */
  #word(text: string, names: readonly string[] = []): string {
    const isWord = WORD.test(text) && !names.some((name) => text.toLowerCase().includes(name));
    return isWord && isClean(text) ? text : this.pseudonym("text", text);
  }

  /** An ID: the service made it, and further commands find by it. */
  id(id: unknown): string {
    if (typeof id === "string" && /^[\w-]{1,64}$/u.test(id) && isClean(id, "records")) return id;
    const hex = this.#digest("id", id);
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/su, "$1-$2-4$3-8$4-$5");
  }

  pseudonym(kind: string, real: unknown): string {
    return `${kind}-${this.#digest(kind, real).slice(0, 10)}`;
  }

  #digest(kind: string, real: unknown): string {
    const text = JSON.stringify([kind, real ?? ""]);
    return createHmac("sha256", this.#options.key).update(text).digest("hex");
  }

  time(time: unknown): string {
    const read = Date.parse(String(time));
    return (Number.isNaN(read) ? this.#options.now : new Date(read)).toISOString();
  }

  /** The names of a customer and their words, by which other texts of its records are searched. */
  #names({ group, connection }: Listed): readonly string[] {
    if (this.#options.keepNames) return [];
    const { group: own, consumer } = Object(connection) as Listed;
    const all = [group, own, consumer].flatMap((one) => Object.entries(Object(one)));
    const names = all.flatMap(([key, name]) => (/Name$|Ref$/u.test(key) ? String(name) : []));
    const parts = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
    return parts.filter(({ length }) => length >= MIN_PART).map((part) => part.toLowerCase());
  }
}

/** The story that fits what an installation shows of its health. */
function storyOf(one: states.Installation): StoryName {
  const { healthStatus, lastOperationStatus: last, connection } = one;
  if (connection.status === "bad_credentials") return "credentials";
  if (healthStatus === "unhealthy") return last === "success" ? "recovering" : "field";
  return last === undefined ? "unused" : "fine";
}

/** Whether the redaction of a case leaves a text as it is, and the client took nothing out of it. */
function isClean(text: string, holds: "prose" | "records" = "prose"): boolean {
  if (text.includes(REDACTED)) return false;
  return cleanEvidence([{ where: "", body: text, holds }]).bodies[0] === text;
}
