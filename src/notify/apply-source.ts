import type { CommandContext } from "../context/command-context.ts";
import { defined } from "../values/json.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { routingErrors } from "./errors.ts";
import {
  DEFAULT_FILE,
  type FileContext,
  type FileOptions,
  fileToRead,
  type ReadRouting,
  STANDARD_INPUT,
} from "./file/read.ts";
import { ACCEPT_WORDS, acceptOption, type PlanChoices } from "./plan/choices.ts";
import { type ReadPlan, readSavedPlan } from "./plan/saved-plan.ts";
import { readPrunableRouting, type SessionOptions } from "./session.ts";

/** The options that choose what a plan does. */
export interface ChosenOptions
  extends Omit<SessionOptions, keyof PlanChoices>,
    Omit<FileOptions, "file">,
    PlanChoices {
  readonly file?: string | undefined;
  /** Whether the plan lists the resources of the state that are not the routing's, too. */
  readonly all: boolean;
}

/** The options of an apply. */
export interface ApplyOptions extends ChosenOptions {
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
export async function readSource(
  ports: FileContext & Pick<CommandContext, "dryRun" | "interactive" | "report" | "yes">,
  options: ApplyOptions,
): Promise<ApplySource> {
  const { plan } = options;
  const { yes } = ports;
  const f = DEFAULT_FILE;
  if (options.file === undefined && yes && !ports.interactive && !ports.dryRun) {
    throw routingErrors.routing_file_needed(f, plan);
  }
  const saved = plan === undefined ? undefined : await readPlan(ports, options, plan);
  const isThere = () => ports.files.realPath(f).then(Boolean, () => false);
  if (options.file === undefined && saved && !(await isThere())) {
    throw routingErrors.routing_of_plan_needed(f, plan);
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
  const again = planCommand(options, path);
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

/** The command that makes a plan anew, in place of the one that does not hold. */
function planCommand(options: ChosenOptions, plan: string): SuggestedCommand {
  const out = plan === "-" ? { placeholder: "plan" } : plan;
  return suggest("notify plan", [], { ...planOptions(options), out, overwrite: true });
}

/** The options by which a suggested command makes or applies the same plan. */
function planOptions(options: ChosenOptions) {
  const { file = DEFAULT_FILE, prune, allow } = options;
  return { f: file, prune, ...acceptOption(options), allow };
}
