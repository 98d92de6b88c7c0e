import { resolve } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import type { PlanDocument } from "../documents/routing.ts";
import { AmpError, stops } from "../errors.ts";
import { asList } from "../values/basics.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { formatFacts } from "../values/setting.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import type { Page } from "../view/view.ts";
import type { Engine } from "./engine/engine.ts";
import { type ReceiptDocument, receiptJson } from "./engine/receipt.ts";
import type { Receipt } from "./engine/types.ts";
import { routingErrors } from "./errors.ts";
import {
  DEFAULT_FILE,
  type FileContext,
  type FileOptions,
  fileToRead,
  type ReadRouting,
  STANDARD_INPUT,
} from "./file/read.ts";
import type { RoutingModel } from "./model/routing.ts";
import type { ApplyResult } from "./pages/apply.ts";
import { keptText, planPage, SAVED, type ShownPlan } from "./pages/plan.ts";
import { duplicatesWarning } from "./plan/beyond.ts";
import { assertApplicable, blockedError, blockersOf } from "./plan/conflicts.ts";
import { consentQuestion, deletions, isChange, needsApply, type Plan } from "./plan/plan.ts";
import { planJson } from "./plan/plan-document.ts";
import {
  checkPlanned,
  checkSavedPlan,
  type ReadPlan,
  readSavedPlan,
  savedPlanText,
} from "./plan/saved-plan.ts";
import { ACCEPT_WORDS, type PlanChoices } from "./plan/table.ts";
import { reportEvents } from "./progress.ts";
import {
  openEngine,
  readPrunableRouting,
  type SessionContext,
  type SessionOptions,
} from "./session.ts";
import { type StateBackend, stateWarning } from "./state/backend.ts";
import { HISTORY_LIMITS } from "./state/history.ts";
import { type OpenedState, openState, readState } from "./state/open-backend.ts";

/** The part of a command's context that an apply uses. */
export type ApplyContext = SessionContext &
  FileContext &
  Pick<CommandContext, "dryRun" | "interactive" | "output" | "prompt" | "yes">;

/** Reads a routing file, shows the plan, asks for consent unless it was saved, and applies it. */
export async function applyFile(ports: ApplyContext, given: ApplyOptions): Promise<ApplyResult> {
  const source = await readSource(ports, given);
  const { model, warnings, options, saved } = source;
  const { all, file } = options;
  const opened = await openState(ports, options);
  const { backend, target } = opened;
  if (saved) {
    const state = await readState(opened);
    const basis = { model, state: state?.state, target, choices: options };
    checkSavedPlan(saved, basis, backend.location);
  }
  const document = (plan: Plan) => planJson(plan, warnings, { all });
  const removeUnfinished = await unfinishedSetup(ports, backend, file);
  const applied = planAndApply(ports, opened, options, {
    model,
    warnings,
    all,
    document,
    // A saved plan has been reviewed. The state may be of another author, so it is always shown.
    consent: saved ? "given" : { command: "amp notify apply" },
    check: (plan) => {
      if (saved && !ports.dryRun) checkPlanned(saved, plan);
      // A summary of a CI job is read without the error.
      if (ports.dryRun || formatFacts(ports.output.format()).isRead !== "always") return;
      const error = blockedError(blockersOf(plan));
      if (error !== undefined) throw error.setFacts({ result: document(plan) });
    },
  });
  const result = await (saved ? applied.catch(adviseNewPlan(saved)) : applied);
  if ("settled" in result) await removeUnfinished?.();
  return result;
}

/** What removes the file of a setup that did not finish; undefined for any other file. */
async function unfinishedSetup(
  { environment }: Pick<ApplyContext, "environment">,
  backend: StateBackend,
  file: string,
): Promise<(() => Promise<void>) | undefined> {
  if (!file.endsWith(".setup.yaml")) return undefined;
  const { unfinishedSetups } = await import("./unfinished.ts");
  const setups = unfinishedSetups(backend, environment);
  const found = await setups.find(file);
  return () => setups.remove(found);
}

interface PlanRequest extends Pick<ApplyRequest, "model" | "check" | "warnings" | "all"> {
  readonly consent: Consent | ApplyRequest["consent"];
  readonly document: (plan: Plan) => PlanDocument;
  /** What is planned, if not the apply of a file. */
  readonly subject?: string;
  /** Says that nothing is to be done, or was. */
  readonly noteNothing?: () => void;
}

/** Plans a routing, asks for consent, and applies it. A dry run only plans. */
export async function planAndApply(
  ports: ApplyContext,
  opened: OpenedState,
  options: SessionOptions,
  { document, consent, subject, noteNothing, ...request }: PlanRequest,
): Promise<ApplyResult> {
  const { report } = ports;
  const oneTopic = request.model.topics.size === 1;
  const engine = openEngine(opened, ports, options, reportEvents(ports, { oneTopic }));
  if (ports.dryRun) {
    const plan = await engine.plan(request.model);
    request.check?.(plan);
    warnOfPlan(report, plan);
    warnOfDuplicates(report, plan);
    if (!needsApply(plan)) noteNothing?.();
    return document(plan);
  }
  const review = async (plan: Plan) => {
    if (typeof consent === "function") return consent(plan);
    const isAgreed = !ports.interactive && (ports.yes || consent === "given");
    const isLogged = isAgreed && ports.output.isJobLog();
    const isShort = isLogged || (isAgreed && deletions(plan) === 0);
    const page = (isShort ? shortPage : planPage)(document(plan));
    // The receipt in the log of a job begins with the counts.
    const title = isLogged ? undefined : asList(subject, page.title).join(": ");
    await reviewPlan(ports, plan, { page: { ...page, title }, consent });
  };
  const where = { engine, backend: opened.backend };
  const receipt = await applyReviewed(ports, where, { ...request, consent: review });
  if (receipt.settled.every(({ sent }) => !sent)) noteNothing?.();
  return receipt;
}

/** A plan that nobody is asked about: each change is a line of progress, the rest in the receipt. */
function shortPage(plan: PlanDocument): Page {
  const page = planPage({ ...plan, removedFromFile: [], others: [] });
  return { ...page, blocks: page.blocks.filter((block) => !("inRows" in block && block.inRows)) };
}

/**
 * A run that stopped has saved the state: its plan is out of date, and only a new one continues it.
 */
function adviseNewPlan({ again }: ReadPlan): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AmpError) || error.facts.data?.notTried === undefined) throw error;
    throw error.setFacts({
      remedy: "This plan is now out of date. Make a new one to see what remains to be done.",
      suggestion: asList(error.facts.suggestion, again),
    });
  };
}

interface ApplyRequest {
  readonly model: RoutingModel;
  /** What is doubtful about the routing, for the receipt. */
  readonly warnings: readonly string[];
  /** Whether the receipt lists unchanged resources. */
  readonly all?: boolean;
  /** Throws where the plan is not the one that was agreed to earlier. */
  readonly check?: ((plan: Plan) => void) | undefined;
  /** Shows the plan and asks; called only where something would change at the service. */
  readonly consent: (plan: Plan) => Promise<void>;
}

/**
 * Applies a routing once its plan is agreed to, as `apply`, `setup`, `update` and `undo` do.
 * @throws the engine's error, with the receipt as far as the run came
 */
export async function applyReviewed(
  ports: Pick<ApplyContext, "report" | "guard" | "environment" | "now">,
  { engine, backend }: { readonly engine: Engine; readonly backend: StateBackend },
  { model, warnings, check, consent, all }: ApplyRequest,
): Promise<ReceiptDocument> {
  const { report, guard, environment, now } = ports;
  const begun = now().getTime();
  let asked = 0;
  const onPage = () => ({ all, ms: now().getTime() - begun - asked });
  const applied = engine.apply(model, async (plan) => {
    check?.(plan);
    warnOfPlan(report, plan);
    // A plan that cannot be applied needs no question: the error has all that it would show.
    assertApplicable(plan);
    const warning = stateWarning(backend, { hasLists: plan.lists, ci: environment.ci });
    if (warning !== undefined) report.warn(warning);
    if (needsApply(plan)) {
      const from = now().getTime();
      await consent(plan).then(guard.assertMayWrite);
      asked = now().getTime() - from;
      return;
    }
    for (const one of plan.kept) report.warn(keptText(one));
  });
  const receipt = await applied.catch((error: unknown) => {
    const soFar = error instanceof AmpError ? error.facts.receipt : undefined;
    if (soFar === undefined) throw error;
    throw (error as AmpError).setFacts({ result: receiptJson(soFar, warnings, onPage()) });
  });
  warnOfDuplicates(report, receipt);
  return receiptJson(receipt, warnings, onPage());
}

/** Warns of new names that existing ones resemble, and of a run that cannot be taken back. */
function warnOfPlan(
  { warn }: Pick<ApplyContext["report"], "warn">,
  { nameWarnings = [], items }: Plan,
): void {
  for (const text of nameWarnings) warn(text);
  const changes = items.filter(isChange).length;
  if (changes <= HISTORY_LIMITS.changes) return;
  warn(
    `These are ${counted(changes, "change")}, and the state keeps ${HISTORY_LIMITS.changes} of a run: amp notify undo cannot take this run back.`,
  );
}

/** Warns of the resources that the service has several times. */
function warnOfDuplicates(
  report: Pick<ApplyContext["report"], "warn">,
  { duplicates }: Pick<Receipt, "duplicates">,
): void {
  const warning = duplicatesWarning(duplicates);
  if (warning !== undefined) report.warn(warning);
}

/** The consent to a plan: it was given before, or a command needs it. */
type Consent = "given" | { readonly command: string };

/**
 * Shows a plan, and asks whether to apply it, unless that is known or `--yes` was given.
 * @throws {InterruptedError} where the answer is no
 */
export async function reviewPlan(
  ports: Pick<CommandContext, "yes" | "interactive" | "prompt" | "report">,
  plan: Plan,
  { page, consent }: { readonly page: Page; readonly consent: Consent },
): Promise<void> {
  ports.report.page(page, { isWarning: deletions(plan) > 0 });
  if (consent !== "given") await confirmPlan(ports, plan, consent.command);
}

async function confirmPlan(
  { yes, interactive, prompt }: Pick<CommandContext, "yes" | "interactive" | "prompt">,
  plan: Plan,
  command: string,
): Promise<void> {
  if (yes) return;
  if (!interactive) throw routingErrors.apply_unconfirmed(command, nothingDone(plan));
  const count = deletions(plan);
  const asked =
    count > MAX_ASKED
      ? prompt
          .input({
            message: `This deletes ${count} resources. Type ${count} to apply the plan`,
            flag: "--yes",
          })
          .then((typed) => typed.trim() === String(count))
      : prompt.confirm({
          message: consentQuestion(plan),
          default: count === 0,
          flag: "--yes",
        });
  const agrees = await asked.catch((error: unknown) => {
    throw error instanceof AmpError ? error.setFacts({ done: nothingDone(plan) }) : error;
  });
  if (!agrees) throw stops.cancelled(nothingDone(plan));
}

function nothingDone(plan: Plan): string {
  if (plan.items.some(({ action }) => action === "update")) return "Nothing was changed.";
  return deletions(plan) === 0 ? "Nothing was created." : "Nothing was created or deleted.";
}

/** More deletions than this need more than a key. */
const MAX_ASKED = 3;

interface ChosenOptions
  extends Omit<SessionOptions, keyof PlanChoices>,
    Omit<FileOptions, "file">,
    PlanChoices {
  readonly file?: string | undefined;
  /** Whether the plan lists the resources of the state that are not the routing's, too. */
  readonly all: boolean;
}

interface ApplyOptions extends ChosenOptions {
  /** The path of a saved plan that must hold for the file. */
  readonly plan?: string | undefined;
}

interface ApplySource extends ReadRouting {
  readonly options: ApplyOptions & { readonly file: string };
  readonly saved?: ReadPlan;
}

/**
 * Reads what an apply applies: a routing file, and the saved plan that must hold for it.
 * @throws {UsageError} where one of them is not valid, or the file must be given
 */
async function readSource(
  ports: FileContext & Pick<CommandContext, "dryRun" | "interactive" | "report" | "yes">,
  options: ApplyOptions,
): Promise<ApplySource> {
  const { plan } = options;
  const f = DEFAULT_FILE;
  if (options.file === undefined && ports.yes && !ports.interactive && !ports.dryRun) {
    throw routingErrors.routing_file_needed(f);
  }
  const saved = plan === undefined ? undefined : await readPlan(ports, options, plan);
  const isThere = () => ports.files.realPath(f).then(Boolean, () => false);
  if (options.file === undefined && saved && !(await isThere())) {
    throw routingErrors.routing_of_plan_needed(f);
  }
  const chosen = { ...options, file: fileToRead(ports, options.file) };
  const read = await readPrunableRouting(ports, chosen);
  return { ...read, options: chosen, ...defined({ saved }) };
}

async function readPlan(
  { files }: FileContext,
  options: ApplyOptions,
  path: string,
): Promise<ReadPlan> {
  const out = path === "-" ? { placeholder: "plan" } : path;
  const again = suggest("notify plan", [], { ...planOptions(options), out, overwrite: true });
  const remedy = "Check the path, or make a new plan.";
  const text = await files.read(path, { remedy, suggestion: again });
  const asMade: ReadPlan["asMade"] = (words) =>
    applyCommand(
      {
        ...options,
        prune: words.includes("prune"),
        accept: ACCEPT_WORDS.filter((word) => words.includes(word)),
      },
      path,
    );
  return readSavedPlan(text, path, { again, asMade }, path === "-" ? STANDARD_INPUT : path);
}

/** The command that applies what these options plan, or a saved plan of theirs. */
export function applyCommand(options: ChosenOptions, plan: string | undefined): SuggestedCommand {
  return suggest("notify apply", [], { ...planOptions(options), plan });
}

/** The options by which a suggested command makes or applies the same plan. */
function planOptions(options: ChosenOptions) {
  const { file = DEFAULT_FILE, prune, accept, allow } = options;
  return { f: file, prune, accept: accept.join(",") || undefined, allow };
}

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
  const plan = await openEngine(opened, ports, options).plan(model);
  warnOfPlan(ports.report, plan);
  warnOfDuplicates(ports.report, plan);
  const { settings, project, target } = ports;
  const projectFrom = settings.get("project")?.source ?? "--project";
  const where = { project, baseUrl: target().baseUrl, projectFrom };
  const shown = planJson(plan, source.warnings, { target: where, all: options.all });
  // The error of a plan with conflicts says that it is not saved.
  if (out === undefined || blockersOf(plan).length > 0) return shown;
  const basis = { model, state: before?.state, target: opened.target, choices: options };
  const text = savedPlanText(plan, basis, ports.now());
  await ports.files.write(out, text, { overwrite: options.overwrite, isPrivate: true });
  return { ...shown, [SAVED]: { path: out, apply: applyCommand(options, out) } };
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
