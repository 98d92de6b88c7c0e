import { projectOf } from "../find.ts";
import { found, type Operation } from "../operation.ts";

/** What a project holds besides installations and routing. */
export const projectOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/projects",
    source: "platform",
    credential: "required",
    subsystem: "projects",
    handle: ({ store }) => found(store.world.projects),
  },
  {
    method: "GET",
    path: "/projects/{projectIdOrName}/provider-apps",
    source: "spec",
    credential: "required",
    subsystem: "projects",
    handle: (call) => {
      const { id } = projectOf(call);
      return found(call.store.world.providerApps.filter(({ projectId }) => projectId === id));
    },
  },
  {
    method: "GET",
    path: "/projects/{projectIdOrName}/integrations",
    source: "platform",
    credential: "required",
    subsystem: "projects",
    handle: (call) => {
      const { id } = projectOf(call);
      return found(call.store.world.integrations.filter(({ projectId }) => projectId === id));
    },
  },
];
