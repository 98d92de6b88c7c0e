import { createDestinationRoute } from "../../api/schemas/notification.ts";
import { add } from "../change.ts";
import { checkBody } from "../check-body.ts";
import { missing, projectOf } from "../find.ts";
import { created, type Operation } from "../operation.ts";
import { listAndDelete, routing } from "./routing-records.ts";

const path = "/projects/{projectIdOrName}/topic-destination-routes";

/** Let a topic's notifications out to destinations. Two equal ones may exist, as of event routes. */
export const destinationRouteOperations: readonly Operation[] = [
  {
    ...routing,
    method: "POST",
    path,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = checkBody(createDestinationRoute, await call.body());
      return created(
        await call.store.change((world) => {
          // 404, as the platform declares it for this operation.
          for (const [list, what, id] of [
            ["topics", "topic", body.topicId],
            ["destinations", "destination", body.destinationId],
          ] as const) {
            const there = world[list].some(
              (each) => each.id === id && each.projectId === projectId,
            );
            if (!there) missing(what, id);
          }
          return add(world, "destinationRoutes", { ...body, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "destinationRoutes",
    what: "destination route",
    path,
    filters: ["topicId", "destinationId"],
  }),
];
