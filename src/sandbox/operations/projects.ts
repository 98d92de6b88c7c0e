import {
  type Operation,
  type OperationCall,
  okResult,
  projectOf,
  queryFilters,
  throwNotFound,
} from "../operation.ts";
import { invalidInput } from "../problem.ts";
import type { World } from "../world.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Projects and what they hold besides routing. */
export const projectOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/projects",
    source: "platform",
    credential: "required",
    subsystem: "projects",
    handle: ({ store }) => okResult(store.world.projects),
  },
  {
    method: "GET",
    path: "/projects/{projectIdOrName}/provider-apps",
    source: "spec",
    credential: "required",
    subsystem: "projects",
    handle: (call) => {
      const { id } = projectOf(call);
      return okResult(call.store.world.providerApps.filter(({ projectId }) => projectId === id));
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
      return okResult(call.store.world.integrations.filter(({ projectId }) => projectId === id));
    },
  },
  {
    method: "GET",
    path: "/projects/{projectIdOrName}/integrations/{integrationId}/installations",
    source: "spec",
    credential: "required",
    subsystem: "installations",
    handle: (call) => {
      const projectId = projectOf(call).id;
      const integrationId = integrationOf(call, projectId);
      return okResult(
        installationsOf(call, projectId).filter((each) => each.integrationId === integrationId),
      );
    },
  },
  {
    method: "GET",
    path: "/projects/{projectIdOrName}/installations",
    source: "platform",
    credential: "required",
    subsystem: "installations",
    handle: (call) => okResult(installationsOf(call, projectOf(call).id)),
  },
];

function installationsOf(call: OperationCall, projectId: string): World["installations"] {
  const { groupRef } = queryFilters(call, ["groupRef"]);
  return call.store.world.installations.filter(
    (each) =>
      each.projectId === projectId && (groupRef === undefined || each.group?.groupRef === groupRef),
  );
}

/** Answers 400 to anything but a UUID: the status in the spec's samples for invalid input. */
function integrationOf(call: OperationCall, projectId: string): string {
  const value = call.param("integrationId");
  if (!UUID.test(value)) {
    const issue = { in: "path", name: "integrationId", value, detail: "must be a UUID" } as const;
    throw invalidInput([issue], "malformed-request");
  }
  const integration = call.store.world.integrations.find(
    (each) => each.id === value.toLowerCase() && each.projectId === projectId,
  );
  return integration?.id ?? throwNotFound("integration", value);
}
