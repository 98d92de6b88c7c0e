import { RejectedError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { SETTINGS } from "../settings.ts";
import { targetOptions } from "../values/command-paths.ts";
import { derived } from "../values/derived.ts";
import type { Invocation } from "./read-params.ts";

/**
 * The inputs and outputs of a command. In a case, a command that reads the recording has the time when
 * it was made: ages, `--since` and schedules count from then. Others, and waits, have the clock's.
 */
export function ioAt(io: Io, path: string): Io {
  const recorded = Date.parse(io.env[SETTINGS.caseTime.env] ?? "");
  const isReading = Boolean(io.env[SETTINGS.case.env]) && targetOptions(path).length > 0;
  if (!isReading || Number.isNaN(recorded)) return io;
  const ahead = io.now().getTime() - recorded;
  return derived(io, { now: () => new Date(io.now().getTime() - ahead) });
}

/**
 * Refuses what a case cannot do, before anything is read or asked.
 * @throws {RejectedError} for a write
 * @throws {UsageError} for another service
 */
export function refuseInCase(
  env: Io["env"],
  { path, target }: Pick<Invocation, "path" | "target">,
  writes: boolean,
): void {
  const file = env[SETTINGS.case.env];
  if (!file) return;
  const remedy = "Leave the case first, for example with: exit";
  if (target.baseUrl !== undefined) {
    throw new UsageError("--base-url cannot be used inside a case", {
      detail: `Inside the case ${file}, commands read only its recorded responses.`,
      remedy,
      done: "Nothing was sent.",
    });
  }
  if (path === "auth login") {
    throw new UsageError("You cannot log in inside a case", {
      detail: `This is inside the case ${file}, which has a credential of its own.`,
      remedy,
    });
  }
  if (!writes) return;
  throw new RejectedError("A case is read-only", {
    detail: `amp ${path} would change something, but the case ${file} is a recording.`,
    remedy,
    done: "Nothing was sent to any service.",
  });
}
