import type * as z from "zod/mini";
import { destinationType, UPDATE_FIELDS } from "../../api/catalogue/destination-types.ts";
import { EVENT_TYPES, eventType } from "../../api/catalogue/events.ts";
import {
  createDestinationBody,
  createDestinationRouteBody,
  createEventRouteBody,
  createTopicBody,
  updateDestinationBody,
  updateTopicBody,
} from "../../api/schemas/notification.ts";
import {
  assertNameIsFree,
  type BodyRules,
  destinationContentRules,
  destinationNameRules,
  issueInBody,
  masked,
  maskIssues,
  parseBody,
  specDestinationRules,
  topicNameRules,
} from "../body.ts";
import { rotated, signingKey } from "../events/delivery.ts";
import {
  hasValues,
  type Operation,
  type OperationCall,
  ofProject,
  platform,
  projectOf,
  queryFilters,
  recordInPath,
  spec,
  throwNotFound,
} from "../operation.ts";
import { invalidInput } from "../problem.ts";
import { addRecord, type NewRecord, updateRecord } from "../store.ts";
import type { RoutingList, World, WorldDestination } from "../world.ts";

/** The rules by which records of one kind are created, listed and deleted. */
interface RecordKind<List extends RoutingList> {
  readonly list: List;
  readonly noun: string;
  readonly path: string;
  readonly schema: z.ZodMiniType<Omit<NewRecord<List>, "projectId">>;
  /** Rules for the body of a create beyond its schema. */
  readonly rules?: (call: OperationCall) => BodyRules;
  /**
   * Checks a new record.
   * @throws {Refusal} where the world cannot have it
   */
  readonly check: (world: World, record: NewRecord<List>, call: OperationCall) => void;
  readonly filters?: readonly Extract<keyof World[List][number], string>[];
  /** The record as it is returned; absent: all of its fields. */
  readonly show?: (record: World[List][number]) => unknown;
  /** The field by which routes name a record. */
  readonly routeKey?: "topicId" | "destinationId";
}

const subsystem = "notifications";

/** The operations of one kind; the spec has the create alone. */
function operationsOf<List extends RoutingList>(kind: RecordKind<List>): Operation[] {
  const { list, noun, show = (record) => record } = kind;
  const path = `/projects/{projectIdOrName}/${kind.path}` as const;
  const recordsOf = (world: World): readonly World[List][number][] => world[list];
  return [
    spec(subsystem, `POST ${path}`, async (call) => {
      const projectId = projectOf(call).id;
      const body = parseBody(kind.schema, await call.body(), kind.rules?.(call));
      const facts = { ...body, projectId } as NewRecord<List>;
      const record = await call.store.change((world) => {
        kind.check(world, facts, call);
        return addRecord(world, list, facts, call.now());
      });
      return show(record);
    }),
    platform(subsystem, `GET ${path}`, (call) => {
      const records = ofProject(call, recordsOf(call.store.world));
      const wanted = queryFilters<string>(call, kind.filters ?? []);
      return records.filter((record) => hasValues(record, wanted)).map(show);
    }),
    platform(subsystem, `DELETE ${path}/{id}`, async (call) => {
      await call.store.change((world) => {
        const { id } = recordInPath(call, noun, recordsOf(world));
        return { world: without(world, kind, id), result: undefined };
      });
    }),
  ];
}

/**
 * A world without a record and its routes. The platform declares no answer to a delete but 204 and
 * 404, so a record with routes is not refused.
 */
function without<List extends RoutingList>(
  world: World,
  { list, routeKey }: Pick<RecordKind<List>, "list" | "routeKey">,
  id: string,
): World {
  const isOther = (route: object) =>
    routeKey === undefined || !hasValues(route, { [routeKey]: id });
  return {
    ...world,
    eventRoutes: world.eventRoutes.filter(isOther),
    destinationRoutes: world.destinationRoutes.filter(isOther),
    [list]: world[list].filter((each) => each.id !== id),
  };
}

/** The destination as the platform returns it, without its project and its secrets. */
function publicDestination({ projectId, secrets, previousKey, ...rest }: WorldDestination) {
  return rest;
}

/** The name is the parameter, where DELETE takes the ID: the platform's own trap. */
const getDestination = platform(
  subsystem,
  "GET /projects/{projectIdOrName}/destinations/{name}",
  async (call) => {
    projectOf(call);
    const given = queryFilters(call, ["rotate", "includeSecrets"]);
    const wrong = Object.entries(given).filter(
      ([, value]) => value !== "true" && value !== "false",
    );
    if (wrong.length > 0) {
      const detail = "must be true or false";
      throw invalidInput(wrong.map(([name, value]) => ({ in: "query", name, value, detail })));
    }
    const findIn = ({ destinations }: World) =>
      recordInPath(call, "destination", destinations, "name");
    if (given.rotate === "true") {
      await call.store.change((world) => {
        const current = findIn(world);
        const now = call.now();
        const facts = { sequence: world.sequence, now, timeScale: call.events.timeScale };
        const fields = current.type === "webhook" ? rotated(current, facts) : {};
        return updateRecord(world, "destinations", current.id, fields, now);
      });
    }
    const found = findIn(call.store.world);
    if (given.includeSecrets !== "true") return publicDestination(found);
    const own = found.type === "webhook" ? { webhookSigningKey: signingKey(found) } : {};
    return { ...publicDestination(found), secrets: { ...own, ...found.secrets } };
  },
);

function eventTypeRules({ specOnly, foreignNames }: OperationCall): BodyRules {
  const isKnown = (name: string) => {
    const type = eventType(name);
    return type !== undefined && (type.source === "spec" || !specOnly);
  };
  return ({ eventType: given }) => {
    if (typeof given !== "string" || isKnown(given) || foreignNames.has(given)) return [];
    const detail = `must be one of ${EVENT_TYPES.filter(isKnown).join(", ")}`;
    return [issueInBody("eventType", given, detail)];
  };
}

function hasRecord(world: World, list: "topics" | "destinations", id: string, projectId: string) {
  return world[list].some((each) => hasValues(each, { id, projectId }));
}

/** The operations on destinations, topics and the routes between them. */
export const routingOperations: readonly Operation[] = [
  getDestination,
  ...operationsOf({
    list: "destinations",
    noun: "destination",
    path: "destinations",
    schema: createDestinationBody,
    rules: ({ specOnly, foreignNames }) =>
      specOnly
        ? specDestinationRules
        : (body) => [
            ...(foreignNames.has(body.name) ? [] : destinationNameRules(body)),
            ...destinationContentRules(body),
          ],
    check: (world, record, call) =>
      assertNameIsFree(call, "destination", world.destinations, record),
    show: publicDestination,
    routeKey: "destinationId",
  }),
  ...operationsOf({
    list: "topics",
    noun: "topic",
    path: "topics",
    schema: createTopicBody,
    rules: ({ specOnly, foreignNames }) =>
      specOnly ? () => [] : (body) => (foreignNames.has(body.name) ? [] : topicNameRules(body)),
    check: (world, record, call) => assertNameIsFree(call, "topic", world.topics, record),
    routeKey: "topicId",
  }),
  // Two equal routes may exist, since the platform does not require unique ones: a request that is
  // sent twice creates two.
  ...operationsOf({
    list: "eventRoutes",
    noun: "event route",
    path: "notification-event-topic-routes",
    schema: createEventRouteBody,
    rules: eventTypeRules,
    check: (world, { topicId, projectId }) => {
      // 422, as the platform declares no 404 for this operation.
      if (!hasRecord(world, "topics", topicId, projectId)) {
        throw invalidInput([issueInBody("topicId", topicId, "there is no such topic")]);
      }
    },
    filters: ["topicId", "eventType"],
  }),
  ...operationsOf({
    list: "destinationRoutes",
    noun: "destination route",
    path: "topic-destination-routes",
    schema: createDestinationRouteBody,
    check: (world, { topicId, destinationId, projectId }) => {
      // 404, as the platform declares it for this operation.
      if (!hasRecord(world, "topics", topicId, projectId)) throwNotFound("topic", topicId);
      if (!hasRecord(world, "destinations", destinationId, projectId)) {
        throwNotFound("destination", destinationId);
      }
    },
    filters: ["topicId", "destinationId"],
  }),
  // Of the routes none changes in place: they are deleted and created.
  platform(subsystem, "PATCH /projects/{projectIdOrName}/destinations/{id}", async (call) => {
    const found = recordInPath(call, "destination", call.store.world.destinations);
    const { updateMask, destination } = parseBody(
      updateDestinationBody,
      await call.body(),
      (body) => maskIssues(body.updateMask, (path) => pathProblem(found.type, path)),
    );
    return call.store.change((world) => {
      // Another request may have changed or deleted it since.
      const current = recordInPath(call, "destination", world.destinations);
      const changed = updateMask.reduce(
        (last, path) => masked(last, path.split("."), destination),
        current,
      );
      const issues = [
        ...(changed.name === undefined ? [issueInBody("name", undefined, "is required")] : []),
        ...destinationNameRules(changed),
        ...destinationContentRules(changed),
      ];
      if (issues.length > 0) throw invalidInput(issues);
      assertNameIsFree(call, "destination", world.destinations, changed);
      const next = updateRecord(world, "destinations", current.id, changed, call.now());
      return { world: next.world, result: publicDestination(next.result) };
    });
  }),
  platform(subsystem, "PATCH /projects/{projectIdOrName}/topics/{id}", async (call) => {
    recordInPath(call, "topic", call.store.world.topics);
    const { name } = parseBody(updateTopicBody, await call.body(), topicNameRules);
    return call.store.change((world) => {
      const current = recordInPath(call, "topic", world.topics);
      assertNameIsFree(call, "topic", world.topics, { ...current, name });
      return updateRecord(world, "topics", current.id, { name }, call.now());
    });
  }),
];

function pathProblem(type: string, path: string): string | undefined {
  if (path === "name") return undefined;
  if (path === "type") return "cannot change: create another destination";
  const [, part, field] = /^(metadata|secrets)\.([^.]+)$/u.exec(path) ?? [];
  if (field === undefined) return "must be name, metadata.FIELD or secrets.FIELD";
  const known = destinationType(type);
  if (known === undefined) return undefined;
  const fields = known[part === "secrets" ? "secrets" : "metadata"];
  const further = part === "secrets" ? [] : (UPDATE_FIELDS[type] ?? []);
  const isField = fields.some(({ name }) => name === field) || further.includes(field);
  return isField ? undefined : `is not a field of a ${type} destination`;
}
