import { createDestination } from "../../api/schemas/notification.ts";
import { add, remove } from "../change.ts";
import { checkBody } from "../check-body.ts";
import { destinationFields } from "../destination-fields.ts";
import { filters, missing, projectOf } from "../find.ts";
import { checkUnique, destinationName } from "../name-rules.ts";
import { created, found, type Operation } from "../operation.ts";
import { invalidInput } from "../refusal.ts";
import type { WorldDestination } from "../world.ts";
import { listAndDelete, routing } from "./routing-records.ts";

const path = "/projects/{projectIdOrName}/destinations";

/** The platform answers a destination without its project and without its secrets. */
function shown({ projectId, secrets, ...rest }: WorldDestination) {
  return rest;
}

/** Places that notifications are delivered to. */
export const destinationOperations: readonly Operation[] = [
  {
    ...routing,
    method: "POST",
    path,
    source: "spec",
    handle: async (call) => {
      const projectId = projectOf(call).id;
      const body = checkBody(createDestination, await call.body(), (input) => [
        ...destinationName(input),
        ...destinationFields(input, call.specOnly),
      ]);
      const record = await call.store.change((world) => {
        if (call.uniqueNames) checkUnique(world, "destinations", { projectId, name: body.name });
        return add(world, "destinations", { ...body, projectId }, call.now());
      });
      return created(shown(record));
    },
  },
  {
    ...routing,
    method: "GET",
    // By name, where DELETE takes the id: the platform's own trap.
    path: `${path}/{name}`,
    source: "platform",
    handle: (call) => {
      const projectId = projectOf(call).id;
      const { rotate } = filters(call, ["rotate"]);
      // Taken without effect: the sandbox has no signing keys yet.
      if (rotate !== undefined && rotate !== "true" && rotate !== "false") {
        const detail = "must be true or false";
        throw invalidInput([{ in: "query", name: "rotate", value: rotate, detail }]);
      }
      const name = call.param("name");
      const destination = call.store.world.destinations.find(
        (each) => each.projectId === projectId && each.name === name,
      );
      return found(shown(destination ?? missing("destination", name)));
    },
  },
  ...listAndDelete({
    list: "destinations",
    what: "destination",
    path,
    show: shown,
    cascade: (world, id) =>
      remove(world, "destinationRoutes", ({ destinationId }) => destinationId === id),
  }),
];
