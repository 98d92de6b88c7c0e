import { eventMistake, refuseMistakes } from "../../api/catalogue/mistakes.ts";
import { AmpError, AuthError } from "../../errors.ts";
import { asList, derived, once } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { planAndApply, reviewPlan } from "../apply.ts";
import { readDestinationContent } from "../model/destination-input.ts";
import { contentMistakes, routingMistakes } from "../model/mistakes.ts";
import { expandEvents } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { DestinationContent } from "../model/secrets.ts";
import { drawnPlanPage } from "../pages/diagram.ts";
import { listRouting } from "../plan/live.ts";
import type { Plan } from "../plan/plan.ts";
import { planJson } from "../plan/plan-document.ts";
import { type OpenedState, openState, readState } from "../state/open-backend.ts";
import type { RoutingState } from "../state/state.ts";
import { applyCommandOf, type Unfinished, unfinishedSetups } from "../unfinished.ts";
import { type AnswersSoFar, modelOfAnswers, type SetupAnswers } from "./answers.ts";
import {
  answersOfOptions,
  assertConsistent,
  assertValidNames,
  missingOptions,
  needsQuestions,
  type SetupContext,
  type SetupOptions,
  withExistingDestination,
} from "./options.ts";
import {
  isRefusal,
  nothingCreated,
  type RefusedAnswers,
  recreateCommands,
  refusedAnswers,
  withFlags,
} from "./refusal.ts";
import { type SetupResult, savedText, setupCommand, setupResult } from "./result.ts";
import { askAndSaveRouting, checkSave, saveRouting } from "./save.ts";
import { askWithBack, type WizardContext, type WizardPorts } from "./wizard/context.ts";
import { askAnswers, askChange, OtherChoice, reviewAnswers } from "./wizard/wizard.ts";

/**
 * Sets up routing from event types to a destination: gets the answers from options or the wizard,
 * and applies their routing by the path of `amp notify apply`. Answers of the wizard that the
 * service refuses are asked for again.
 */
export async function setUp(ports: SetupContext, given: SetupOptions): Promise<SetupResult> {
  return setUpRouting(ports, given).catch((error: unknown) => {
    throw error instanceof AmpError ? nothingCreated(error) : error;
  });
}

async function setUpRouting(ports: SetupContext, given: SetupOptions): Promise<SetupResult> {
  const typed = { ...given, event: expandEvents(given.event) };
  assertConsistent(typed, ports);
  const { interactive, prompt, report } = ports;
  const content = await readDestinationContent(typed.destinationType ?? "", typed, ports.files);
  const live = once(() => listRouting(ports));
  // Without consent nothing is asked of the service, and the wizard finds what exists by itself.
  const isAgreed = ports.yes || ports.dryRun;
  const options =
    isAgreed && !interactive ? await withExistingDestination(typed, content, live) : typed;
  const missing = missingOptions(options, content);
  const isChecked = interactive || (isAgreed && missing.length === 0);
  if (isChecked) await assertValidNames(options, live);
  const isAsked = needsQuestions(ports, missing);
  const type = options.destinationType ?? (content.metadata.url === undefined ? "" : "webhook");
  const mistakes = [
    ...options.event.flatMap((event) => asList(eventMistake(event))),
    ...(type === "" || options.destinationId !== undefined ? [] : contentMistakes(type, content)),
  ];
  // The wizard asks for what is missing, before the first question only what is given is refused.
  const refused = mistakes.filter(({ field }) => field !== "missing" || !isAsked);
  refuseMistakes(refused, options.allow, report.warn, { done: "Nothing was created." });
  if (isAsked && missing.length > 0) await checkSave(ports, options);
  const opened = await openState(ports, options);
  const job = { ports, options, opened, state: (await readState(opened))?.state, isAsked };
  if (isAsked) {
    await nameUnfinished(job);
    const { files, yes } = ports;
    const { allow } = options;
    const context = { prompt, report, files, yes, live: await live(), allow };
    return askAndApply(job, context, content);
  }
  const { destinationId, topicId } = options;
  // The lists are needed here only for the name of an ID; the plan looks up what is given by name.
  const listed = destinationId !== undefined || topicId !== undefined ? await live() : undefined;
  const answers = await answersOfOptions(options, content, listed, ports);
  await nameUnfinished(job, modelOfAnswers(answers, job.state));
  return applyAnswers(job, answers, (plan, model) =>
    reviewPlan(ports, plan, {
      page: drawnPlanPage(plan, model),
      consent: { command: "amp notify setup" },
    }),
  );
}

/** A setup, once its options are checked. */
interface Job {
  readonly ports: SetupContext;
  readonly options: SetupOptions;
  readonly opened: OpenedState;
  /** The state before this setup, if there is one. */
  readonly state: RoutingState | undefined;
  readonly isAsked: boolean;
}

/** Names the earlier setups that did not finish, but for the one that this one continues. */
async function nameUnfinished(
  { ports: { report, environment }, opened: { backend } }: Job,
  model?: RoutingModel,
): Promise<void> {
  const setups = unfinishedSetups(backend, environment);
  const own = model && (await setups.of(model)).path;
  for (const one of await setups.list()) {
    if (one.path === own) continue;
    const command = await applyCommandOf(one, environment.cwd, true);
    report.warn("An earlier setup did not finish. Continue it, or delete its file:", command);
  }
}

type Review = (plan: Plan, model: RoutingModel) => Promise<void>;

/**
 * Applies the routing of the answers. While it runs, its routing file is beside the state.
 * @throws the error of the apply, with the command that continues it
 */
async function applyAnswers(
  { ports, options, opened, state, isAsked }: Job,
  answers: SetupAnswers,
  review: Review,
): Promise<SetupResult> {
  const model = modelOfAnswers(answers, state);
  const warnings = routingMistakes(model).map(({ message }) => message);
  const setups = unfinishedSetups(opened.backend, ports.environment);
  const own = await setups.of(model);
  const earlier = await setups.find(own.path);
  const save = once(() => saveRouting(ports, model, options));
  let isBegun = false;
  const consent = async (plan: Plan) => {
    await review(plan, model);
    // Before the routing is on disk: a refusal leaves no unfinished setup.
    await ports.guard.assertMayWrite();
    // Under the lock, and before the first create: a file that cannot be written must neither stop
    // a setup half way, nor be there where another run holds the lock.
    await save();
    await setups.save(own);
    isBegun = true;
  };
  const document = (plan: Plan) => planJson(plan, warnings);
  try {
    // Creates are sent one after the other: there are few, and at most one outcome is ever unknown.
    const applied = await planAndApply(
      ports,
      opened,
      { ...options, parallel: 1 },
      { model, warnings, document, consent },
    );
    const saved = await save();
    if (!ports.dryRun) await setups.remove([...earlier, own]);
    return setupResult(answers, applied, { baseUrl: ports.target().baseUrl, saved, isAsked });
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    if (!isBegun) {
      const suggestion = recreateCommands(error, answers);
      if (suggestion) throw error.setFacts({ suggestion });
      throw isAsked ? withAnswers(error, answers, options) : error;
    }
    const saved = await save();
    if (saved) error.setFacts({ done: [error.facts.done, savedText(saved)].join("\n") });
    // These answers would be refused again.
    if (isRefusal(error)) await setups.remove([own]);
    else await addContinuation(error, own, ports.environment.cwd);
    throw withFlags(error);
  }
}

/** Adds the command that continues, but without a login, which comes first. */
async function addContinuation(error: AmpError, own: Unfinished, cwd: string): Promise<void> {
  if (error instanceof AuthError || error.cause instanceof AuthError) return;
  const { suggestion, data, remedy } = error.facts;
  const isOpen = asList<unknown>(data?.unknown).length + asList<unknown>(data?.rescued).length > 0;
  error.setFacts({
    // What is open has a remedy of its own, which comes first.
    ...defined({ remedy: isOpen ? remedy : "To continue, apply the saved routing." }),
    suggestion: [...asList(suggestion), await applyCommandOf(own, cwd, true)],
  });
}

/** Asks for answers, and applies them; asks again for what the service refuses. */
async function askAndApply(
  job: Job,
  wizard: WizardPorts,
  content: DestinationContent,
): Promise<SetupResult> {
  const { report } = job.ports;
  const given = { ...job.options, ...content };
  let refused: RefusedAnswers | undefined;
  for (;;) {
    let answers: SetupAnswers | undefined;
    try {
      return await askWithBack(wizard, given, async (asked) => {
        answers = await orContinue(job, asked, () =>
          refused === undefined ? askAnswers(asked, given) : askChange(asked, refused),
        );
        const ports = derived(job.ports, { report: derived(report, asked.report) });
        for (;;) {
          const next = await applyAsked({ ...job, ports }, asked, answers);
          if (next !== "change") return next;
          const before = answers;
          answers = await orContinue(job, asked, () => askChange(asked, { answers: before }));
        }
      });
    } catch (error) {
      if (!(error instanceof AmpError)) throw error;
      const again = answers && refusedAnswers(error, answers, refused);
      if (again === undefined) throw nothingCreated(error, refused);
      refused = again;
      report.warn(again.says);
    }
  }
}

/** Applies the routing of answers once they are agreed to, or does what was chosen in its place. */
async function applyAsked(
  job: Job,
  asked: WizardContext,
  answers: SetupAnswers,
): Promise<SetupResult | "change"> {
  const { ports, options } = job;
  try {
    return await applyAnswers(job, answers, (plan, model) =>
      reviewAnswers(asked, plan, model, answers),
    );
  } catch (error) {
    if (!(error instanceof OtherChoice)) throw error;
    if (error.choice === "change") return "change";
    const model = modelOfAnswers(answers, job.state);
    const saved = await (options.save === undefined
      ? askAndSaveRouting(ports, asked, model, options)
      : saveRouting(ports, model, options));
    const document = planJson(
      error.plan,
      routingMistakes(model).map(({ message }) => message),
    );
    return setupResult(answers, document, {
      baseUrl: ports.target().baseUrl,
      saved,
      isAsked: true,
    });
  }
}

/** Asks questions. @throws their error, with the command that goes on from what was answered */
async function orContinue(
  { options }: Job,
  asked: WizardContext,
  ask: () => Promise<SetupAnswers>,
): Promise<SetupAnswers> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof AmpError ? withAnswers(error, asked.soFar(), options) : error;
  }
}

/** An error of the wizard, with the command that goes on from what was answered. */
function withAnswers(
  error: AmpError,
  soFar: AnswersSoFar,
  { save, overwrite }: SetupOptions,
): AmpError {
  const { destination, topic, events = [] } = soFar;
  // Without --yes: nobody has agreed to the plan yet.
  const again = setupCommand(soFar, { save, overwrite });
  const isAnswered = destination !== undefined || topic !== undefined || events.length > 0;
  if (again === undefined || !isAnswered || error instanceof AuthError) return error;
  const { command, variables } = again;
  const set = `Set these variables first: ${variables.join(", ")}`;
  const remedy =
    variables.length > 0 ? set : (error.facts.remedy ?? "To continue, run this command.");
  return error.setFacts({ remedy, suggestion: [...asList(error.facts.suggestion), command] });
}
