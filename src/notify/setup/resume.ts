import { ConflictError, type ErrorFacts, NotFoundError, UsageError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { asList } from "../../values/as-list.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { durationText } from "../../values/duration.ts";
import { suggest } from "../../values/suggested-command.ts";
import { needsYes } from "../apply.ts";
import { readRouting } from "../file/read.ts";
import { trustingPolicy } from "../file/secrets.ts";
import { notEmpty, shortEvents } from "../model/names.ts";
import { mapSecrets, type RoutingModel } from "../model/routing.ts";
import { optionalVariables } from "../model/secrets.ts";
import { answersOfModel, type FoundSetup, type SetupAnswers, type Unfinished } from "./answers.ts";
import type { SetupContext, SetupOptions } from "./options.ts";

/**
 * Warns of setups that did not finish: their answers are kept.
 * @returns the warning for the result
 */
export async function warnOfOthers(
  ports: SetupContext,
  others: readonly Unfinished[],
): Promise<readonly string[]> {
  if (others.length === 0) return [];
  const titles = (await readAll(ports, others)).map(titleOf);
  const text = `${counted(others.length, "earlier setup")} did not finish: ${firstNames(titles)}.`;
  ports.report.warn(text, suggest("notify setup", [], { resume: true }));
  return [text];
}

/** Asks which earlier setup to resume; `undefined`: none, to start over. */
export async function askToResume(
  ports: SetupContext,
  setups: readonly FoundSetup[],
): Promise<Unfinished | undefined> {
  const [, ...more] = setups;
  const which = more.length === 0 ? "An earlier setup" : `${setups.length} earlier setups`;
  const note = more.length === 0 ? "forgets its answers" : "forgets their answers";
  return ports.prompt.select<Unfinished | undefined>({
    message: `${which} did not finish`,
    flag: "--resume",
    choices: [
      ...(await resumeChoices(ports, setups)),
      { value: undefined, label: "Start over", note: `${note}; what was created is kept` },
    ],
  });
}

async function resumeChoices(ports: SetupContext, setups: readonly FoundSetup[]) {
  return (await readAll(ports, setups)).map((one) => {
    const ago = durationText(Math.max(0, ports.now().getTime() - one.setup.started));
    return { value: one.setup, label: `Resume ${titleOf(one)}`, note: `${ago} ago` };
  });
}

/** A setup and its answers; undefined where they cannot be read. */
interface ReadSetup<Setup = Unfinished> {
  readonly setup: Setup;
  readonly answers: SetupAnswers | undefined;
}

/** The topic and destination of a setup, or its path where it cannot be read. */
function titleOf({ setup, answers }: ReadSetup): string {
  return answers ? `${answers.topic.name} → ${answers.destination.name}` : setup.path;
}

function readAll<Setup extends Unfinished>(
  ports: SetupContext,
  setups: readonly Setup[],
): Promise<ReadSetup<Setup>[]> {
  const { variable } = optionalVariables(ports.files);
  return Promise.all(
    setups.map(async (setup) => {
      const model = await readText(ports, setup, variable).catch(() => undefined);
      return { setup, answers: model && answersOfModel(model) };
    }),
  );
}

/** The names and event types that choose one of several setups. */
type ChosenBy = Pick<SetupOptions, "destinationName" | "topic" | "event">;

/**
 * The earlier setup that `--resume` means.
 * @param given the names and event types of one of several
 * @throws {NotFoundError} where there is none
 * @throws {ConflictError} where there are several, and the terminal is not interactive
 */
export async function setupToResume(
  ports: SetupContext,
  given: ChosenBy,
  all: readonly FoundSetup[],
): Promise<Unfinished> {
  const read = await readAll(ports, all);
  const found = read.filter(({ answers }) => isMeant(given, answers));
  const setups = found.map(({ setup }) => setup);
  const [first, second] = setups;
  if (first === undefined) throw noneFound(given, read);
  if (second === undefined) return first;
  if (ports.interactive) {
    const choices = await resumeChoices(ports, setups);
    return ports.prompt.select({ message: "Unfinished setup", flag: "--resume", choices });
  }
  throw new ConflictError(`${setups.length} setups did not finish`, {
    done: "Nothing was sent.",
    ...offer(found),
  });
}

/** The error where no unfinished setup is meant: with those that there are, one of which may be. */
function noneFound(
  { destinationName, topic, event }: ChosenBy,
  all: readonly ReadSetup[],
): NotFoundError {
  if (all.length === 0) {
    return new NotFoundError("No unfinished setup found", {
      detail:
        "Unfinished setups are saved for each project and state location. A setup whose values the " +
        "service refused is not saved: run it again with other values.",
      suggestion: suggest("notify setup"),
    });
  }
  const options = [
    ...asList(destinationName).map((name) => `--destination-name ${name}`),
    ...asList(topic).map((name) => `--topic ${name}`),
    ...asList(shortEvents(event)).map((one) => `--event ${one}`),
  ];
  return new NotFoundError(`No unfinished setup matches ${options.join(" ")}`, {
    detail: `Unfinished: ${all.map(titleOf).join(", ")}.`,
    ...offer(all),
  });
}

/** Whether the names and event types that options give are those of a setup. */
function isMeant({ destinationName, topic, event }: ChosenBy, answers?: SetupAnswers): boolean {
  const sorted = (events: readonly string[] = []) => events.toSorted().join();
  return (
    [undefined, answers?.destination.name].includes(destinationName) &&
    [undefined, answers?.topic.name].includes(topic) &&
    (event.length === 0 || sorted(event) === sorted(answers?.events))
  );
}

/** Offers the setups that can be read, each with the command that resumes it. */
function offer(all: readonly ReadSetup[]): ErrorFacts {
  const setups = all.flatMap(({ answers }) => {
    if (answers === undefined) return [];
    const { topic, destination, events } = answers;
    const chosen = { destinationName: destination.name, topic: topic.name };
    const event = shortEvents(events);
    const command = suggest("notify setup", [], { resume: true, ...chosen, event, yes: true });
    return { topic: topic.name, destination: destination.name, events, command };
  });
  return {
    remedy: "Run one of these commands to continue it.",
    suggestion: setups.map(({ command }) => command),
    data: { setups },
  };
}

/**
 * The routing of an earlier setup that did not finish.
 * @throws {UsageError} where a secret is missing and the terminal is not interactive
 */
export async function readUnfinished(ports: SetupContext, one: Unfinished): Promise<RoutingModel> {
  if (!ports.interactive && !ports.yes && !ports.dryRun) throw needsYes("amp notify setup");
  const { files } = ports;
  const { variable, unset } = optionalVariables(files);
  await readText(ports, one, variable);
  // Typed secrets are not on disk: the user is asked for them again.
  const typed = await typedSecrets(ports, [...unset]);
  const model = await readText(ports, one, (name) => typed.get(name) ?? files.variable(name));
  if (answersOfModel(model) === undefined) {
    const suggestion = suggest("notify apply", [], { f: one.path });
    throw new UsageError(`${one.path} is not a setup file`, { suggestion });
  }
  // A typed secret is gone when amp ends: the receipt must say to set its variable.
  return mapSecrets(model, (secret) =>
    secret.reference?.from === "env" && typed.has(secret.reference.name)
      ? new Secret(secret.reveal())
      : secret,
  );
}

async function readText(
  { project, files, settings }: SetupContext,
  { path, text }: Unfinished,
  variable: (name: string) => string | undefined,
): Promise<RoutingModel> {
  const own = (name: string) => (name === path ? Promise.resolve(text) : files.read(name));
  const report = { warn: () => {}, warnAll: () => {} };
  const ports = { project, settings, report, files: { ...files, read: own, variable } };
  const options = { file: path, allowLiteralSecrets: false, allowEnv: [], allowFile: [] };
  // amp wrote this file from options that were typed.
  return (await readRouting(ports, options, trustingPolicy())).model;
}

async function typedSecrets(
  { prompt, interactive }: SetupContext,
  missing: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (missing.length > 0 && !interactive) {
    throw new UsageError(`${missing.join(", ")} must be set`, {
      remedy: "These variables hold secrets, which amp does not save to disk.",
      done: "Nothing was sent.",
    });
  }
  const typed = new Map<string, string>();
  for (const name of missing) {
    const message = `Value of ${name}`;
    typed.set(name, await prompt.secret({ message, flag: name, check: notEmpty }));
  }
  return typed;
}
