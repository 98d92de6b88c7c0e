import type { Block, Page } from "../../view/view.ts";
import { type ApplyResult, applyPage } from "../apply.ts";
import { readDestinationContent } from "../model/destination-input.ts";
import { eventWarnings } from "../model/names.ts";
import { planJson } from "../pages/plan.ts";
import { assertApplicable, NO_CHOICES } from "../plan/blockers.ts";
import type { SessionOptions } from "../session.ts";
import type { SetupDecision } from "./answers.ts";
import { type SetupCommand, setupCommand } from "./command-line.ts";
import {
  type Discovery,
  decideByOptions,
  decideByWizard,
  needsQuestions,
  openDiscovery,
} from "./decide.ts";
import { assertConsistent, type SetupContext, type SetupOptions } from "./options.ts";
import { askToResume, readUnfinished } from "./resume.ts";
import { nothingCreated, openSetup, runSetup } from "./run.ts";
import { askAndSaveRouting, saveRouting } from "./save.ts";
import type { UnfinishedFile } from "./unfinished-file.ts";

/** The result of `amp notify setup`: the receipt or plan of an apply, and the command to repeat it. */
export type SetupResult = ApplyResult &
  Partial<SetupCommand> & {
    /** The routing file that was written. */
    readonly savedTo?: string;
  };

/**
 * Sets up routing from event types to a destination: makes a routing model from options, answers or
 * an unfinished setup, and applies it by the path of `amp notify apply`.
 */
export async function setUp(
  ports: SetupContext,
  options: SetupOptions & SessionOptions,
): Promise<SetupResult> {
  assertConsistent(options);
  const session = openSetup(ports, options);
  const discovery = openDiscovery(ports, session.engine);
  const decision = await decide(ports, options, session.file, discovery).catch((error) => {
    throw nothingCreated(error);
  });
  const { action, model, reviewed, earlier } = decision;
  // The file comes first: one that cannot be written must not stop a setup half way.
  const savedTo =
    options.save === undefined && action === "save"
      ? await askAndSaveRouting(ports, model)
      : options.save && (await saveRouting(ports, model, options.save));
  const repeat = { ...setupCommand(model), ...(savedTo ? { savedTo } : {}) };
  if (action === "save" || ports.dryRun) {
    const plan = reviewed ?? (await discovery.planFor(model));
    if (action === "create") assertApplicable(plan, NO_CHOICES);
    return { ...planJson(plan, NO_CHOICES), ...repeat };
  }
  return { ...(await runSetup(ports, { ...session, model, reviewed, earlier })), ...repeat };
}

/** The routing of an unfinished setup, of the wizard, or of options alone. */
async function decide(
  ports: SetupContext,
  options: SetupOptions,
  file: UnfinishedFile,
  discovery: Discovery,
): Promise<SetupDecision & { readonly earlier?: string | undefined }> {
  const resume = async () => ({
    action: "create" as const,
    ...(await readUnfinished(ports, file)),
  });
  if (options.resume) return resume();
  const content = await readDestinationContent(options.destinationType ?? "", options, ports.files);
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  const asks = needsQuestions(ports, options, content);
  const earlier = asks && !ports.dryRun ? await file.read() : undefined;
  if (earlier !== undefined && (await askToResume(ports))) return resume();
  const decideBy = asks ? decideByWizard : decideByOptions;
  return { ...(await decideBy(ports, options, content, discovery)), earlier };
}

/** The page of apply, with every resource listed, and the command that repeats the setup. */
export function setupPage(result: SetupResult): Page {
  const { command, variables = [] } = result;
  const page = applyPage(result, { inPlace: "listed" });
  const blocks: Block[] = [...page.blocks];
  if (command !== undefined) {
    blocks.push({ kind: "command", heading: "Non-interactive command", lines: [command] });
  }
  if (variables.length > 0) {
    blocks.push({ kind: "text", text: `Set these variables first: ${variables.join(", ")}` });
  }
  return { ...page, blocks };
}
