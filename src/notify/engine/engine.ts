import { AmpError } from "../../errors.ts";
import { asList } from "../../values/as-list.ts";
import { compareText, type RoutingModel } from "../model/routing.ts";
import { type ApplicablePart, applicablePart, assertApplicable } from "../plan/blockers.ts";
import { indexLive, type LiveRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { readState } from "../state/open-backend.ts";
import { settleDeletions, withoutDeleted } from "./delete-resources.ts";
import { executePlan, reportInPlace, setAside } from "./execute-plan.ts";
import { failedRunError } from "./failure.ts";
import { pruneRecords } from "./prune.ts";
import { dropAbsent, settlePending } from "./reconcile.ts";
import { knownDependencies, listService, planFromFreshLists, type Run, withRun } from "./run.ts";
import type { Engine, EnginePorts, PlanAndLive, Receipt, ResourceOutcome } from "./types.ts";

/** An engine over its ports. Creating it reads and sends nothing. */
export function createEngine(ports: EnginePorts): Engine {
  return {
    plan: async (model) => {
      const saved = await readState(ports);
      const live = await listService({ ports, manager: saved });
      const state = saved && withoutDeleted(saved.state, live);
      const plan = makePlan({ model, state, live, choices: ports.options });
      ports.observe({ type: "planned", plan });
      return { plan, live };
    },
    apply: (model, consent) => applyModel(ports, model, consent),
    resume: () => resumePending(ports),
  };
}

/** Applies a model; see `Engine.apply`. */
function applyModel(
  ports: EnginePorts,
  model: RoutingModel,
  consent: ((plan: Plan) => Promise<void>) | undefined,
): Promise<Receipt> {
  return withRun(ports, model, async (run) => {
    await settleDeletions(run);
    const first = await planFromFreshLists(run, model);
    ports.observe({ type: "planned", plan: first.plan });
    const part = partOf(run, first);
    await throwIfStopped(run, part);
    await consent?.(first.plan);
    reportInPlace(run, applicable(run, first));
    await throwIfStopped(run, part);
    const begun = run.manager.state.pending.size > 0;
    const absent = begun ? await settlePending(run, first.plan.hasLists) : [];
    await throwIfStopped(run, part);
    // A reconciled record may be what routes depend on, which can be looked up only now.
    const settled = applicable(
      run,
      begun ? await planFromFreshLists(run, model, new Map()) : first,
    );
    const isSetAside = await setAside(run, settled.plan);
    await throwIfStopped(run, settled);
    const now = isSetAside
      ? applicable(run, await planFromFreshLists(run, model, new Map()))
      : settled;
    reportInPlace(run, now);
    await executePlan(run, now, absent);
    await throwIfStopped(run, now);
    await pruneRecords(run, now, first.plan);
    await throwIfStopped(run, now);
    return receiptOf(run, now);
  });
}

/** A plan of which all can be applied: its whole, or the part that does not depend on a conflict. */
type ApplicablePlan = PlanAndLive & Omit<ApplicablePart, "plan">;

/** @throws {ConflictError} where there are conflicts, and the run does not keep going */
function applicable(run: Run, planned: PlanAndLive): ApplicablePlan {
  const { options } = run.ports;
  if (options.keepGoing !== true) assertApplicable(planned.plan, options);
  return { ...partOf(run, planned), live: planned.live };
}

function partOf({ ports: { options } }: Run, { plan }: PlanAndLive): ApplicablePart {
  return options.keepGoing === true
    ? applicablePart(plan, options)
    : { plan, conflicts: [], skipped: [] };
}

async function throwIfStopped(run: Run, { plan, ...leftOut }: ApplicablePart): Promise<void> {
  if (!run.outcomes.isStopped) return;
  const inRun = plan.items.filter(({ action }) => action !== "release");
  const addresses = inRun.map(({ address }) => address);
  const named = inRun.filter(({ action }) => action !== "prune");
  const total = named.length + leftOut.conflicts.length + leftOut.skipped.length;
  throw await failedRunError(run, addresses, total, leftOut);
}

async function receiptOf(run: Run, planned: ApplicablePlan): Promise<Receipt> {
  const { plan, conflicts, skipped } = planned;
  const { ports, manager, outcomes } = run;
  const { lineage, serial } = manager.state;
  const { duplicates, verified } = await verifyUnique(run, planned);
  const order = new Map(plan.items.map(({ address }, at) => [address, at]));
  const place = ({ address }: Pick<PlanItem, "address">) => order.get(address) ?? order.size;
  return {
    settled: outcomes.settled.toSorted((a, b) => place(a) - place(b)),
    deleted: [...outcomes.deleted],
    duplicates,
    verified,
    hasLists: plan.hasLists,
    ...(plan.removedFromFile.length === 0 ? {} : { removedFromFile: plan.removedFromFile }),
    ...(conflicts.length === 0 ? {} : { conflicts, notTried: skipped }),
    state: { location: ports.backend.location, lineage, serial },
  };
}

/** Resolves what earlier runs left pending, without sending a write; see `Engine.resume`. */
function resumePending(ports: EnginePorts): Promise<readonly ResourceOutcome[]> {
  return withRun(ports, undefined, async (run) => {
    await settleDeletions(run);
    const addresses = [...run.manager.state.pending.keys()];
    if (addresses.length === 0) return [];
    const hasLists = (await listService(run)) !== undefined;
    await dropAbsent(run, await settlePending(run, hasLists));
    if (run.outcomes.isStopped) throw await failedRunError(run, addresses, addresses.length);
    return run.outcomes.settled;
  });
}

/**
 * Lists once more at the end of a run that changed something, to find natural keys with several
 * records. Every resource is in place by then, so a list that fails is not an error.
 */
async function verifyUnique(
  run: Run,
  { plan, live: before }: PlanAndLive,
): Promise<Pick<Receipt, "duplicates" | "verified">> {
  const live = run.outcomes.hasChanges ? await listAgain(run, plan) : before;
  if (live === undefined) return { duplicates: [], verified: false };
  const index = indexLive(live);
  const duplicates = plan.items.flatMap(({ address, kind, resource }) => {
    const found = resource ? index.matches(resource, knownDependencies(run, resource)) : [];
    const own = run.existing.get(address) ?? run.manager.state.records.get(address)?.id;
    const listed = own === undefined ? undefined : (index.byId(kind, own)?.id ?? own);
    // The list may show another run's record already, and not yet the one of this run.
    const shared = (listed && index.duplicateIds(kind, listed)) ?? asList(listed);
    const ids = [...new Set([...found.map(({ id }) => id), ...shared])].sort(compareText);
    return ids.length > 1 ? [{ address, ids }] : [];
  });
  return { duplicates, verified: true };
}

async function listAgain(run: Run, { hasLists }: Plan): Promise<LiveRouting | undefined> {
  return hasLists ? listService(run).catch(unlessDefect) : undefined;
}

function unlessDefect(error: unknown): undefined {
  if (!(error instanceof AmpError)) throw error;
}
