import type { Report } from "./apply.ts";
import type { Step, StepKind } from "./steps.ts";

/** A step that has settled, as it is told. */
export interface SettledStep {
  readonly state: "done" | "unchanged" | "failed" | "unknown";
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  /** Why, where the state does not say it. */
  readonly note?: string;
}

const STATES = { created: "done", refused: "failed", unknown: "unknown" } as const;

/** What a step is called in a line of progress, where there is little room. */
const KINDS: Readonly<Record<StepKind, string>> = {
  destination: "destination",
  topic: "topic",
  "event-route": "route",
  "destination-route": "route",
};

/** The line of progress for a step. */
export function settledStep(report: Report): SettledStep {
  return {
    state: STATES[report.outcome],
    kind: KINDS[report.step.kind],
    name: stepName(report.step),
    ...(report.outcome === "created" ? { id: report.id } : {}),
  };
}

function stepName(step: Step): string {
  if ("name" in step) return step.name;
  return "event" in step ? step.event : `${step.topic} → ${step.destination}`;
}
