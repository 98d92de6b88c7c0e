import { resolve } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import type { PlanDocument, PlanTarget } from "../documents/routing.ts";
import { warnOfDuplicates, warnOfPlan } from "./apply.ts";
import { applyCommand, type ChosenOptions } from "./apply-source.ts";
import { routingErrors } from "./errors.ts";
import { type FileContext, fileToRead } from "./file/read.ts";
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
): Promise<PlanDocument> {
  const options = { ...given, file: fileToRead(ports, given.file) };
  const { out } = options;
  if (out !== undefined) await refuseOwnFile(ports, options.file, out);
  const source = await readPrunableRouting(ports, options);
  const opened = await openState(ports, options);
  const before = await readState(opened);
  const { model } = source;
  const { plan } = await openEngine(opened, ports, options).plan(model);
  // The error of a plan with conflicts says that it is not saved.
  if (out !== undefined && blockersOf(plan).length === 0) {
    const basis = { model, state: before?.state, target: opened.target, choices: options };
    const text = savedPlanText(plan, basis, ports.now());
    await ports.files.write(out, text, { overwrite: options.overwrite, isPrivate: true });
    ports.report.notice(`Saved as ${out}. To apply it:`, applyCommand(options, out));
  }
  warnOfPlan(ports.report, plan);
  warnOfDuplicates(ports.report, plan);
  return planJson(plan, source.warnings, { target: targetOf(ports), all: options.all });
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
