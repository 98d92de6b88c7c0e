import type { AnswerOf } from "../../api/operations/endpoint.ts";
import { rotateDestinationSecret } from "../../api/operations/endpoints.ts";
import { AmpError, PartialError } from "../../errors.ts";
import { heldAddresses } from "./delete-resources.ts";
import { beginWrite, withRun } from "./run.ts";
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
  return withRun(ports, undefined, async (run) => {
    const { manager } = run;
    const held = heldAddresses(manager.state, "destination", id);
    await beginWrite(run, "rotating", held);
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
