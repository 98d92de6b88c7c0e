import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileDurably } from "../../durable/write-file.ts";
import { stateText } from "./format.ts";
import type { RoutingState } from "./state.ts";

/** What became of a result that could not be saved in its place. */
export interface Rescue {
  /** The file that holds the whole state with it; absent where none could be written either. */
  readonly where?: string;
  /** Why it could not be saved. */
  readonly error: unknown;
}

/**
 * Writes the state into the temporary folder, the last place before the terminal. The name tells
 * the serial, so that nothing that was rescued earlier is replaced.
 */
export async function rescueState(
  state: RoutingState,
  error: unknown,
  folder: string = tmpdir(),
): Promise<Rescue> {
  const where = join(folder, `amp-errored-${state.lineage}-${state.serial}.json`);
  try {
    await writeFileDurably(where, stateText(state));
    return { where, error };
  } catch {
    return { error };
  }
}
