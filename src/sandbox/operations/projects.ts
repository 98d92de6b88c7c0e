import {
  type Operation,
  type OperationCall,
  ofProject,
  queryFilters,
  throwNotFound,
} from "../operation.ts";
import { invalidInput } from "../problem.ts";
import type { World } from "../world.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** The operations on projects and their content, except routing. */
export const projectOperations: readonly Operation[] = [
  {
    route: "GET /projects",
    source: "platform",
    subsystem: "projects",
    handle: ({ store }) => store.world.projects,
  },
  {
    route: "GET /projects/{projectIdOrName}/provider-apps",
    source: "spec",
    subsystem: "projects",
    handle: (call) => ofProject(call, call.store.world.providerApps),
  },
  {
    route: "GET /projects/{projectIdOrName}/integrations",
    source: "platform",
    subsystem: "projects",
    handle: (call) => ofProject(call, call.store.world.integrations),
  },
  {
    route: "GET /projects/{projectIdOrName}/integrations/{integrationId}/installations",
    source: "spec",
    subsystem: "installations",
    handle: (call) => {
      const integration = integrationOf(call);
      return installationsOf(call).filter(({ integrationId }) => integrationId === integration);
    },
  },
  {
    route: "GET /projects/{projectIdOrName}/installations",
    source: "platform",
    subsystem: "installations",
    handle: installationsOf,
  },
];

function installationsOf(call: OperationCall): World["installations"] {
  const installations = ofProject(call, call.store.world.installations);
  const { groupRef } = queryFilters(call, ["groupRef"]);
  return installations.filter(
    ({ group }) => groupRef === undefined || group?.groupRef === groupRef,
  );
}

/**
 * Returns the integration of a call. Anything but a UUID gets 400: the status in the spec's
 * samples for invalid input.
 */
function integrationOf(call: OperationCall): string {
  const integrations = ofProject(call, call.store.world.integrations);
  const value = call.param("integrationId");
  if (!UUID.test(value)) {
    const issue = { in: "path", name: "integrationId", value, detail: "must be a UUID" } as const;
    throw invalidInput([issue], "malformed-request");
  }
  const integration = integrations.find(({ id }) => id === value.toLowerCase());
  return integration?.id ?? throwNotFound("integration", value);
}
