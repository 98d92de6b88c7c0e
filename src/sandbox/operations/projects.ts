import { UUID } from "../../values/basics.ts";
import {
  hasValues,
  type Operation,
  type OperationCall,
  ofProject,
  platform,
  queryFilters,
  spec,
  throwNotFound,
} from "../operation.ts";
import { invalidInput, Refusal } from "../problem.ts";
import type { World } from "../world.ts";

/** The operations on organisations, and on projects and their content, except routing. */
export const projectOperations: readonly Operation[] = [
  platform("projects", "GET /projects", ({ store }) => store.world.projects),
  spec("projects", "GET /projects/{projectIdOrName}/provider-apps", (call) =>
    ofProject(call, call.store.world.providerApps),
  ),
  platform("projects", "GET /projects/{projectIdOrName}/integrations", (call) =>
    ofProject(call, call.store.world.integrations),
  ),
  spec(
    "installations",
    "GET /projects/{projectIdOrName}/integrations/{integrationId}/installations",
    (call) => {
      const integration = integrationOf(call);
      return installationsOf(call).filter(({ integrationId }) => integrationId === integration);
    },
  ),
  platform("installations", "GET /projects/{projectIdOrName}/installations", installationsOf),
  platform("connections", "GET /projects/{projectIdOrName}/connections", (call) => {
    const given = queryFilters(call, ["provider", "groupRef", "consumerRef"]);
    return connectionsOf(call).filter(({ provider, group, consumer }) =>
      hasValues({ ...group, ...consumer, provider }, given),
    );
  }),
  platform("connections", "GET /projects/{projectIdOrName}/connections/{connectionId}", (call) => {
    const id = call.param("connectionId");
    return connectionsOf(call).find((one) => one.id === id) ?? throwNotFound("connection", id);
  }),
  spec("orgs", "DELETE /orgs/{orgId}/invites/{inviteId}", (call) => {
    const orgId = orgOf(call);
    const inviteId = call.param("inviteId");
    return call.store.change((world) => ({
      world: revoke(world, orgId, inviteId),
      result: undefined,
    }));
  }),
  platform("orgs", "GET /orgs/{orgId}/invites", (call) => {
    const orgId = orgOf(call);
    return call.store.world.invites.filter(({ parentId }) => parentId === orgId);
  }),
];

/**
 * The connections of a project, without their credentials, which the platform returns on request
 * only. Each belongs to an installation, and several may share one.
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
  const given = queryFilters(call, ["groupRef"]);
  return installations.filter(({ group }) => hasValues({ ...group }, given));
}

/**
 * Returns the integration of a call. Anything but a UUID gets 400: the status in the spec's samples
 * for invalid input.
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

function orgOf(call: OperationCall): string {
  const orgId = call.param("orgId");
  return call.store.world.orgs.find(({ id }) => id === orgId)?.id ?? throwNotFound("org", orgId);
}

/**
 * Revokes a pending invite. A revoked one is not found, so that a repeated request may take the 404
 * for success; an accepted or expired one is a conflict.
 */
function revoke(world: World, orgId: string, inviteId: string): World {
  const invite = world.invites.find(({ id, parentId }) => id === inviteId && parentId === orgId);
  if (invite === undefined || invite.status === "revoked")
    return throwNotFound("open invite", inviteId);
  if (invite.status !== "pending") {
    const context = { resource: "invite", id: inviteId, inviteStatus: invite.status };
    const detail = `The invite ${JSON.stringify(inviteId)} is ${invite.status}.`;
    throw new Refusal("wrong-state", detail, { context });
  }
  const revoked = { ...invite, status: "revoked" as const };
  return { ...world, invites: world.invites.map((each) => (each === invite ? revoked : each)) };
}
