import { asList, compareText } from "../../values/basics.ts";
import type { RoutingModel } from "../model/routing.ts";
import { sharedTopics } from "../plan/beyond.ts";
import { assertApplicable } from "../plan/conflicts.ts";
import { indexLive } from "../plan/live.ts";
import { makePlanUntil } from "../plan/make-plan.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { readState } from "../state/open-backend.ts";
import { settleDeletions, withoutDeleted } from "./delete-resources.ts";
import { executePlan, reportInPlace } from "./execute-plan.ts";
import { failedRunError } from "./failure.ts";
import { pruneRecords } from "./prune.ts";
import { dropAbsent, settlePending } from "./reconcile.ts";
import {
  knownDependencies,
  listIfPossible,
  listService,
  planFromFreshLists,
  type Run,
  withRun,
} from "./run.ts";
import type { EnginePorts, PlanAndLive, Receipt, ResourceOutcome } from "./types.ts";

/** The operations of {@link createEngine}. */
export type Engine = ReturnType<typeof createEngine>;

/** An engine over its ports. Creating it reads and sends nothing. */
export function createEngine(ports: EnginePorts) {
  return {
    /** Makes a plan from a fresh list; sends no write and takes no lock. */
    plan: async (model: RoutingModel): Promise<PlanAndLive> => {
      const saved = await readState(ports);
      const live = await listService({ ports, manager: saved });
      const state = saved && withoutDeleted(saved.state, live);
      const input = { model, state, live, choices: ports.options };
      const plan = await makePlanUntil(ports.signal, input);
      ports.observe({ type: "planned", plan });
      return { plan, live };
    },
    apply: (model: RoutingModel, approve?: Approve) => applyModel(ports, model, approve),
    resume: () => resumePending(ports),
  };
}

/** Throws unless a plan may be applied. */
type Approve = (plan: Plan) => Promise<void>;

/**
 * Applies a model.
 * @throws {PartialError} exit 9: partly applied, or an outcome is unknown
 * @throws {ConflictError} exit 5: a conflict with what exists, ambiguous, or locked
 * @throws {AmpError} the service's refusal, where nothing was changed
 */
function applyModel(
  ports: EnginePorts,
  model: RoutingModel,
  approve: Approve | undefined,
): Promise<Receipt> {
  return withRun(ports, model, async (run) => {
    await settleDeletions(run);
    const reviewed = await planFromFreshLists(run, model);
    ports.observe({ type: "planned", plan: reviewed.plan });
    await throwIfStopped(run, reviewed);
    await approve?.(reviewed.plan);
    assertApplicable(reviewed.plan);
    reportInPlace(run, reviewed);
    await throwIfStopped(run, reviewed);
    const hasPending = run.manager.state.pending.size > 0;
    const absent = hasPending ? await settlePending(run, reviewed.plan.hasLists) : [];
    await throwIfStopped(run, reviewed);
    // A reconciled record may be what routes depend on, which can be looked up only now.
    const final = hasPending
      ? await planFromFreshLists(run, model, { ignorePending: true })
      : reviewed;
    assertApplicable(final.plan);
    reportInPlace(run, final);
    await executePlan(run, final, absent);
    await throwIfStopped(run, final);
    await pruneRecords(run, final, reviewed.plan);
    await throwIfStopped(run, final);
    return receiptOf(run, final, reviewed.plan);
  });
}

async function throwIfStopped(run: Run, { plan }: PlanAndLive): Promise<void> {
  if (!run.outcomes.isStopped) return;
  const inRun = plan.items.filter(({ action }) => action !== "release");
  const addresses = inRun.map(({ address }) => address);
  const named = inRun.filter(({ action }) => action !== "delete");
  throw await failedRunError(run, addresses, named.length);
}

/** @param reviewed the plan before anything was written */
async function receiptOf(run: Run, planned: PlanAndLive, reviewed: Plan): Promise<Receipt> {
  const { plan } = planned;
  const { ports, manager, outcomes } = run;
  const { lineage, serial } = manager.state;
  const { duplicates, verified } = await verifyUnique(run, planned);
  const order = new Map(plan.items.map(({ address }, at) => [address, at]));
  const shared = sharedTopics(reviewed.items, reviewed);
  const place = ({ address }: Pick<PlanItem, "address">) => order.get(address) ?? order.size;
  return {
    settled: outcomes.settled.toSorted((a, b) => place(a) - place(b)),
    deleted: [...outcomes.deleted],
    duplicates,
    verified,
    hasLists: plan.hasLists,
    ...(plan.removedFromFile.length === 0 ? {} : { removedFromFile: plan.removedFromFile }),
    ...(shared.length === 0 ? {} : { sharedTopics: shared }),
    ...(plan.unmanaged.length === 0 ? {} : { unmanaged: plan.unmanaged }),
    state: { location: ports.backend.location, lineage, serial },
  };
}

/** Resolves what earlier runs left pending, without sending a write. */
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
  const live = run.outcomes.hasChanges && plan.hasLists ? await listIfPossible(run) : before;
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
