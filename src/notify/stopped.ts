import {
  type AmpError,
  type ErrorFacts,
  InterruptedError,
  PartialError,
  TerminatedError,
} from "../errors.ts";
import type { Made } from "./apply.ts";
import type { RoutingModel, Standing } from "./model.ts";
import { lookCommand, restCommand } from "./next-command.ts";
import type { Step } from "./steps.ts";

/** Where the making of a routing has stopped. */
export interface Progress {
  readonly model: RoutingModel;
  readonly standing: Standing;
  /** Whether the service lists what exists. */
  readonly lists: boolean;
  readonly made: readonly Made[];
  /** The step it stopped at, then those not tried. */
  readonly steps: readonly Step[];
}

/** Whether it is certain that the step in question created nothing. */
type Outcome = "refused" | "unknown";

/** The error for a step that failed. */
export function stoppedAt(progress: Progress, error: AmpError, outcome: Outcome): AmpError {
  const { made, steps } = progress;
  const facts = factsAt(progress, error.facts, outcome);
  if (outcome === "refused" && made.length === 0) return error.with(facts);
  const total = made.length + steps.length;
  const message =
    outcome === "unknown"
      ? `${made.length} of ${total} created, 1 outcome unknown: ${decapitalised(error.message)}`
      : `${made.length} of ${total} created, then it stopped: ${decapitalised(error.message)}`;
  return new PartialError(message, facts, { cause: error });
}

/** The error for a signal, before a step or in the middle of one. */
export function brokenOffAt(progress: Progress, reason: unknown, outcome?: Outcome): AmpError {
  const facts = factsAt(progress, {}, outcome);
  return reason === "SIGINT" || reason === undefined
    ? new InterruptedError("Interrupted", facts)
    : new TerminatedError("Terminated", facts);
}

function factsAt(progress: Progress, facts: ErrorFacts, outcome: Outcome | undefined): ErrorFacts {
  const { made, steps } = progress;
  const failed = outcome === undefined ? undefined : steps[0];
  const later = failed === undefined ? steps : steps.slice(1);
  return {
    ...facts,
    done: doneText(made, failed, outcome, later),
    ...nextStep(progress, outcome, failed),
    data: {
      ...facts.data,
      created: made.map(({ step, id }) => ({ address: step.address, id })),
      ...(failed ? { failed: { address: failed.address, outcome } } : {}),
      notTried: later.map(({ address }) => address),
    },
  };
}

function nextStep(progress: Progress, outcome: Outcome | undefined, failed?: Step): ErrorFacts {
  if (outcome === "unknown" && !progress.lists) {
    return { remedy: "This service has no list to look it up in: ask those who run it." };
  }
  const suggestion =
    outcome === "unknown"
      ? lookCommand(progress)
      : progress.made.length > 0 && restCommand(progress, failed);
  return suggestion ? { suggestion } : {};
}

function doneText(
  made: readonly Made[],
  failed: Step | undefined,
  outcome: Outcome | undefined,
  later: readonly Step[],
): string {
  const width = Math.max(...made.map(({ step }) => step.address.length), 0);
  const created = made.map(({ step, id }) => `  ${step.address.padEnd(width)}  ${id}`);
  const unknown = outcome === "unknown" && failed ? [failed.address] : [];
  // A refusal is told in the first line; what it was about is not yet.
  const refused = outcome === "refused" && failed && made.length > 0 ? [failed.address] : [];
  return [
    ...(created.length > 0 ? ["Created:", ...created] : []),
    ...(created.length === 0 && unknown.length === 0 ? ["Nothing was created."] : []),
    ...unknown.map((address) => `May exist, and was not sent again:\n  ${address}`),
    ...refused.map((address) => `Not created:\n  ${address}`),
    ...(later.length > 0 && made.length + unknown.length > 0
      ? ["Not tried:", ...later.map(({ address }) => `  ${address}`)]
      : []),
  ].join("\n");
}

function decapitalised(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
