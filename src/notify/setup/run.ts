import { AmpError } from "../../errors.ts";
import type { Engine } from "../engine/types.ts";
import { isPending } from "../pages/plan.ts";
import { assertApplicable, NO_CHOICES } from "../plan/blockers.ts";
import type { Plan } from "../plan/plan.ts";
import { reportEvents } from "../progress.ts";
import { openEngine, type SessionOptions } from "../session.ts";
import { type StateBackend, stateWarning } from "../state/backend.ts";
import { openState } from "../state/open-backend.ts";
import { modelOfAnswers, type SetupAnswers } from "./answers.ts";
import { setupError } from "./failure.ts";
import type { SetupContext } from "./options.ts";
import { outcomeOfReceipt, type SetupOutcome } from "./result.ts";
import { type UnfinishedFile, unfinishedFileOf, unfinishedText } from "./unfinished-file.ts";

/** What a setup is carried out with. */
export interface SetupSession {
  readonly engine: Engine;
  readonly backend: StateBackend;
  readonly file: UnfinishedFile;
}

/** Opens engine and state; nothing is read or sent yet. */
export function openSetup(ports: SetupContext, options: SessionOptions): SetupSession {
  const observe = reportEvents(ports, { oneTopic: true });
  // One thing after the other: there are few, and at most one outcome is ever unknown.
  const opened = openState(ports, options);
  const engine = openEngine(opened, ports, { ...options, parallel: 1 }, observe);
  return { engine, backend: opened.backend, file: unfinishedFileOf(ports, opened) };
}

/** What is to be set up. */
export interface SetupJob extends SetupSession {
  readonly answers: SetupAnswers;
  /** The unfinished setup that this one goes on with, or was chosen over. */
  readonly known?: string | undefined;
  /** Of the command line: the same state must be named again to go on. */
  readonly state?: string | undefined;
  /** Asks before anything is created, where that has not been agreed to. */
  readonly review?: (plan: Plan) => Promise<void>;
}

/**
 * Creates what the answers ask for and what is not there. While it runs, the answers are on disk.
 * @throws what the engine throws, with the command that goes on from there
 */
export async function runSetup(ports: SetupContext, undertaking: SetupJob): Promise<SetupOutcome> {
  const { report } = ports;
  const { engine, file, answers, known, review } = undertaking;
  const model = modelOfAnswers(answers);
  const text = await unfinishedText(model, ports);
  const started = ports.now().getTime();
  let isKept = false;
  try {
    const receipt = await engine.apply(model, async (plan) => {
      if (!isPending(plan, NO_CHOICES)) return;
      await review?.(plan);
      assertApplicable(plan, NO_CHOICES);
      warn(ports, undertaking, plan);
      const before = await file.read();
      if (before !== undefined && before !== known && before !== text) {
        report.warn("An earlier setup was not finished. This one takes its place.");
      }
      await file.save(text);
      isKept = true;
    });
    await file.remove([text, known]);
    if (isKept) report.notice(`Done in ${seconds(ports.now().getTime() - started)} s.`);
    return outcomeOfReceipt(receipt);
  } catch (error) {
    throw isKept ? await setupError(error, { ports, undertaking, text }) : beforeStart(error);
  }
}

/** Until the answers are on disk nothing is created. */
function beforeStart(error: unknown): unknown {
  if (!(error instanceof AmpError) || error.facts.done !== undefined) return error;
  return error.with({ done: "Nothing was created." });
}

function warn(
  { report, environment: { ci } }: SetupContext,
  { backend }: SetupSession,
  { lists }: Plan,
): void {
  const warning = stateWarning({ backend, lists, ci });
  if (warning !== undefined) report.warn(warning);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
