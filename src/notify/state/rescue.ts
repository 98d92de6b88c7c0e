import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileDurably } from "../../durable/write-file.ts";
import { stateText } from "./format.ts";
import type { RoutingState } from "./state.ts";

/** The outcome of a result that could not be saved in its own location. */
export interface RescuedSave {
  /** The file with the whole state; absent if no file could be written either. */
  readonly where?: string;
  /** The reason why the state could not be saved. */
  readonly error: unknown;
}

/**
 * Writes the state into the temporary folder, the last resort before the terminal. The file name
 * contains the serial, so that no state that was rescued earlier is replaced.
 */
export async function rescueState(
  state: RoutingState,
  error: unknown,
  folder: string = tmpdir(),
): Promise<RescuedSave> {
  const where = join(folder, `amp-errored-${state.lineage}-${state.serial}.json`);
  try {
    await writeFileDurably(where, stateText(state));
    return { where, error };
  } catch {
    return { error };
  }
}
