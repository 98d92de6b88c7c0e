import { createTopic } from "../../api/schemas/notification.ts";
import { add, remove } from "../change.ts";
import { checkBody } from "../check-body.ts";
import { projectOf } from "../find.ts";
import { checkUnique, topicName } from "../name-rules.ts";
import { created, type Operation } from "../operation.ts";
import { listAndDelete, routing } from "./routing-records.ts";

const path = "/projects/{projectIdOrName}/topics";

/** What connects event types with destinations. */
export const topicOperations: readonly Operation[] = [
  {
    ...routing,
    method: "POST",
    path,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const { name } = checkBody(createTopic, await call.body(), topicName);
      return created(
        await call.store.change((world) => {
          if (call.uniqueNames) checkUnique(world, "topics", { projectId, name });
          return add(world, "topics", { name, projectId }, call.now());
        }),
      );
    },
  },
  ...listAndDelete({
    list: "topics",
    what: "topic",
    path,
    cascade: (world, id) => {
      const ofTopic = ({ topicId }: { topicId: string }) => topicId === id;
      return remove(remove(world, "eventRoutes", ofTopic), "destinationRoutes", ofTopic);
    },
  }),
];
