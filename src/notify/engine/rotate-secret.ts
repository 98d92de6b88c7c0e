import type { AnswerOf } from "../../api/operations/endpoint.ts";
import { rotateDestinationSecret } from "../../api/operations/endpoints.ts";
import { AmpError, PartialError } from "../../errors.ts";
import { timeFields } from "../../values/service-clock.ts";
import { heldAddresses } from "./delete-resources.ts";
import { withRun } from "./run.ts";
import type { EnginePorts } from "./types.ts";

/** A destination with its secrets, as the service answers it. */
export type DestinationSecrets = AnswerOf<typeof rotateDestinationSecret>;

/** The destination whose secret is rotated: the path takes its name, the state knows its ID. */
interface RotatedDestination {
  readonly id: string;
  readonly name: string;
}

/**
 * Makes a new signing secret. That the rotation begins is saved in every record of the state that
 * has the ID, before it is sent; it is sent once, and never repeated.
 * @throws {PartialError} where it may have taken effect
 */
export function rotateSecret(
  ports: EnginePorts,
  { id, name }: RotatedDestination,
): Promise<DestinationSecrets> {
  return withRun(ports, undefined, async ({ locked, manager }) => {
    const held = heldAddresses(manager.state, "destination", id);
    await locked.check();
    if (held.length > 0) await manager.recordBegun("rotating", held, timeFields(ports));
    // The new secret is worth more than the mark, which the next read takes away.
    const settled = () => manager.dropBegun("rotating", held).catch(() => {});
    try {
      const path = { projectIdOrName: ports.project, name };
      const query = { includeSecrets: "true", rotate: "true" };
      const rotated = await ports.api.call(rotateDestinationSecret, { path, query });
      await settled();
      return rotated;
    } catch (error) {
      if (!(error instanceof AmpError)) throw error;
      const isOpen = error instanceof PartialError || ports.signal.aborted;
      if (!isOpen) await settled();
      throw error;
    }
  });
}

/** Records that the secret was read after a rotation of unknown outcome. */
export function settleRotation(ports: EnginePorts, id: string): Promise<void> {
  return withRun(ports, undefined, async ({ manager }) => {
    await manager.dropBegun("rotating", heldAddresses(manager.state, "destination", id));
  });
}
