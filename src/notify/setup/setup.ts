import { dirname, isAbsolute, relative, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import type { Block, Page } from "../../view/view.ts";
import { type ApplyResult, applyPage } from "../apply-result.ts";
import { receiptJson } from "../engine/receipt.ts";
import { type AllowedSecrets, isWithin } from "../file/secrets.ts";
import { isPrivate, routingFileText } from "../file/write.ts";
import { readDestinationContent } from "../model/destination-input.ts";
import { routingWarnings } from "../model/destination-warnings.ts";
import { eventWarnings, expandEvents, notEmpty } from "../model/names.ts";
import { mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import { protectedVariable } from "../model/secrets.ts";
import { assertApplicable, NO_CHOICES } from "../plan/blockers.ts";
import { planJson } from "../plan/plan-document.ts";
import type { SessionOptions } from "../session.ts";
import {
  type RefusedAnswers,
  type SetupCommand,
  type SetupContext,
  type SetupDecision,
  type SetupOptions,
  setupCommand,
} from "./answers.ts";
import {
  assertConsistent,
  type Discovery,
  decideByOptions,
  decideByWizard,
  needsQuestions,
  openDiscovery,
} from "./decide.ts";
import { nothingCreated, openSetup, refusedAnswers, runSetup } from "./run.ts";
import { askToResume, readUnfinished, type UnfinishedFile } from "./unfinished.ts";

/** The result of `amp notify setup`: the receipt or plan of an apply, and the command to repeat it. */
export type SetupResult = ApplyResult & Partial<SetupCommand> & Partial<SavedRouting>;

/** A routing file that was written. */
interface SavedRouting {
  readonly savedTo: string;
  /** The command that applies the file. */
  readonly applyCommand: SuggestedCommand;
}

/**
 * Sets up routing from event types to a destination: makes a routing model from options, answers or
 * an unfinished setup, and applies it by the path of `amp notify apply`.
 */
export async function setUp(ports: SetupContext, given: SetupChoices): Promise<SetupResult> {
  const options = { ...given, event: expandEvents(given.event) };
  assertConsistent(options, ports);
  let refused: Refusal | undefined;
  for (;;) {
    const round = await setUpOnce(ports, options, refused);
    if (!("refused" in round)) return round;
    refused = round.refused;
  }
}

/** The answers of a wizard that the service refused, and the earlier setup that they replace. */
interface Refusal extends RefusedAnswers {
  readonly earlier: string | undefined;
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
  const decision = await decide(ports, given, asked.file, discovery, refused).catch((error) => {
    throw nothingCreated(error, refused);
  });
  const { action, model, reviewed, earlier, recreate = given.recreate ?? false } = decision;
  const { adoptChanges = false, changeShared = false } = given;
  const choices = { ...NO_CHOICES, recreate, adoptChanges, changeShared };
  // A file of an earlier round is of this command.
  const options = { ...given, recreate, overwrite: given.overwrite || refused !== undefined };
  // The file comes first: one that cannot be written must not stop a setup half way.
  const saved =
    options.save === undefined
      ? action === "save"
        ? await askAndSaveRouting(ports, model, options)
        : undefined
      : await saveRouting(ports, model, { ...options, path: options.save });
  const repeat = { ...setupCommand(model), ...saved };
  if (action === "save" || ports.dryRun) {
    const plan = reviewed ?? (await discovery.planFor(model));
    if (action === "create") assertApplicable(plan, choices);
    return { ...planJson(plan, choices, routingWarnings(model)), ...repeat };
  }
  if (saved) ports.report.notice(`${savedText(saved)} To apply it again:`, saved.applyCommand);
  // The engine waits longer where it may make a second record.
  const session = recreate === given.recreate ? asked : openSetup(ports, options);
  try {
    const job = { ...session, model, choices, reviewed, earlier, refused };
    const receipt = await runSetup(ports, job);
    return { ...receiptJson(receipt, routingWarnings(model)), ...repeat };
  } catch (error) {
    const again = refusedAnswers(error, decision.answers, refused);
    if (again === undefined) throw error;
    ports.report.warn(again.says);
    return { refused: { ...again, earlier } };
  }
}

/** The routing of an unfinished setup, of the wizard, or of options alone. */
async function decide(
  ports: SetupContext,
  options: SetupOptions,
  file: UnfinishedFile,
  discovery: Discovery,
  refused: Refusal | undefined,
): Promise<SetupDecision & { readonly earlier?: string | undefined }> {
  const resume = async () => ({
    action: "create" as const,
    ...(await readUnfinished(ports, file)),
  });
  if (options.resume) return resume();
  const content = await readDestinationContent(options.destinationType ?? "", options, ports.files);
  if (refused !== undefined) {
    const { earlier } = refused;
    return { ...(await decideByWizard(ports, options, content, discovery, refused)), earlier };
  }
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  const asks = needsQuestions(ports, options, content);
  const earlier = asks && !ports.dryRun ? await file.read() : undefined;
  if (earlier !== undefined && (await askToResume(ports))) return resume();
  const decideBy = asks ? decideByWizard : decideByOptions;
  return { ...(await decideBy(ports, options, content, discovery)), earlier };
}

/**
 * Writes the routing file.
 * @returns `undefined` on a dry run
 * @throws {UsageError} where the file exists and may not be replaced, or cannot be written
 */
export async function saveRouting(
  { files, report, project, dryRun, environment: { cwd } }: SetupContext,
  model: RoutingModel,
  { path, overwrite }: { readonly path: string; readonly overwrite: boolean },
): Promise<SavedRouting | undefined> {
  const folder = dirname(resolve(cwd, path));
  const placed = mapSecretPaths(model, (secretPath) =>
    isAbsolute(secretPath) ? secretPath : relative(folder, resolve(cwd, secretPath)),
  );
  const text = await routingFileText(placed, project);
  if (dryRun) {
    report.notice(`Would save the routing as ${path}.`);
    return undefined;
  }
  await files.write(path, text, { overwrite, isPrivate: isPrivate(placed) }).catch((error) => {
    throw nothingCreated(error);
  });
  const allowed = allowancesOf(model, { cwd, folder });
  return { savedTo: path, applyCommand: suggest("notify apply", [], { f: path, ...allowed }) };
}

/**
 * The options that allow the typed references: they are used as they are, but a file that contains
 * them needs permission.
 */
function allowancesOf(
  { destinations }: RoutingModel,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): AllowedSecrets {
  const secrets = [...destinations.values()].flatMap((part) =>
    part.kind === "new" ? Object.values(part.secrets) : [],
  );
  const read = [...destinations.values()].flatMap((part) =>
    part.kind === "new" ? (part.references ?? []).map(({ secret }) => secret) : [],
  );
  const references = [...secrets, ...read].flatMap(({ reference }) => reference ?? []);
  return {
    allowEnv: references.flatMap((one) =>
      one.from === "env" && protectedVariable(one.name) !== undefined ? one.name : [],
    ),
    allowFile: references.flatMap((one) =>
      one.from === "file" && !isWithin(folder, resolve(cwd, one.path)) ? one.path : [],
    ),
  };
}

/** Asks for the path of the routing file until it can be written. */
export async function askAndSaveRouting(
  ports: SetupContext,
  model: RoutingModel,
  { overwrite }: Pick<SetupOptions, "overwrite">,
): Promise<SavedRouting | undefined> {
  for (;;) {
    const path = await ports.prompt.input({
      message: "File name",
      flag: "--save",
      default: "routing.yaml",
      check: notEmpty,
    });
    try {
      return await saveRouting(ports, model, { path, overwrite });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      ports.report.warn(error.message);
    }
  }
}

/** The page of apply, with every resource listed, and the command that repeats the setup. */
export function setupPage(result: SetupResult): Page {
  const { command, variables = [], savedTo, applyCommand } = result;
  const isSavedOnly = "items" in result && savedTo !== undefined;
  const page = isSavedOnly
    ? { title: `${savedText({ savedTo })} Nothing was created.`, blocks: [] }
    : applyPage(result, { inPlace: "listed" });
  const heading = isSavedOnly ? "To apply it" : "Non-interactive command";
  const shown = isSavedOnly ? applyCommand : command;
  const blocks: Block[] = [...page.blocks];
  if (variables.length > 0) {
    blocks.push({ kind: "text", text: `Set these variables first: ${variables.join(", ")}` });
  }
  if (shown !== undefined) blocks.push({ kind: "command", heading, lines: [shown] });
  return { ...page, blocks };
}

function savedText({ savedTo }: Pick<SavedRouting, "savedTo">): string {
  return `Saved the routing as ${savedTo}.`;
}
