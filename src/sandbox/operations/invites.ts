import { type Operation, type OperationCall, throwNotFound } from "../operation.ts";
import { Refusal } from "../problem.ts";
import type { World } from "../world.ts";

/** The operations on invites to organisations. */
export const inviteOperations: readonly Operation[] = [
  {
    route: "DELETE /orgs/{orgId}/invites/{inviteId}",
    source: "spec",
    subsystem: "orgs",
    handle: (call) => {
      const orgId = orgOf(call);
      const inviteId = call.param("inviteId");
      return call.store.change((world) => ({
        world: revoke(world, orgId, inviteId),
        result: undefined,
      }));
    },
  },
  {
    route: "GET /orgs/{orgId}/invites",
    source: "platform",
    subsystem: "orgs",
    handle: (call) => {
      const orgId = orgOf(call);
      return call.store.world.invites.filter(({ parentId }) => parentId === orgId);
    },
  },
];

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
