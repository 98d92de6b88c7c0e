import { parseState } from "../state/format.ts";
import { checkTarget } from "../state/target.ts";
import { applyModel } from "./apply.ts";
import type { Engine, EnginePorts } from "./engine.ts";
import { planOf } from "./planned.ts";
import { resumePending } from "./resume.ts";
import { lookWith } from "./run.ts";

/** The engine over its ports. Nothing is read or sent before it is asked for something. */
export function createEngine(ports: EnginePorts): Engine {
  const { backend, target, observe } = ports;
  return {
    plan: async (model) => {
      const text = await backend.read();
      const state = text === undefined ? undefined : parseState(text, backend.place);
      if (state) checkTarget(state, target);
      const live = await lookWith(ports, state);
      const plan = planOf(model, state, live);
      observe({ type: "planned", plan });
      return { plan, live };
    },
    apply: (model, approve) => applyModel(ports, model, approve),
    resume: () => resumePending(ports),
  };
}
