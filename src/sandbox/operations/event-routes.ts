import { EVENT_TYPES, eventType } from "../../api/events.ts";
import { createEventRoute } from "../../api/schemas/notification.ts";
import { add } from "../change.ts";
import { bodyIssue, checkBody, type Rules } from "../check-body.ts";
import { projectOf } from "../find.ts";
import { type Call, created, type Operation } from "../operation.ts";
import { invalidInput } from "../refusal.ts";
import { listAndDelete, routing } from "./routing-records.ts";

const path = "/projects/{projectIdOrName}/notification-event-topic-routes";

/**
 * Let event types into topics. Two equal ones may exist, for the platform names no uniqueness: a
 * request that is sent twice makes two.
 */
export const eventRouteOperations: readonly Operation[] = [
  {
    ...routing,
    method: "POST",
    path,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = checkBody(createEventRoute, await call.body(), knownEvent(call));
      const { topicId } = body;
      return created(
        await call.store.change((world) => {
          // 422, as the platform declares no 404 for this operation.
          if (!world.topics.some((each) => each.id === topicId && each.projectId === projectId)) {
            throw invalidInput([bodyIssue("topicId", topicId, "there is no such topic")]);
          }
          return add(world, "eventRoutes", { ...body, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "eventRoutes",
    what: "event route",
    path,
    filters: ["topicId", "eventType"],
  }),
];

function knownEvent({ specOnly }: Call): Rules {
  const known = (name: string) => {
    const type = eventType(name);
    return type !== undefined && (type.source === "spec" || !specOnly);
  };
  return (body) =>
    typeof body.eventType !== "string" || known(body.eventType)
      ? []
      : [
          bodyIssue(
            "eventType",
            body.eventType,
            `must be one of ${EVENT_TYPES.filter(known).join(", ")}`,
          ),
        ];
}
