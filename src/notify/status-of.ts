import { readState } from "./change-state.ts";
import { fingerprintsOf } from "./engine/body.ts";
import { listRouting } from "./plan/listing.ts";
import { routingStatus, type StatusRow } from "./plan/status.ts";
import { type FilePorts, readRouting, type SessionOptions, type SessionPorts } from "./session.ts";

/** How each part of the routing is, from file, state and what the service lists. Changes nothing. */
export async function statusOf(
  ports: SessionPorts & FilePorts,
  options: SessionOptions & {
    readonly file: string | undefined;
    readonly allowLiteralSecrets: boolean;
  },
): Promise<readonly StatusRow[]> {
  const { file, allowLiteralSecrets } = options;
  const routing =
    file === undefined ? undefined : await readRouting(ports, { file, allowLiteralSecrets });
  const saved = await readState(ports, options);
  const live = await listRouting(ports.api, ports.project);
  if (live === undefined) {
    ports.talk.warn("This service has no lists: what is told is what the state remembers.");
  }
  return routingStatus({
    model: routing?.model,
    state: saved?.state,
    live,
    fingerprintOf: fingerprintsOf(saved?.state.salt ?? ""),
  });
}
