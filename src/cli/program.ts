import { Command, CommanderError, Option } from "commander";
import type { Reporter } from "../context/command-context.ts";
import type { Context } from "../context/context.ts";
import type { GlobalOptions, OutputSettings } from "../context/output-settings.ts";
import { EXIT, type ExitName } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import { version } from "../runtime/version.ts";
import { SETTINGS } from "../settings.ts";
import { wantsColor } from "../ui/paint.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import type { ParamNode } from "./command-node.ts";
import type { AnyCommand, Routes } from "./define.ts";
import { flagsOf, type HeadingStyle, installHelp, TOPIC_NAMES, type TopicName } from "./help.ts";
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
import { usageErrorOf } from "./usage-errors.ts";

/** The parts of the program, which tests replace. */
export interface ProgramParts {
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

/**
 * Runs one command line.
 * @returns the exit code; amp exits nowhere else
 */
export async function runProgram(parts: ProgramParts): Promise<number> {
  const { io } = parts;
  const run = prepare(parts);
  const { argv, about } = readHelp(io.argv);
  try {
    const topic = about === undefined ? undefined : topicOf(about);
    if (topic !== undefined) {
      const { helpTopic } = await import("./help-topics.ts");
      await io.out.write(helpTopic(topic, helpWidth(io.out), headingStyle(io, {})));
    } else if (await printsHelp(run.root.parseAsync(argv, { from: "user" }))) {
      await io.out.write(run.printed.out);
    }
    return typeof run.exit === "number" ? run.exit : EXIT[run.exit ?? "ok"].code;
  } catch (error) {
    // This module is loaded only after a failure: help, the most frequent result, does not need
    // it.
    const { reportError } = await import("./report-error.ts");
    const { output, reached, target } = run;
    const settings = output ?? (await parts.createOutputSettings(io, run.root.opts()));
    if (!(error instanceof CommanderError)) return await reportError(io, settings, error, target);
    if (error.code === "commander.help" && settings.messages() === "text") {
      // A group without a command. A program that asked for JSON gets an error instead.
      await io.out.write(run.printed.err);
      return EXIT.ok.code;
    }
    return await reportError(io, settings, usageErrorOf(error, reached));
  }
}

/**
 * Whether commander has printed help or the version, which it reports by an error with exit code
 * 0.
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
 * Rewrites `amp help apps list` and `amp --help apps list` to `amp apps list --help`, and a leading `-v`
 * or `-V` to `--version`; after a command, `-v` is that command's own.
 */
function readHelp(argv: readonly string[]): { argv: readonly string[]; about?: string } {
  if (argv.length === 0) return { argv: ["--help"] };
  if (/^-v$/iu.test(argv[0] ?? "")) return { argv: ["--version", ...argv.slice(1)] };
  const at = argv.findIndex((word) => !WITHOUT_VALUE.has(word));
  if (!HELP.has(argv[at])) return { argv };
  const about = argv[at + 1];
  return { argv: [...argv.toSpliced(at, 1), "--help"], ...(about === undefined ? {} : { about }) };
}

/** The topic that a word after `help` names: `exitcodes` and `exit_codes` mean `exit-codes`. */
function topicOf(word: string): TopicName | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[-_]/gu, "");
  return TOPIC_NAMES.find((name) => plain(name) === plain(word));
}

/** Bold headings where colours are on. Chalk is not loaded for them: help starts in its time. */
function headingStyle({ env, out }: Io, { color }: GlobalOptions): HeadingStyle {
  if (!wantsColor(env, out.isTty, color)) return (heading) => heading;
  return (heading) => `\u001b[1m${heading}\u001b[22m`;
}

const HELP = new Set<string | undefined>(["help", "--help", "-h"]);

/** The options that may precede `help`; after any other the word is that option's value. */
const WITHOUT_VALUE = new Set(
  globalOptions().flatMap(({ name, short, takesValue }) => (takesValue ? [] : [name, short])),
);

const collected = (typed: string, before: readonly string[] = []) => [...before, typed];

/** The width of help: long lines are hard to read, however wide the terminal. */
function helpWidth(sink: Sink): number {
  return Math.min(sink.columns, 100);
}

/** A run and its facts, which are known also if it ends early. */
interface Run {
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
  /** The exit code, once the command has ended. */
  exit?: ExitName | number;
}

function prepare(parts: ProgramParts): Run {
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
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false);
  for (const setting of Object.values(SETTINGS)) {
    if ("repeats" in setting) root.option(setting.flags, "", collected);
    else if ("flags" in setting) root.option(setting.flags);
  }
  installHelp(root, (heading) => headingStyle(parts.io, root.opts())(heading));
  const run: Run = { parts, root, printed, reached: root, target: {} };
  addChildren(root, "", run);
  return run;
}

/** Adds the groups and commands right below a path, which are empty until they are reached. */
function addChildren(parent: Command, path: string, run: Run): void {
  const { routes } = run.parts;
  for (const childPath of pathsBelow(routes, path)) {
    const route = routes[childPath];
    if (route === undefined) continue;
    const child = parent.command(childPath.split(" ").at(-1) ?? "").summary(route.summary);
    child.aliases(aliasesOf(childPath, route));
    if (route.section !== undefined) child.helpGroup(route.section);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const childPath = `${path} ${child.name()}`.trim();
    const route = routes[childPath];
    run.reached = child;
    if (route === undefined) return;
    if (isLeaf(route)) defineLeaf(child, (await route.load()).default, childPath, run);
    else addChildren(child, childPath, run);
  });
}

/** Gives a reached command its arguments, options and action. */
function defineLeaf(shell: Command, record: AnyCommand, path: string, run: Run): void {
  const { io, routes, createContext } = run.parts;
  for (const argument of argumentNodes(record)) {
    // Optional to commander: a setting may supply them, and one place reports missing ones.
    shell.argument(`[${argument.name}${argument.repeats ? "..." : ""}]`);
  }
  for (const node of optionNodes(record)) shell.addOption(optionOf(node));
  installHelp(shell, (heading) => headingStyle(io, shell.optsWithGlobals())(heading), record);
  shell.action(async (...given: unknown[]) => {
    const positional = given.slice(0, -2) as (string | string[] | undefined)[];
    const globals = shell.optsWithGlobals<GlobalOptions>();
    const typedOptions = shell.opts<Record<string, string[] | boolean | undefined>>();
    run.target = typedTarget(typedOptions, globals);
    const invocation: Invocation = {
      path,
      command: record,
      typedArguments: positional.map((value) => (value === undefined ? [] : [value].flat())),
      typedOptions,
      globals: { ...globals },
      target: run.target,
      tree: () => readTree(routes),
    };
    const { createReporter, createWaitLine, execute } = await import("./execute.ts");
    const waitLine = createWaitLine(io, () => run.output);
    const context = await createContext(waitLine.io, globals, (output) => {
      run.output = output;
      return createReporter(waitLine.io, output, run.target, waitLine);
    });
    run.output = context.output;
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

function optionOf(node: ParamNode): Option {
  const option = new Option(flagsOf(node));
  // Every typed value is kept: the parameter decides which one counts.
  if (node.takesValue) {
    option.argParser((typed: string, before: string[] | undefined) => [...(before ?? []), typed]);
  }
  return option;
}
