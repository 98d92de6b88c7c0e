import { readdir } from "node:fs/promises";
import { lockFolder, withLock } from "../../durable/lock.ts";
import { AmpError, ConflictError, ServiceError } from "../../errors.ts";
import { openState, readState } from "../../notify/state/open-backend.ts";
import { fileOf, type RoutingState } from "../../notify/state/state.ts";
import { asList } from "../../values/basics.ts";
import {
  deleteOwned,
  lockPath,
  OWNER,
  type TemporaryContext,
  type TemporaryOptions,
  withTemporaryLock,
} from "./temporary-routing.ts";

/** The result of a clean-up. */
export interface CleanedUp {
  readonly removed: readonly string[];
  /** The routings that a listener may still use, each with the reason. */
  readonly kept: readonly ({ readonly name: string } & Use)[];
}

/** Why a temporary routing must stay. */
interface Use {
  readonly reason: string;
  /** Whether this machine knows no listener of it: only the user can say whether there is one. */
  readonly isElsewhere: boolean;
}

/**
 * Removes the temporary routing of listeners that are gone: killed on this machine, or expired.
 * Sends no request if the state has none.
 */
export async function cleanUp(
  context: TemporaryContext,
  { dryRun = false, ...options }: TemporaryOptions & { readonly dryRun?: boolean },
): Promise<CleanedUp> {
  const saved = await readState(await openState(context, options));
  const removed: string[] = [];
  const kept: ({ name: string } & Use)[] = [];
  for (const owner of ownersIn(saved?.state)) {
    const [, name = owner, until = ""] = OWNER.exec(owner) ?? [];
    const use = await useOf(context, name, new Date(until));
    if (use !== undefined) {
      kept.push({ name, ...use });
      continue;
    }
    if (!dryRun) {
      await withTemporaryLock(context, { name }, async (remainder) => {
        remainder.mayExist = true;
        await deleteOwned(context, owner, options);
        remainder.mayExist = false;
      });
    }
    removed.push(name);
  }
  return { removed, kept };
}

/** Removes the routing of a killed listener; a failure to remove it does not prevent a new one. */
export async function cleanEarlier(
  ports: TemporaryContext,
  options: TemporaryOptions,
): Promise<void> {
  const { report } = ports;
  try {
    const { removed } = await cleanUp(ports, options);
    for (const name of removed) report.notice(`Removed ${name}, left by an earlier listener.`);
  } catch (error) {
    if (!(error instanceof AmpError) || ports.signal.aborted) throw error;
    // If the service cannot be reached, creating new routing would fail, too: one error is enough.
    if (error instanceof ServiceError && error.facts.status === undefined) throw error;
    report.warn(`Could not remove the routing of an earlier listener: ${error.message}`);
  }
}

/** The owners of temporary routing that a state names, also of what was only begun. */
function ownersIn(state: RoutingState | undefined): string[] {
  if (state === undefined) return [];
  const owners = [...state.entries.values(), ...state.left.values()].map(({ owner }) => owner);
  return [...new Set(owners.flatMap((one) => asList(fileOf(one))))].filter((one) =>
    OWNER.test(one),
  );
}

/** Why a temporary routing must stay; undefined where its listener is gone. */
async function useOf(
  context: Pick<TemporaryContext, "environment" | "now">,
  name: string,
  until: Date,
): Promise<Use | undefined> {
  const isKnownHere = await readdir(lockFolder(lockPath(context, name))).catch(() => undefined);
  if (isKnownHere === undefined) {
    if (!(until.getTime() > context.now().getTime())) return undefined;
    const reason = `its listener may be running on another machine; it expires at ${until.toISOString()}`;
    return { reason, isElsewhere: true };
  }
  try {
    await withLock(lockPath(context, name), {}, async () => {});
    return undefined;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const reason = `its listener is running: ${error.facts.detail ?? "an unknown process"}`;
    return { reason, isElsewhere: false };
  }
}
