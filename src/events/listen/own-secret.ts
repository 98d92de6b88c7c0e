import { join } from "node:path";
import type { CommandContext } from "../../context/command-context.ts";
import { withLock } from "../../durable/lock.ts";
import { readOwnFile } from "../../durable/read-file.ts";
import { writeFileDurably } from "../../durable/write-file.ts";
import { fsReason } from "../../runtime/fs-reason.ts";
import { Secret } from "../../secrets/secret.ts";
import { secretProblem } from "../message/signature.ts";
import { newSigningSecret } from "../receiver-options.ts";
import { serviceOf } from "./target.ts";

/** The signing secret of a listener. */
export interface OwnSecret {
  readonly secret: string;
  /** The runs that have it, in words. */
  readonly runs: string;
}

/** How long a listener waits for another one that makes the secret. */
const WAIT_MS = 5_000;

/**
 * The signing secret of the listeners of a profile: kept in a file of its own, so that an
 * application that has it once accepts what every later run forwards. A file that cannot be written
 * is a warning, and the secret is then that of this run.
 */
export async function ownSecret({
  environment,
  report,
  target,
}: Pick<CommandContext, "environment" | "report" | "target">): Promise<OwnSecret> {
  const profile = serviceOf(target)?.profile;
  const name = profile === undefined ? "secret" : `secret-${encodeURIComponent(profile)}`;
  const path = join(environment.stateFolder, "listen", name);
  const made = newSigningSecret();
  try {
    const kept = await withLock(path, { wait: WAIT_MS }, async () => {
      const before = (await readOwnFile(path))?.trim();
      if (before !== undefined && secretProblem(before) === undefined) return before;
      await writeFileDurably(path, `${made}\n`);
      return made;
    });
    const runs = profile === undefined ? "every run" : `every run of profile ${profile}`;
    return { secret: Secret.published(kept).reveal(), runs: `the same in ${runs}` };
  } catch (error) {
    report.warn(`The signing secret of this run could not be kept: ${fsReason(error)}`);
    return { secret: Secret.published(made).reveal(), runs: "for this run alone" };
  }
}
