import { AmpError } from "../errors.ts";
import { type Answers, modelOf } from "./answers.ts";
import type { Engine } from "./engine/engine.ts";
import { refuseObstacles } from "./engine/refuse.ts";
import { tellEvents } from "./observe.ts";
import { NO_CHOICES } from "./plan/obstacle.ts";
import type { Plan } from "./plan/plan.ts";
import { isPending } from "./plan/plan-page.ts";
import { openSession, type SessionOptions } from "./session.ts";
import { afterFailure } from "./setup-failure.ts";
import { type SetupFile, setupFileOf, setupText } from "./setup-file.ts";
import type { SetupPorts } from "./setup-ports.ts";
import { type Found, foundByReceipt } from "./setup-result.ts";
import type { StateBackend } from "./state/backend.ts";
import { stateWarning } from "./state/warning.ts";

/** What a setup is carried out with. */
export interface SetupSession {
  readonly engine: Engine;
  readonly backend: StateBackend;
  readonly file: SetupFile;
}

/** Opens engine and state; nothing is read or sent yet. */
export function openSetup(ports: SetupPorts, options: SessionOptions): SetupSession {
  const { talk, surroundings } = ports;
  const now = () => ports.now();
  const observe = tellEvents({ talk, ci: surroundings.ci, now, oneTopic: true });
  // One thing after the other: there are few, and at most one outcome is ever unknown.
  const session = openSession(ports, { ...options, parallel: 1 }, observe);
  const { engine, backend } = session;
  return { engine, backend, file: setupFileOf(ports, session) };
}

/** What is to be set up. */
export interface Undertaking extends SetupSession {
  readonly answers: Answers;
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
export async function bringAbout(ports: SetupPorts, undertaking: Undertaking): Promise<Found> {
  const { talk } = ports;
  const { engine, file, answers, known, review } = undertaking;
  const model = modelOf(answers);
  const text = await setupText(model, ports);
  const started = ports.now().getTime();
  let isKept = false;
  try {
    const receipt = await engine.apply(model, async (plan) => {
      if (!isPending(plan, NO_CHOICES)) return;
      await review?.(plan);
      refuseObstacles(plan, NO_CHOICES);
      warn(ports, undertaking, plan);
      const before = await file.read();
      if (before !== undefined && before !== known && before !== text) {
        talk.warn("An earlier setup was not finished. This one takes its place.");
      }
      await file.save(text);
      isKept = true;
    });
    await file.remove([text, known]);
    if (isKept) talk.notice(`Done in ${seconds(ports.now().getTime() - started)} s.`);
    return foundByReceipt(receipt);
  } catch (error) {
    throw isKept ? await afterFailure(error, { ports, undertaking, text }) : beforeStart(error);
  }
}

/** Until the answers are on disk nothing is created. */
function beforeStart(error: unknown): unknown {
  if (!(error instanceof AmpError) || error.facts.done !== undefined) return error;
  return error.with({ done: "Nothing was created." });
}

function warn(
  { talk, surroundings: { ci } }: SetupPorts,
  { backend }: SetupSession,
  { lists }: Plan,
): void {
  const warning = stateWarning({ backend, lists, ci });
  if (warning !== undefined) talk.warn(warning);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
