import { once } from "../../values/once.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import type { Block, Page } from "../../view/view.ts";
import { type ApplyResult, applyPage } from "../apply-result.ts";
import { receiptJson } from "../engine/receipt.ts";
import { type DestinationContent, readDestinationContent } from "../model/destination-input.ts";
import { routingWarnings } from "../model/destination-warnings.ts";
import { eventWarnings, expandEvents } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import { assertApplicable, NO_CHOICES } from "../plan/blockers.ts";
import { planJson } from "../plan/plan-document.ts";
import type { SessionOptions } from "../session.ts";
import {
  answersOfModel,
  type RefusedAnswers,
  type SetupContext,
  type SetupDecision,
  type SetupOptions,
} from "./answers.ts";
import {
  assertConsistent,
  type Discovery,
  decideByOptions,
  decideByWizard,
  needsQuestions,
  openDiscovery,
} from "./decide.ts";
import { assertEvents, missingOptions, withExistingDestination } from "./given-options.ts";
import { askToResume, readUnfinished, setupToResume, warnOfOthers } from "./resume.ts";
import { openSetup, refusedAnswers, runSetup, type SetupSession } from "./run.ts";
import {
  askAndSaveRouting,
  checkSave,
  nothingCreated,
  type SavedFile,
  savedText,
  saveRouting,
} from "./save.ts";
import { type SetupCommand, setFirst, setupCommand, withRecreate } from "./setup-command.ts";
import type { Unfinished } from "./unfinished.ts";

/** The result of `amp notify setup`: the receipt or plan of an apply, and the command to repeat it. */
export type SetupResult = ApplyResult &
  Partial<SetupCommand> &
  Partial<SavedFile> & {
    /** The command that prints the signing secret of a new webhook. */
    readonly secretCommand?: SuggestedCommand;
  };

/**
 * Sets up routing from event types to a destination: makes a routing model from options, answers or
 * an unfinished setup, and applies it by the path of `amp notify apply`.
 */
export async function setUp(ports: SetupContext, given: SetupChoices): Promise<SetupResult> {
  const options = { ...given, event: expandEvents(given.event) };
  assertEvents(options.event);
  assertConsistent(options, ports);
  let refused: Refusal | undefined;
  for (;;) {
    const round = await setUpOnce(ports, options, refused);
    if (!("refused" in round)) return round;
    refused = round.refused;
  }
}

/** The answers of a wizard that the service refused, and the earlier setups that they replace. */
interface Refusal extends RefusedAnswers {
  readonly earlier: readonly Unfinished[] | undefined;
}

type SetupChoices = SetupOptions & SessionOptions;

/** Decides and creates once. What the service refuses of a wizard's answers is shown and returned. */
async function setUpOnce(
  ports: SetupContext,
  given: SetupChoices,
  refused: Refusal | undefined,
): Promise<SetupResult | { readonly refused: Refusal }> {
  const asked = openSetup(ports, given);
  const discovery = openDiscovery(ports, asked.engine);
  const decision = await decide(ports, given, asked, discovery, refused).catch((error) => {
    throw nothingCreated(error, refused);
  });
  const { action, model, reviewed, earlier, others = [] } = decision;
  const { recreate = given.recreate ?? false } = decision;
  const { adoptChanges = false, changeShared = false } = given;
  const choices = { ...NO_CHOICES, recreate, adoptChanges, changeShared };
  // A file of an earlier round is of this command.
  const options = { ...given, recreate, overwrite: given.overwrite || refused !== undefined };
  const { save: path } = options;
  const save = once(async () =>
    path === undefined ? undefined : saveRouting(ports, model, { ...options, path }),
  );
  const command = setupCommand(model);
  const result = (all: SetupResult) => {
    if (decision.isTyped && command?.variables.length === 0) typedResults.add(all);
    return all;
  };
  if (action === "save" || ports.dryRun) {
    const isAsked = path === undefined && action === "save";
    const saved = await (isAsked ? askAndSaveRouting(ports, model, options) : save());
    const repeat = { ...command, ...saved };
    const plan = reviewed ?? (await discovery.planFor(model));
    if (action === "create") assertApplicable(plan, choices);
    return result({ ...planJson(plan, choices, routingWarnings(model)), ...repeat });
  }
  // The engine waits longer where it may make a second record.
  const session = recreate === given.recreate ? asked : openSetup(ports, options);
  try {
    const job = { ...session, model, choices, reviewed, earlier, refused, save };
    const warnings = [...routingWarnings(model), ...(await warnOfOthers(ports, others))];
    const receipt = await runSetup(ports, job);
    const saved = await save();
    if (saved) ports.report.notice(`${savedText(saved)} To apply it again:`, saved.applyCommand);
    return result({
      ...receiptJson(receipt, warnings),
      ...command,
      ...saved,
      ...secretStep(model),
    });
  } catch (error) {
    const again = refusedAnswers(error, decision.answers, refused);
    if (again === undefined) throw withRecreate(error, model);
    ports.report.warn(again.says);
    return { refused: { ...again, earlier } };
  }
}

/** The step after a setup of a webhook: its receiver needs the secret to verify messages. */
function secretStep({ destinations }: RoutingModel): Pick<SetupResult, "secretCommand"> {
  const [name, part] = [...destinations][0] ?? [];
  if (name === undefined || part?.kind !== "new" || part.type !== "webhook") return {};
  return { secretCommand: suggest("notify destinations secret", [name]) };
}

/** The routing of an unfinished setup, of the wizard, or of options alone. */
async function decide(
  ports: SetupContext,
  given: SetupOptions,
  { unfinished }: Pick<SetupSession, "unfinished">,
  discovery: Discovery,
  refused: Refusal | undefined,
): Promise<SetupDecision & Partial<EarlierSetups>> {
  const resume = async (one: Unfinished) => {
    const model = await readUnfinished(ports, one);
    const earlier = [one];
    const answers = answersOfModel(model);
    const asks = ports.interactive && !ports.yes && !ports.dryRun && answers !== undefined;
    if (!asks) return { action: "create" as const, model, earlier };
    const start = { answers, isReviewed: true };
    return { ...(await decideByWizard(ports, given, NO_CONTENT, discovery, start)), earlier };
  };
  const list = async () => (await unfinished()).list();
  if (given.resume) return resume(await setupToResume(ports, await list()));
  const { destinationType: type = "" } = given;
  const content = await readDestinationContent(type, given, ports.files);
  if (refused !== undefined) {
    const { earlier } = refused;
    return { ...(await decideByWizard(ports, given, content, discovery, refused)), earlier };
  }
  // The wizard finds it by itself; without consent nothing is asked of the service.
  const finds = !ports.interactive && (ports.yes || ports.dryRun);
  const options = finds ? await withExistingDestination(given, content, discovery.live) : given;
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  const asks = needsQuestions(ports, options, content);
  if (asks && missingOptions(options, content).length > 0) await checkSave(ports, options);
  if (!asks) {
    const decided = await decideByOptions(ports, options, content, discovery);
    if (ports.dryRun) return decided;
    const own = (await unfinished()).of(decided.model, "");
    return { ...decided, others: (await list()).filter(({ path }) => path !== own.path) };
  }
  const earlier = ports.dryRun ? [] : await list();
  const resumed = earlier.length === 0 ? undefined : await askToResume(ports, earlier);
  if (resumed !== undefined) return resume(resumed);
  return { ...(await decideByWizard(ports, options, content, discovery)), earlier };
}

const NO_CONTENT: DestinationContent = { metadata: {}, secrets: {} };

/** The unfinished setups that were found before a setup. */
interface EarlierSetups {
  /** Those that this one resumes or replaces. */
  readonly earlier: readonly Unfinished[] | undefined;
  /** Those that remain. */
  readonly others: readonly Unfinished[];
}

/** The results of commands that need no other to repeat them: what was typed is not shown again. */
const typedResults = new WeakSet<SetupResult>();

/** The page of apply, with every resource listed, and the command that repeats the setup. */
export function setupPage(result: SetupResult): Page {
  const { command, variables = [], savedTo, applyCommand, secretCommand } = result;
  const isSavedOnly = "items" in result && savedTo !== undefined;
  const page = isSavedOnly
    ? { title: `${savedText({ savedTo })} Nothing was created.`, blocks: [] }
    : applyPage(result, { inPlace: "listed" });
  const heading = isSavedOnly ? "To apply it" : "Non-interactive command";
  const shown = isSavedOnly ? applyCommand : typedResults.has(result) ? undefined : command;
  const blocks: Block[] = [...page.blocks];
  if (variables.length > 0) {
    blocks.push({ kind: "text", text: setFirst(variables) });
  }
  if (shown !== undefined) blocks.push({ kind: "command", heading, lines: [shown] });
  if (secretCommand !== undefined) {
    const lines = [secretCommand];
    blocks.push({ kind: "command", heading: "Signing secret for the receiver", lines });
  }
  return { ...page, blocks };
}
