import { CommanderError } from "commander";
import { EXIT, nothingDone } from "../errors.ts";
import {
  type CommandLineRun,
  headingStyle,
  helpWidth,
  namedIn,
  type ProgramParts,
  prepare,
} from "./command-line.ts";
import { TOPIC_NAMES, type TopicName } from "./help.ts";
import { globalOptions } from "./tree.ts";
import { usageErrorOf } from "./usage-errors.ts";

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
  return TOPIC_NAMES.find((name) => plain(name) === plain(word));
}

const HELP = new Set<string | undefined>(["help", "--help", "-h"]);

/** The options that may precede `help`; after any other the word is that option's value. */
function withoutValue(): ReadonlySet<string | undefined> {
  const options = globalOptions().filter(({ takesValue }) => !takesValue);
  return new Set(options.flatMap(({ name, short }) => [name, short]));
}
