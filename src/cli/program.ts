import { Command, CommanderError, Option } from "commander";
import type { Group, Leaf } from "../commands/routes.ts";
import type { Context, GlobalOptions, Look } from "../context.ts";
import { AmpError, EXIT, UsageError } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import { SETTINGS } from "../settings.ts";
import { version } from "../version.ts";
import type { AnyCommand } from "./define.ts";
import { execute, type Invocation } from "./execute.ts";
import { fail } from "./fail.ts";
import { installHelp } from "./help.ts";
import { helpTopic, isTopic } from "./topics.ts";
import {
  aliasesOf,
  argumentNodes,
  below,
  isLeaf,
  optionNodes,
  type ParamNode,
  readTree,
} from "./tree.ts";

/** What the program is made of. */
export interface Parts {
  readonly io: Io;
  readonly routes: Readonly<Record<string, Group | Leaf>>;
  /** Called once the options that work everywhere are known. */
  readonly createContext: (io: Io, options: GlobalOptions) => Promise<Context>;
  /** How to show an error where there is no context yet. */
  readonly createLook: (io: Io, options: GlobalOptions) => Look;
}

/**
 * Runs one command line.
 * @returns the exit code; the one exit point of amp
 */
export async function runProgram(parts: Parts): Promise<number> {
  const { io } = parts;
  const root = buildRoot(parts);
  try {
    const topic = io.argv[0] === "help" ? io.argv[1] : undefined;
    if (topic !== undefined && isTopic(topic)) {
      await io.out.write(helpTopic(topic, helpWidth(io.out)));
    } else await root.command.parseAsync(helpFirst(io.argv), { from: "user" });
    return EXIT.ok.code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      await io.out.write(root.printed.out);
      return EXIT.ok.code;
    }
    const look = parts.createLook(io, root.command.opts<GlobalOptions>());
    return await fail(io, look, fromCommander(error, root.printed.err, io.argv));
  }
}

/** `amp help installations list` goes the way of `amp installations list --help`. */
function helpFirst(argv: readonly string[]): string[] {
  if (argv.length === 0) return ["--help"];
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : [...argv];
}

/** Long lines are hard to read, however wide the terminal. */
function helpWidth(sink: Sink): number {
  return Math.min(sink.columns, 100);
}

function buildRoot(parts: Parts) {
  const printed = { out: "", err: "" };
  const command = new Command("amp")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
      getOutHelpWidth: () => helpWidth(parts.io.out),
      getErrHelpWidth: () => helpWidth(parts.io.err),
    })
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .showSuggestionAfterError();
  for (const setting of Object.values(SETTINGS)) {
    if ("flags" in setting)
      command.addOption(new Option(setting.flags, setting.summary).hideHelp());
  }
  installHelp(command);
  mount(command, "", parts);
  return { command, printed };
}

/** Mounts what stands below a path; commands are empty shells until they are reached. */
function mount(parent: Command, path: string, parts: Parts): void {
  for (const childPath of below(parts.routes, path)) {
    const route = parts.routes[childPath];
    if (route === undefined) continue;
    const child = parent.command(childPath.split(" ").at(-1) ?? "").summary(route.summary);
    child.aliases(aliasesOf(childPath, route));
    if (route.section !== undefined) child.helpGroup(route.section);
    if (!isLeaf(route)) mount(child, childPath, parts);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const childPath = `${path} ${child.name()}`.trim();
    const route = parts.routes[childPath];
    if (route !== undefined && isLeaf(route)) {
      furnish(child, (await route.load()).default, childPath, parts);
    }
  });
}

/** Gives a reached command its arguments, options and action. */
function furnish(shell: Command, record: AnyCommand, path: string, parts: Parts): void {
  shell.description(record.description ?? "");
  for (const argument of argumentNodes(record)) {
    // All optional to commander: a setting may supply them, and one place says what is missing.
    shell.argument(`[${argument.name}${argument.repeats ? "..." : ""}]`, argument.description);
  }
  for (const node of optionNodes(record)) shell.addOption(optionOf(node));
  installHelp(shell, record);
  shell.action(async (...given: unknown[]) => {
    const positional = given.slice(0, -2) as (string | string[] | undefined)[];
    const invocation: Invocation = {
      path,
      command: record,
      typedArguments: positional.map((value) => (value === undefined ? [] : [value].flat())),
      typedOptions: shell.opts<Record<string, string[] | boolean | undefined>>(),
      tree: () => readTree(parts.routes),
    };
    const globals = shell.optsWithGlobals<GlobalOptions>();
    await execute(parts.io, await parts.createContext(parts.io, globals), invocation);
  });
}

function optionOf(node: ParamNode): Option {
  const flags = node.takesValue ? `${node.name} <${node.placeholder}>` : node.name;
  const option = new Option(flags, node.description);
  // Every typed value is kept: which of several counts is the parameter's business.
  if (node.takesValue) {
    option.argParser((typed: string, before: string[] | undefined) => [...(before ?? []), typed]);
  }
  return option;
}

/** Commander's own errors in the shape of all others. */
function fromCommander(error: unknown, printed: string, argv: readonly string[]): unknown {
  if (!(error instanceof CommanderError) || error instanceof AmpError) return error;
  if (error.code === "commander.help") {
    const path = argv.filter((word) => !word.startsWith("-")).join(" ");
    return new UsageError(`amp ${path} needs a command`.replace("  ", " "), {
      detail: printed.trimEnd(),
      suggestion: `amp ${path} --help`,
    });
  }
  const [message = "", hint] = error.message.replace(/^error: /u, "").split("\n");
  const meant = /\(Did you mean (?:one of )?(.+)\?\)/u.exec(hint ?? "")?.[1];
  return new UsageError(
    message,
    meant === undefined ? { suggestion: "amp --help" } : { remedy: `Did you mean ${meant}?` },
  );
}
