import type { Address } from "../address.ts";
import { destinationAddress, topicAddress } from "../address.ts";
import type { FingerprintOf } from "../plan/plan-step.ts";
import { fingerprint } from "../state/fingerprint.ts";
import type { Step } from "../steps.ts";

/** Fingerprints as a state keeps them: of the body that creates a step, keyed by the state's salt. */
export function fingerprintsOf(salt: string): FingerprintOf {
  return (step, ids) => fingerprint(salt, bodyOf(step, ids));
}

/** The body in which secrets are still hidden. */
function bodyOf(step: Step, ids: ReadonlyMap<Address, string>): unknown {
  if ("event" in step) return { topicId: ids.get(topicAddress(step.topic)), eventType: step.event };
  if ("destination" in step) {
    return {
      topicId: ids.get(topicAddress(step.topic)),
      destinationId: ids.get(destinationAddress(step.destination)),
    };
  }
  if (step.kind === "topic") return { name: step.name };
  const { type, metadata, secrets } = step.part;
  const hidden = Object.keys(secrets).length > 0 ? { secrets } : {};
  return { name: step.name, type, metadata, ...hidden };
}
