import { EXIT, type ExitName } from "../errors.ts";
import { COMMAND_TARGETS } from "../values/command-paths.ts";
import type { ExitCode } from "./command-node.ts";
import type { AnyCommand } from "./define.ts";

/** The exit codes that any command may end with, and that its own help does not repeat. */
export const COMMON_EXITS: readonly ExitName[] = [
  "unexpected",
  "timeout",
  "interrupted",
  "terminated",
];

const LOCAL: readonly ExitName[] = ["ok", "usage"];
const AT_SERVICE: readonly ExitName[] = ["not-found", "auth", "conflict", "rejected", "service"];

/**
 * The exit codes of a command, without {@link COMMON_EXITS}: they follow from what it acts on (this
 * machine, the service, the saved state) and from what it declares.
 */
export function exitCodesOf(path: string, command: AnyCommand): ExitCode[] {
  const targets: Readonly<Record<string, readonly string[]>> = COMMAND_TARGETS;
  const takes = targets[path] ?? [];
  const own = command.exits ?? {};
  const names = new Set<string>([
    ...LOCAL,
    ...(takes.includes("baseUrl") ? AT_SERVICE : []),
    ...(takes.includes("state") || (command.effect === "write" && takes.includes("baseUrl"))
      ? (["partial"] as const)
      : []),
    ...Object.keys(own),
  ]);
  return (Object.keys(EXIT) as ExitName[])
    .filter((name) => names.has(name))
    .map((name) => ({ code: EXIT[name].code, meaning: own[name] ?? EXIT[name].meaning }));
}
