import type { Endpoint } from "../../api/operations/endpoint.ts";
import {
  createDestination,
  createDestinationRoute,
  createEventRoute,
  createTopic,
  deleteDestination,
  deleteDestinationRoute,
  deleteEventRoute,
  deleteTopic,
  listDestinationRoutes,
  listDestinations,
  listEventRoutes,
  listTopics,
  updateDestination,
  updateTopic,
} from "../../api/operations/endpoints.ts";
import { plainText } from "../../values/json.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { deliversTo, redactMetadata, registerMetadataSecrets } from "./metadata.ts";

/** A record of the service. All fields but the ID may be missing. */
export interface LiveRecord {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly topicId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  readonly destinationId?: string | null | undefined;
  readonly createTime?: string | null | undefined;
  readonly [field: string]: unknown;
}

/**
 * A field that identifies a resource. The fields of a kind are its natural key at the service, its
 * address in amp, and what a create must send.
 */
interface KeyField<Kind extends string = string> {
  /** The service's name of the field. */
  readonly field: string;
  /** The kind of resource whose ID the field holds; absent where the field holds a plain value. */
  readonly references?: NoInfer<Kind>;
  /** Label of the field in tables and pages. */
  readonly label: string;
}

/** The path of every operation on routing. */
export type ProjectPath = `/projects/{projectIdOrName}/${string}`;

// biome-ignore lint/suspicious/noExplicitAny: bodies and queries differ by kind, and are on both sides of a schema's type
type RoutingEndpoint<Answer> = Endpoint<ProjectPath, any, any, Answer>;

interface ResourceType<Kind extends string = string> {
  /** The words for one resource and for several. */
  readonly words: readonly [one: string, many: string];
  /** The top-level fields of a record at the service. */
  readonly fields: readonly string[];
  readonly key: readonly KeyField<Kind>[];
  /** The live platform's rule for names: questions check it early, but the service decides. */
  readonly nameRule?: { readonly pattern: RegExp; readonly problem: string };
  readonly create: RoutingEndpoint<LiveRecord>;
  /** The list endpoint; a service that offers no more than the specification does not have it. */
  readonly list: RoutingEndpoint<readonly LiveRecord[]>;
  /** The delete endpoint, by ID; a service of the specification alone does not have it. */
  readonly delete: RoutingEndpoint<unknown>;
  /** The update endpoint, by ID; in a kind without one a new record replaces the old one. */
  readonly update?: RoutingEndpoint<unknown>;
  /**
   * The field of the update's body with the record, beside a mask; absent: the body is the record.
   */
  readonly updateIn?: string;
  /** Further columns of tables and pages. */
  readonly details?: Readonly<Record<string, (record: LiveRecord) => string | null | undefined>>;
  /** Registers the credentials in a body, so that amp never shows them. */
  readonly registerSecrets?: (body: Readonly<Record<string, unknown>>) => void;
  /** Hides the credentials in an answer; absent where there are none. */
  readonly redact?: <Shown extends LiveRecord>(record: Shown) => Shown;
}

/** Keeps the kinds as literal types, and checks that references name kinds of the table. */
function resourceTable<const Kind extends string>(
  table: Readonly<Record<Kind, ResourceType<Kind>>>,
): Readonly<Record<Kind, ResourceType<Kind>>> {
  return table;
}

const NAME = { field: "name", label: "Name" } as const;
const TOPIC_ID = { field: "topicId", references: "topic", label: "Topic" } as const;

/** The kinds of resources, in the order of creation: those that others reference come first. */
export const RESOURCES = resourceTable({
  destination: {
    words: ["destination", "destinations"],
    fields: RESULT_FIELDS.destination,
    key: [NAME],
    nameRule: {
      pattern: /^[A-Za-z0-9-]+$/u,
      problem: "Only letters, digits and dashes are allowed",
    },
    create: createDestination,
    list: listDestinations,
    update: updateDestination,
    updateIn: "destination",
    delete: deleteDestination,
    details: { Type: ({ type }) => type, "Delivers to": deliversTo },
    registerSecrets: ({ type, metadata }) => registerMetadataSecrets(plainText(type), metadata),
    redact: redactMetadata,
  },
  topic: {
    words: ["topic", "topics"],
    fields: RESULT_FIELDS.topic,
    key: [NAME],
    nameRule: {
      pattern: /^[A-Za-z0-9-]{1,64}$/u,
      problem: "Only letters, digits and dashes are allowed, at most 64 characters",
    },
    create: createTopic,
    list: listTopics,
    update: updateTopic,
    delete: deleteTopic,
  },
  "event-route": {
    words: ["event route", "event routes"],
    fields: RESULT_FIELDS.eventRoute,
    key: [TOPIC_ID, { field: "eventType", label: "Event" }],
    create: createEventRoute,
    list: listEventRoutes,
    delete: deleteEventRoute,
  },
  "destination-route": {
    words: ["destination route", "destination routes"],
    fields: RESULT_FIELDS.destinationRoute,
    key: [TOPIC_ID, { field: "destinationId", references: "destination", label: "Destination" }],
    create: createDestinationRoute,
    list: listDestinationRoutes,
    delete: deleteDestinationRoute,
  },
});

/** A kind of resource. */
export type ResourceKind = keyof typeof RESOURCES;

/** The keys of the routing model, and of its file, below which a person names resources. */
export const NAMED_GROUPS = {
  destination: "destinations",
  topic: "topics",
} as const satisfies Partial<Record<ResourceKind, string>>;

/** The kinds of resources that a person names. */
export type NamedKind = keyof typeof NAMED_GROUPS;

/** The kinds of resources that connect others. */
export type RouteKind = Exclude<ResourceKind, NamedKind>;

/** The kinds of resources that a person names, in the order of creation. */
export const NAMED_KINDS = Object.keys(NAMED_GROUPS) as readonly NamedKind[];

/** The kinds in the order of creation. */
export const RESOURCE_ORDER = Object.keys(RESOURCES) as readonly ResourceKind[];

/**
 * The kinds in groups, in the order of creation: a group references only groups before it, so its
 * resources can be created in parallel.
 */
export const RESOURCE_LAYERS: readonly (readonly ResourceKind[])[] = Map.groupBy(
  RESOURCE_ORDER,
  depthOf,
)
  .values()
  .toArray();

function depthOf(kind: ResourceKind): number {
  const below = referencesOf(kind).map((referenced) => depthOf(referenced) + 1);
  return Math.max(0, ...below);
}

/** The kinds that a kind references. */
export function referencesOf(kind: ResourceKind): readonly ResourceKind[] {
  return RESOURCES[kind].key.flatMap(({ references }) => references ?? []);
}

interface ShownField extends Pick<KeyField, "field" | "label" | "references"> {
  readonly textOf: (record: LiveRecord) => string | undefined;
}

/** The key of a kind as it is shown: plain values first, then the IDs of referenced resources. */
export function shownKey(kind: ResourceKind): readonly ShownField[] {
  return [...RESOURCES[kind].key]
    .sort((a, b) => Number(a.references !== undefined) - Number(b.references !== undefined))
    .map((shown) => ({
      ...shown,
      textOf: ({ [shown.field]: value }) => (typeof value === "string" ? value : undefined),
    }));
}
