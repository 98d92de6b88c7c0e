import type { Api } from "../api/api.ts";
import { AmpError, InterruptedError, PartialError, TerminatedError } from "../errors.ts";
import type { Address } from "./address.ts";
import { type Created, create } from "./create.ts";
import { type RoutingModel, type Standing, standingOf } from "./model.ts";
import { type Step, stepsOf } from "./steps.ts";
import { brokenOffAt, type Progress, stoppedAt } from "./stopped.ts";

/** A step with what came of it. */
export interface Made {
  readonly step: Step;
  readonly id: string;
  /** The service's own answer. */
  readonly record: Created;
}

/** How a step has settled, as it does. */
export type Report =
  | { readonly outcome: "created"; readonly step: Step; readonly id: string }
  | { readonly outcome: "refused" | "unknown"; readonly step: Step };

/** What is to be made, and where. */
export interface Application {
  readonly api: Api;
  readonly project: string;
  readonly model: RoutingModel;
  /** What exists already, beyond what the model says of itself. */
  readonly standing?: Standing;
  /** Whether the service lists what exists, to look up what an outcome left open. */
  readonly lists: boolean;
  /** Once it is aborted, no further create starts. */
  readonly signal: AbortSignal;
  readonly report: (report: Report) => void;
}

/**
 * Creates what the model wants and what does not stand yet, one thing after the other: at most one
 * outcome is ever unknown, and whatever is wrong stops the rest.
 * @throws {PartialError} where something was created, or may have been
 * @throws {InterruptedError | TerminatedError} on a signal; each of them tells what exists now
 * @throws {AmpError} the service's refusal, where nothing was created
 */
export async function applyRouting(application: Application): Promise<readonly Made[]> {
  const { api, project, model, lists, signal, report } = application;
  const standing = application.standing ?? new Map<Address, string>();
  const steps = stepsOf(model, standing);
  const ids = new Map([...standingOf(model), ...standing]);
  const made: Made[] = [];
  for (const [at, step] of steps.entries()) {
    const progress: Progress = { model, standing, lists, made, steps: steps.slice(at) };
    if (signal.aborted) throw brokenOffAt(progress, signal.reason);
    try {
      const record = await created(create(step, { api, project, ids }));
      made.push({ step, id: record.id, record });
      ids.set(step.address, record.id);
      report({ outcome: "created", step, id: record.id });
    } catch (error) {
      if (!(error instanceof AmpError)) throw error;
      report({ outcome: isUnknown(error) ? "unknown" : "refused", step });
      throw isInterrupt(error)
        ? brokenOffAt(progress, signal.reason, "unknown")
        : stoppedAt(progress, error, isUnknown(error) ? "unknown" : "refused");
    }
  }
  return made;
}

/** An answer that is odd but holds an id tells what matters: the thing exists, under that id. */
async function created(call: Promise<Created>): Promise<Created> {
  try {
    return await call;
  } catch (error) {
    const record = error instanceof PartialError ? error.facts.data?.created : undefined;
    if (typeof record !== "object" || record === null) throw error;
    if (!("id" in record) || typeof record.id !== "string") throw error;
    return { ...record, id: record.id };
  }
}

/** A request that a signal broke off may have arrived. */
function isUnknown(error: AmpError): boolean {
  return error instanceof PartialError || isInterrupt(error);
}

function isInterrupt(error: AmpError): boolean {
  return error instanceof InterruptedError || error instanceof TerminatedError;
}
