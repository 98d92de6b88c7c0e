import { indexLive, type LiveRouting } from "../../../src/notify/plan/live.ts";
import type { Observation } from "../../../src/notify/plan/observation.ts";

/** Lists that may be believed: amp has done nothing lately. Undefined: the service has none. */
export function seen(live: LiveRouting | undefined): Observation {
  const index = live && indexLive(live);
  return { live, index, isYoung: () => false };
}
