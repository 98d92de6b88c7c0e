import { resolve } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import type { PlanTarget } from "../documents/routing.ts";
import { warnOfDuplicates, warnOfPlan } from "./apply.ts";
import { applyCommand, type ChosenOptions } from "./apply-source.ts";
import { routingErrors } from "./errors.ts";
import { type FileContext, fileToRead } from "./file/read.ts";
import { SAVED, type ShownPlan } from "./pages/plan.ts";
import { blockersOf } from "./plan/conflicts.ts";
import { planJson } from "./plan/plan-document.ts";
import { savedPlanText } from "./plan/saved-plan.ts";
import { openEngine, readPrunableRouting, type SessionContext } from "./session.ts";
import { openState, readState } from "./state/open-backend.ts";

/** The part of a command's context that a plan uses. */
type PlanContext = SessionContext & FileContext & Pick<CommandContext, "files">;

/** Plans a routing file, and saves the plan if a path for it is given. */
export async function planFile(
  ports: PlanContext,
  given: ChosenOptions & {
    readonly out?: string | undefined;
    readonly overwrite: boolean;
  },
): Promise<ShownPlan> {
  const options = { ...given, file: fileToRead(ports, given.file) };
  const { out } = options;
  if (out !== undefined) await refuseOwnFile(ports, options.file, out);
  const source = await readPrunableRouting(ports, options);
  const opened = await openState(ports, options);
  const before = await readState(opened);
  const { model } = source;
  const { plan } = await openEngine(opened, ports, options).plan(model);
  warnOfPlan(ports.report, plan);
  warnOfDuplicates(ports.report, plan);
  const shown = planJson(plan, source.warnings, { target: targetOf(ports), all: options.all });
  // The error of a plan with conflicts says that it is not saved.
  if (out === undefined || blockersOf(plan).length > 0) return shown;
  const basis = { model, state: before?.state, target: opened.target, choices: options };
  const text = savedPlanText(plan, basis, ports.now());
  await ports.files.write(out, text, { overwrite: options.overwrite, isPrivate: true });
  return { ...shown, [SAVED]: { path: out, apply: applyCommand(options, out) } };
}

function targetOf({ settings, project, target }: PlanContext): PlanTarget {
  const projectFrom = settings.get("project")?.source ?? "--project";
  return { project, baseUrl: target().baseUrl, projectFrom };
}

/** @throws {UsageError} where the plan would replace the routing file that it is made from */
async function refuseOwnFile(
  { files, environment: { cwd } }: Pick<PlanContext, "files" | "environment">,
  file: string,
  out: string,
): Promise<void> {
  if (file === "-") return;
  const [from, to] = await Promise.all(
    [file, out].map((path) => files.realPath(path).catch(() => resolve(cwd, path))),
  );
  if (from !== to) return;
  throw routingErrors.plan_over_routing_file(out);
}
