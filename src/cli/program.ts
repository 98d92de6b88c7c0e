import { Command, CommanderError, Option } from "commander";
import type { Reporter } from "../context/command-context.ts";
import type { Context } from "../context/context.ts";
import type { GlobalOptions, OutputSettings } from "../context/output-settings.ts";
import { EXIT, type ExitName, nothingDone } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import { version } from "../runtime/version.ts";
import { SETTINGS } from "../settings.ts";
import { wantsColor } from "../ui/paint.ts";
import { asList } from "../values/basics.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import type { AnyCommand, ParamNode, Routes } from "./define.ts";
import { cliErrors } from "./errors.ts";
import {
  flagsOf,
  type HeadingStyle,
  installHelp,
  TOPIC_NAMES,
  TOPIC_WORDS,
  type TopicName,
} from "./help.ts";
import type { Invocation } from "./read-params.ts";
import {
  aliasesOf,
  argumentNodes,
  globalOptions,
  isLeaf,
  optionNodes,
  pathsBelow,
  readTree,
} from "./tree.ts";

/**
 * Runs one command line.
 * @returns the exit code; amp exits nowhere else
 */
export async function runProgram(parts: ProgramParts): Promise<number> {
  const { io } = parts;
  const { argv, about } = readHelp(io.argv);
  const mayStart = !argv.some((word) => HELP.has(word));
  let run = prepare(parts, mayStart ? namedIn(argv) : undefined);
  const parse = async () => {
    if (mayStart) {
      if (await starts(run, argv)) return;
      // Help and errors also show what no word names.
      run = prepare(parts);
    }
    await run.root.parseAsync(argv, { from: "user" });
  };
  try {
    const topic = about === undefined ? undefined : topicOf(about);
    if (topic !== undefined) {
      const { helpTopic } = await import("./help-topics.ts");
      await io.out.write(helpTopic(topic, helpWidth(io.out), headingStyle(io, {})));
    } else if (await printsHelp(parse())) {
      await io.out.write(run.printed.out);
    }
    return typeof run.exit === "number" ? run.exit : EXIT[run.exit ?? "ok"].code;
  } catch (error) {
    // This module is loaded only after a failure: help, the most frequent result, does not need it.
    const { reportError } = await import("./report-error.ts");
    const { output, reached, target } = run;
    const settings = output ?? (await parts.createOutputSettings(io, run.root.opts()));
    const report = (thrown: unknown) =>
      reportError(io, settings, run.isBeforeWrite ? nothingDone(thrown) : thrown, target);
    if (!(error instanceof CommanderError)) return await report(error);
    if (error.code === "commander.help" && settings.messages() === "text") {
      // A group without a command. A program that asked for JSON gets an error instead.
      await io.out.write(run.printed.err);
      return EXIT.ok.code;
    }
    const { usageErrorOf } = await import("./usage-errors.ts");
    return await report(usageErrorOf(error, reached));
  }
}

/** Parses a command line; false, and no error, if it does not lead to a command. */
async function starts(run: CommandLineRun, argv: readonly string[]): Promise<boolean> {
  try {
    await run.root.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (run.isStarted) throw error;
  }
  return run.isStarted;
}

/**
 * Whether commander has printed help or the version, which it reports by an error with exit code 0.
 */
async function printsHelp(parsing: Promise<unknown>): Promise<boolean> {
  try {
    await parsing;
    return false;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return true;
    throw error;
  }
}

/**
 * Rewrites `amp help apps list` and `amp --help apps list` to `amp apps list --help`, and a leading
 * `-v` or `-V` to `--version`; after a command, `-v` is that command's own.
 */
function readHelp(argv: readonly string[]): { argv: readonly string[]; about?: string } {
  if (argv.length === 0) return { argv: ["--help"] };
  if (argv[0] === "-v" || argv[0] === "-V") return { argv: ["--version", ...argv.slice(1)] };
  if (!argv.some((word) => HELP.has(word))) return { argv };
  const at = argv.findIndex((word) => !withoutValue().has(word));
  if (!HELP.has(argv[at])) return { argv };
  const about = argv[at + 1];
  return { argv: [...argv.toSpliced(at, 1), "--help"], ...(about === undefined ? {} : { about }) };
}

/** The topic that a word after `help` names: `exitcodes` and `exit_codes` mean `exit-codes`. */
function topicOf(word: string): TopicName | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[-_]/gu, "");
  const known = word.toLowerCase();
  if (Object.hasOwn(TOPIC_WORDS, known)) return TOPIC_WORDS[known];
  return TOPIC_NAMES.find((name) => plain(name) === plain(word));
}

const HELP = new Set<string | undefined>(["help", "--help", "-h"]);

/** The options that may precede `help`; after any other the word is that option's value. */
function withoutValue(): ReadonlySet<string | undefined> {
  const options = globalOptions().filter(({ takesValue }) => !takesValue);
  return new Set(options.flatMap(({ name, short }) => [name, short]));
}

interface ProgramParts {
  readonly io: Io;
  readonly routes: Routes;
  /** Called once the global options are known. */
  readonly createContext: (
    io: Io,
    options: GlobalOptions,
    createReporter: (output: OutputSettings) => Reporter,
  ) => Promise<Context>;
  /** Creates the settings for errors that occur before there is a context. */
  readonly createOutputSettings: (io: Io, options: GlobalOptions) => Promise<OutputSettings>;
}

/** Bold headings where colours are on. Chalk is not loaded for them: help starts in its time. */
function headingStyle({ env, out }: Io, { color }: GlobalOptions): HeadingStyle {
  if (!wantsColor(env, out.isTty, color)) return (heading) => heading;
  return (heading) => `\u001b[1m${heading}\u001b[22m`;
}

/** The width of help: long lines are hard to read, however wide the terminal. */
export function helpWidth(sink: Sink): number {
  return Math.min(sink.columns, 100);
}

const collected = (typed: string, before: readonly string[] = []) => [...before, typed];

/** A run and its facts, which are known also if it ends early. */
interface CommandLineRun {
  readonly parts: ProgramParts;
  readonly root: Command;
  /** The text that commander prints. */
  readonly printed: { out: string; err: string };
  /** The group or command that the typed words lead to. */
  reached: Command;
  /** The settings for errors, once they are read. */
  output?: OutputSettings;
  /** The typed options that determine the target. */
  target: CommandTarget;
  /** The options of one file that were typed with several. */
  readonly givenTwice: Set<string>;
  /** Whether the words lead to a command, which then runs. */
  isStarted: boolean;
  /** Whether that command writes, and has not begun: an error then says that nothing was sent. */
  isBeforeWrite: boolean;
  /** The exit code, once the command has ended. */
  exit?: ExitName | number;
}

type TakesPart = (...names: readonly string[]) => boolean;

/**
 * The commands that the words of a command line may name. Commander takes longer to prepare options
 * and commands than to parse, and one that no word names changes nothing about a command that is
 * found. Several short options in one word are missed here: that command line is parsed a second
 * time, with all.
 */
function namedIn(argv: readonly string[]): TakesPart {
  const words = new Set(argv.map((word) => (word.startsWith("--") ? word.split("=", 1)[0] : word)));
  return (...names) => names.some((name) => words.has(name));
}

/** Prepares a run with all options and commands, or those that take part. */
export function prepare(parts: ProgramParts, takesPart: TakesPart = () => true): CommandLineRun {
  const printed = { out: "", err: "" };
  const root = new Command("amp")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
      // Headings are bold only where colours are on; commander need not check again.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
      getOutHelpWidth: () => helpWidth(parts.io.out),
      // Commander prints the help of a group without a command as an error; amp does not.
      getErrHelpWidth: () => helpWidth(parts.io.out),
    })
    .helpOption(takesPart("-h", "--help") && "-h, --help", "print help")
    .helpCommand(false);
  const run: CommandLineRun = {
    parts,
    root,
    printed,
    reached: root,
    target: {},
    givenTwice: new Set(),
    isStarted: false,
    isBeforeWrite: false,
  };
  if (takesPart("--version"))
    root.version(`amp-admin ${version}`, "--version", "print the version");
  for (const setting of Object.values(SETTINGS)) {
    if (!("flags" in setting) || !takesPart(...setting.flags.replace(",", "").split(" "))) continue;
    if ("repeats" in setting) root.option(setting.flags, "", collected);
    else root.option(setting.flags);
  }
  installHelp(root, (heading) => headingStyle(parts.io, root.opts())(heading));
  addChildren(root, "", run, takesPart);
  return run;
}

/** Adds the groups and commands right below a path, which are empty until they are reached. */
function addChildren(
  parent: Command,
  path: string,
  run: CommandLineRun,
  takesPart: TakesPart,
): void {
  const { routes } = run.parts;
  for (const childPath of pathsBelow(routes, path)) {
    const route = routes[childPath];
    if (route === undefined) continue;
    const name = childPath.split(" ").at(-1) ?? "";
    const aliases = aliasesOf(childPath, route);
    if (!takesPart(name, ...aliases)) continue;
    const child = parent.command(name).summary(route.summary).aliases(aliases);
    if (route.section !== undefined) child.helpGroup(route.section);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const childPath = `${path} ${child.name()}`.trim();
    const route = routes[childPath];
    run.reached = child;
    if (route === undefined) return;
    if (isLeaf(route)) defineLeaf(child, (await route.load()).default, childPath, run);
    else addChildren(child, childPath, run, takesPart);
  });
}

/** Gives a reached command its arguments, options and action. */
function defineLeaf(leaf: Command, record: AnyCommand, path: string, run: CommandLineRun): void {
  const { io, routes, createContext } = run.parts;
  run.isBeforeWrite = record.effect === "write";
  for (const argument of argumentNodes(record)) {
    // Optional to commander: a setting may supply them, and one place reports missing ones.
    leaf.argument(`[${argument.name}${argument.repeats ? "..." : ""}]`);
  }
  for (const node of optionNodes(record)) leaf.addOption(optionOf(node, run));
  installHelp(leaf, (heading) => headingStyle(io, leaf.optsWithGlobals())(heading), record);
  leaf.action(async (...given: unknown[]) => {
    const positional = given.slice(0, -2) as (string | string[] | undefined)[];
    const globals = leaf.optsWithGlobals<GlobalOptions>();
    const typedOptions = leaf.opts<Record<string, string[] | boolean | undefined>>();
    run.target = typedTarget(typedOptions, globals);
    run.isStarted = true;
    if (run.givenTwice.size > 0) throw cliErrors.option_twice(path, [...run.givenTwice]);
    const invocation: Invocation = {
      path,
      command: record,
      typedArguments: positional.map((value) => asList(value)),
      typedOptions,
      globals: { ...globals },
      target: run.target,
      tree: () => readTree(routes),
    };
    const [{ createReporter, execute, ioAt }, { createWaitLine }] = await Promise.all([
      import("./execute.ts"),
      import("./wait-line.ts"),
    ]);
    const waitLine = createWaitLine(ioAt(io, path), () => run.output);
    const context = await createContext(waitLine.io, globals, (output) => {
      run.output = output;
      const yes = globals.input === false || output.ci || !io.err.isTty;
      run.target = yes ? { ...run.target, yes } : run.target;
      return createReporter(waitLine.io, output, run.target, waitLine);
    });
    run.output = context.output;
    run.isBeforeWrite = false;
    run.exit = await execute(waitLine.io, context, invocation).finally(waitLine.end);
  });
}

/**
 * The target as it was typed. An address with user info is left out: a suggested command must not
 * repeat what may be a secret.
 */
function typedTarget(
  { state }: Readonly<Record<string, string[] | boolean | undefined>>,
  { profile, baseUrl, project, confirm, expectProject }: GlobalOptions,
): CommandTarget {
  const named = { profile, project, confirm, expectProject };
  return {
    ...named,
    ...(baseUrl?.includes("@") ? {} : { baseUrl }),
    state: Array.isArray(state) ? state.at(-1) : undefined,
  };
}

function optionOf(node: ParamNode, run: CommandLineRun): Option {
  const option = new Option(flagsOf(node));
  if (!node.takesValue) return option;
  if (node.repeats) return option.argParser(collected);
  // The last counts, for an alias or a script may have passed the first; but of two files both may
  // be meant.
  return option.argParser((typed, before: unknown) => {
    if (before !== undefined && node.complete === "file") run.givenTwice.add(node.name);
    return [typed];
  });
}
