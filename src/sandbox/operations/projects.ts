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
  {
    route: "GET /projects/{projectIdOrName}/connections",
    source: "platform",
    subsystem: "connections",
    handle: (call) => {
      const { provider, groupRef, consumerRef } = queryFilters(call, [
        "provider",
        "groupRef",
        "consumerRef",
      ]);
      return connectionsOf(call).filter(
        (one) =>
          (provider === undefined || one.provider === provider) &&
          (groupRef === undefined || one.group?.groupRef === groupRef) &&
          (consumerRef === undefined || one.consumer?.consumerRef === consumerRef),
      );
    },
  },
  {
    route: "GET /projects/{projectIdOrName}/connections/{connectionId}",
    source: "platform",
    subsystem: "connections",
    handle: (call) => {
      const id = call.param("connectionId");
      return connectionsOf(call).find((one) => one.id === id) ?? throwNotFound("connection", id);
    },
  },
];

/**
 * The connections of a project, without their credentials, which the platform returns on request only.
 * Each belongs to an installation, and several may share one.
 */
function connectionsOf(call: OperationCall) {
  const all = ofProject(call, call.store.world.installations).map(({ connection }) => {
    const { id, projectId, provider, group, consumer, createTime, authScheme, status } = connection;
    return { id, projectId, provider, group, consumer, createTime, authScheme, status };
  });
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

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
export function integrationOf(call: OperationCall): string {
  const integrations = ofProject(call, call.store.world.integrations);
  const value = call.param("integrationId");
  if (!UUID.test(value)) {
    const issue = { in: "path", name: "integrationId", value, detail: "must be a UUID" } as const;
    throw invalidInput([issue], "malformed-request");
  }
  const integration = integrations.find(({ id }) => id === value.toLowerCase());
  return integration?.id ?? throwNotFound("integration", value);
}
