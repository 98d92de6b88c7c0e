import {
  NO_CONTENT,
  type Operation,
  type OperationCall,
  okResult,
  throwNotFound,
} from "../operation.ts";
import { Refusal } from "../problem.ts";
import type { World } from "../world.ts";

/** Invites to organisations. */
export const inviteOperations: readonly Operation[] = [
  {
    method: "DELETE",
    path: "/orgs/{orgId}/invites/{inviteId}",
    source: "spec",
    credential: "required",
    subsystem: "orgs",
    handle: async (call) => {
      const orgId = orgOf(call);
      const inviteId = call.param("inviteId");
      await call.store.change((world) => ({
        world: revoke(world, orgId, inviteId),
        result: undefined,
      }));
      return NO_CONTENT;
    },
  },
  {
    method: "GET",
    path: "/orgs/{orgId}/invites",
    source: "platform",
    credential: "required",
    subsystem: "orgs",
    handle: (call) => {
      const orgId = orgOf(call);
      return okResult(call.store.world.invites.filter(({ parentId }) => parentId === orgId));
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
    throw new Refusal(
      "wrong-state",
      `The invite ${JSON.stringify(inviteId)} is ${invite.status}.`,
      {
        context: { resource: "invite", id: inviteId, inviteStatus: invite.status },
      },
    );
  }
  const revoked = { ...invite, status: "revoked" as const };
  return { ...world, invites: world.invites.map((each) => (each === invite ? revoked : each)) };
}
