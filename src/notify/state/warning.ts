import type { StateBackend } from "./backend.ts";

/**
 * What is to be said loudly before anything is created: that a lost disk would lose what nobody
 * else knows. Undefined where all is well.
 * @param lists whether the service lists what exists, so that a lost state can be rebuilt
 */
export function stateWarning({
  backend,
  lists,
  ci,
}: {
  readonly backend: Pick<StateBackend, "local" | "place">;
  readonly lists: boolean;
  readonly ci: boolean;
}): string | undefined {
  if (!ci || !backend.local || lists) return undefined;
  return [
    "The state is on this machine alone, and the service lists nothing. If this disk",
    "goes with the CI job, nobody knows what was created, and the next run creates it",
    "again. Keep the state on a server: --state gitlab, https://… or s3://….",
    `It is in ${backend.place}`,
  ].join("\n");
}
