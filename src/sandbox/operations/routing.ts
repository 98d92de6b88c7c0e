import { EVENT_TYPES, eventType } from "../../api/catalogue/events.ts";
import {
  createDestination,
  createDestinationRoute,
  createEventRoute,
  createTopic,
} from "../../api/schemas/notification.ts";
import {
  assertNameIsFree,
  type BodyRules,
  destinationFields,
  destinationNameRules,
  issueInBody,
  parseBody,
  topicNameRules,
} from "../body.ts";
import {
  createdResult,
  type Operation,
  type OperationCall,
  okResult,
  projectOf,
  queryFilters,
  throwNotFound,
} from "../operation.ts";
import { invalidInput } from "../problem.ts";
import { addRecord, removeRecords } from "../store.ts";
import type { WorldDestination } from "../world.ts";
import { listAndDelete, ROUTING_OPERATION } from "./routing-records.ts";

const DESTINATIONS_PATH = "/projects/{projectIdOrName}/destinations";

/** The platform answers a destination without its project and without its secrets. */
function withoutSecrets({ projectId, secrets, ...rest }: WorldDestination) {
  return rest;
}

/** Places that notifications are delivered to. */
export const destinationOperations: readonly Operation[] = [
  {
    ...ROUTING_OPERATION,
    method: "POST",
    path: DESTINATIONS_PATH,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = parseBody(createDestination, await call.body(), (input) => [
        ...destinationNameRules(input),
        ...destinationFields(input, call.specOnly),
      ]);
      const record = await call.store.change((world) => {
        if (call.uniqueNames)
          assertNameIsFree(world, "destinations", { projectId, name: body.name });
        return addRecord(world, "destinations", { ...body, projectId }, call.now());
      });
      return createdResult(withoutSecrets(record));
    },
  },
  {
    ...ROUTING_OPERATION,
    method: "GET",
    // By name, where DELETE takes the id: the platform's own trap.
    path: `${DESTINATIONS_PATH}/{name}`,
    source: "platform",
    handle: (call) => {
      const projectId = projectOf(call).id;
      const { rotate } = queryFilters(call, ["rotate"]);
      // Taken without effect: the sandbox has no signing keys yet.
      if (rotate !== undefined && rotate !== "true" && rotate !== "false") {
        const detail = "must be true or false";
        throw invalidInput([{ in: "query", name: "rotate", value: rotate, detail }]);
      }
      const name = call.param("name");
      const destination = call.store.world.destinations.find(
        (each) => each.projectId === projectId && each.name === name,
      );
      return okResult(withoutSecrets(destination ?? throwNotFound("destination", name)));
    },
  },
  ...listAndDelete({
    list: "destinations",
    what: "destination",
    path: DESTINATIONS_PATH,
    show: withoutSecrets,
    cascade: (world, id) =>
      removeRecords(world, "destinationRoutes", ({ destinationId }) => destinationId === id),
  }),
];

const TOPICS_PATH = "/projects/{projectIdOrName}/topics";

/** What connects event types with destinations. */
export const topicOperations: readonly Operation[] = [
  {
    ...ROUTING_OPERATION,
    method: "POST",
    path: TOPICS_PATH,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const { name } = parseBody(createTopic, await call.body(), topicNameRules);
      return createdResult(
        await call.store.change((world) => {
          if (call.uniqueNames) assertNameIsFree(world, "topics", { projectId, name });
          return addRecord(world, "topics", { name, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "topics",
    what: "topic",
    path: TOPICS_PATH,
    cascade: (world, id) => {
      const ofTopic = ({ topicId }: { topicId: string }) => topicId === id;
      return removeRecords(
        removeRecords(world, "eventRoutes", ofTopic),
        "destinationRoutes",
        ofTopic,
      );
    },
  }),
];

const EVENT_ROUTES_PATH = "/projects/{projectIdOrName}/notification-event-topic-routes";

/**
 * Let event types into topics. Two equal ones may exist, for the platform names no uniqueness: a
 * request that is sent twice makes two.
 */
export const eventRouteOperations: readonly Operation[] = [
  {
    ...ROUTING_OPERATION,
    method: "POST",
    path: EVENT_ROUTES_PATH,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = parseBody(createEventRoute, await call.body(), eventTypeRules(call));
      const { topicId } = body;
      return createdResult(
        await call.store.change((world) => {
          // 422, as the platform declares no 404 for this operation.
          if (!world.topics.some((each) => each.id === topicId && each.projectId === projectId)) {
            throw invalidInput([issueInBody("topicId", topicId, "there is no such topic")]);
          }
          return addRecord(world, "eventRoutes", { ...body, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "eventRoutes",
    what: "event route",
    path: EVENT_ROUTES_PATH,
    filters: ["topicId", "eventType"],
  }),
];

function eventTypeRules({ specOnly }: OperationCall): BodyRules {
  const known = (name: string) => {
    const type = eventType(name);
    return type !== undefined && (type.source === "spec" || !specOnly);
  };
  return (body) =>
    typeof body.eventType !== "string" || known(body.eventType)
      ? []
      : [
          issueInBody(
            "eventType",
            body.eventType,
            `must be one of ${EVENT_TYPES.filter(known).join(", ")}`,
          ),
        ];
}

const DESTINATION_ROUTES_PATH = "/projects/{projectIdOrName}/topic-destination-routes";

/** Let a topic's notifications out to destinations. Two equal ones may exist, as of event routes. */
export const destinationRouteOperations: readonly Operation[] = [
  {
    ...ROUTING_OPERATION,
    method: "POST",
    path: DESTINATION_ROUTES_PATH,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = parseBody(createDestinationRoute, await call.body());
      return createdResult(
        await call.store.change((world) => {
          // 404, as the platform declares it for this operation.
          for (const [list, what, id] of [
            ["topics", "topic", body.topicId],
            ["destinations", "destination", body.destinationId],
          ] as const) {
            const there = world[list].some(
              (each) => each.id === id && each.projectId === projectId,
            );
            if (!there) throwNotFound(what, id);
          }
          return addRecord(world, "destinationRoutes", { ...body, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "destinationRoutes",
    what: "destination route",
    path: DESTINATION_ROUTES_PATH,
    filters: ["topicId", "destinationId"],
  }),
];
