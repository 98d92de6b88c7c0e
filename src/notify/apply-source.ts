import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import type { ShellWord } from "../values/shell.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import {
  type FileContext,
  type FileOptions,
  fileToRead,
  type ReadRouting,
  readRoutingFile,
  STANDARD_INPUT,
} from "./file/read.ts";
import { LITERAL_SECRETS, secretPolicy } from "./file/secrets.ts";
import { isPrivate, routingFileTexts } from "./file/write.ts";
import { accepted, acceptedWords, acceptOption, type PlanChoices } from "./plan/choices.ts";
import { type ReadPlan, readSavedPlan, type SavedRouting } from "./plan/saved-plan.ts";
import { assertChoices, readPrunableRouting, type SessionOptions } from "./session.ts";

/** The options that choose what a plan does. */
export interface ChosenOptions
  extends Omit<SessionOptions, keyof PlanChoices>,
    Omit<FileOptions, "file">,
    PlanChoices {
  readonly file?: string | undefined;
  /** Whether to delete and rename destinations that reads of customers name. */
  readonly breakReferences?: boolean;
  /** Whether the plan lists the resources of the state that are not the routing's, too. */
  readonly all: boolean;
}

/** The options of an apply: a routing file, a saved plan, or both. */
export interface ApplyOptions extends ChosenOptions {
  /** The path of a saved plan that must still hold. */
  readonly plan?: string | undefined;
}

interface ApplySource
  extends Pick<ReadRouting, "model" | "warnings" | "hasOwnName">,
    Pick<Partial<ReadRouting>, "positionOf"> {
  readonly options: ApplyOptions;
  readonly saved?: ReadPlan;
}

/** The reason why a plan is applied with its file. */
export const NEEDS_FILE =
  "The file has values that are secrets, which a plan does not save, so apply it with -f.";

/**
 * Reads what an apply applies: a routing file, a saved plan that holds one, or both.
 * @throws {UsageError} where one of them is not valid, or a script with `--yes` gives neither
 */
export async function readSource(
  ports: FileContext & Pick<CommandContext, "dryRun" | "interactive" | "report" | "yes">,
  options: ApplyOptions,
): Promise<ApplySource> {
  const { plan } = options;
  if (options.file === undefined && plan !== undefined) return readPlanAlone(ports, options, plan);
  if (options.file === undefined && ports.yes && !ports.interactive && !ports.dryRun) {
    throw new UsageError("apply --yes needs -f without a terminal", {
      remedy: "Pass a routing file with --file, or a saved plan with --plan.",
      suggestion: suggest("notify apply", [], { f: "routing.yaml", yes: true }),
    });
  }
  const file = fileToRead(ports, options.file);
  const read = await readPrunableRouting(ports, { ...options, file });
  const chosen = { ...options, file };
  if (plan === undefined) return { ...read, options: chosen };
  return { ...read, options: chosen, saved: await readPlan(ports, chosen, plan) };
}

async function readPlan(
  { files }: FileContext,
  options: ApplyOptions,
  path: string,
): Promise<ReadPlan> {
  const again = planCommand(options, path);
  const remedy = "Check the path, or make a new plan.";
  const text = await files.read(path, { remedy, suggestion: again });
  return readSavedPlan(text, path, again, path === "-" ? STANDARD_INPUT : path);
}

/** Reads a plan that holds its routing; the values of secrets are read again. */
async function readPlanAlone(
  ports: FileContext,
  typed: ApplyOptions,
  path: string,
): Promise<ApplySource> {
  const plan = await readPlan(ports, { ...typed, file: "routing.yaml" }, path);
  const { routing } = plan;
  if (routing === undefined) {
    throw new UsageError(`${path} does not contain its routing, so it also needs -f`, {
      remedy: "Add -f and the routing file: the plan of a file with literal secrets needs it.",
      suggestion: suggest("notify apply", [], { f: "routing.yaml", plan: path }),
    });
  }
  const file = routing.file === "-" ? "-" : join(dirname(path), routing.file);
  // A choice that the plan was made without stays in, so that the check of the plan refuses it.
  const options: ApplyOptions = {
    ...typed,
    prune: typed.prune || plan.prune,
    ...accepted([...acceptedWords(typed), ...plan.accept]),
    breakReferences: typed.breakReferences || routing.breakReferences,
  };
  const { model: read, hasOwnName } = await readSavedRouting(ports, options, {
    routing,
    file,
    path,
  });
  const name = plan.name === null ? {} : { name: plan.name };
  const source = routing.source && { source: { ...routing.source, hasOwnName } };
  const model = { destinations: read.destinations, topics: read.topics, ...name, ...source };
  assertChoices({ model }, options);
  // Nothing that an edited plan says is suggested.
  const again = plan.isEdited
    ? planCommand(typed, path, { placeholder: "file" })
    : planCommand(options, path, await fileToName(ports.files, file));
  // The plan showed the warnings when it was made.
  return {
    model,
    hasOwnName,
    warnings: [],
    options: { ...options, file },
    saved: { ...plan, again, isAlone: true },
  };
}

async function readSavedRouting(
  ports: FileContext,
  options: ApplyOptions,
  { routing, file, path }: { routing: SavedRouting; file: string; path: string },
): Promise<ReadRouting> {
  const { files } = ports;
  const policy = secretPolicy(ports, options);
  try {
    return await readRoutingFile(JSON.stringify(routing.content), file, {
      read: (name) => files.read(name),
      variable: (name) => files.variable(name),
      // The plan may be of another author, who must not choose the folder that it reads from.
      policy: { ...policy, locate: (secret) => policy.locate(secret, dirname(path)) },
    });
  } catch (error) {
    const { remedy, data: { problems } = {} } = error instanceof UsageError ? error.facts : {};
    if (!Array.isArray(problems)) throw error;
    // Lines and columns would be those of a text that the user has never seen.
    const messages = problems.map(({ message }: { readonly message: string }) => message);
    throw new UsageError(`The routing in ${path} cannot be used`, {
      detail: messages.join("\n"),
      ...(remedy && { remedy }),
    });
  }
}

/**
 * The routing for a saved plan; none where it has literal values that work like a password, for
 * which the plan has no place.
 */
export async function savedRouting(
  { environment: { cwd } }: Pick<CommandContext, "environment">,
  { model, hasOwnName }: Pick<ReadRouting, "model" | "hasOwnName">,
  { file, out, breakReferences = false }: ChosenOptions & { readonly file: string; out: string },
): Promise<SavedRouting | undefined> {
  const hasLiteralSecret = [...model.destinations.values()].some(
    (part) =>
      part.kind === "new" && Object.values(part.secrets).some(({ reference }) => !reference),
  );
  if (hasLiteralSecret || isPrivate(model, true)) return undefined;
  const { name, source: from, ...nameless } = model;
  const content = hasOwnName && name !== undefined ? model : nameless;
  const { json } = await routingFileTexts(content);
  const way = relative(dirname(resolve(cwd, out)), resolve(cwd, file));
  return {
    file: file === "-" ? file : way.split(sep).join("/"),
    ...(from && { source: { path: from.path, ...(from.isUnknown && { isUnknown: true }) } }),
    breakReferences,
    content: JSON.parse(json()),
  };
}

/** The command that applies what these options plan, or a saved plan; undefined without either. */
export function applyCommand(
  options: ChosenOptions,
  plan: string | undefined,
  routing?: SavedRouting,
): SuggestedCommand {
  const allow = options.allow.filter((word) => word !== LITERAL_SECRETS);
  const parts = routing === undefined ? planOptions(options) : { allow };
  return suggest("notify apply", [], { ...parts, plan });
}

/** The file of a plan that may have been moved: one that is there, or else a placeholder. */
async function fileToName(files: FileContext["files"], file: string): Promise<ShellWord> {
  if (file === "-") return file;
  for (const place of [file, basename(file)]) {
    const isThere = await files.realPath(place).then(Boolean, () => false);
    if (isThere) return place;
  }
  return { placeholder: "file" };
}

/** The command that makes a plan anew, in place of the one that does not hold. */
function planCommand(
  options: ChosenOptions,
  plan: string,
  f: ShellWord | undefined = options.file,
): SuggestedCommand {
  const out = plan === "-" ? { placeholder: "plan" } : plan;
  return suggest("notify plan", [], { ...planOptions(options), f, out, overwrite: true });
}

/** The options by which a suggested command makes or applies the same plan. */
function planOptions(options: ChosenOptions) {
  const { file, prune, allow } = options;
  return { f: file, prune, ...acceptOption(options), allow };
}
