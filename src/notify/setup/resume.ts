import { NotFoundError, UsageError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { suggest } from "../../values/suggested-command.ts";
import { trustingPolicy } from "../file/secret-policy.ts";
import { optionalVariables } from "../model/destination-input.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecrets, type RoutingModel } from "../model/routing.ts";
import { readRouting } from "../session.ts";
import { setupCommand } from "./command-line.ts";
import { notInteractive, type SetupContext } from "./options.ts";
import type { SetupJob } from "./run.ts";
import type { UnfinishedFile } from "./unfinished-file.ts";

/** Asks whether to resume the earlier setup, or to start over. */
export function askToResume({ prompt }: SetupContext): Promise<boolean> {
  return prompt.select({
    message: "An earlier setup did not finish. What do you want to do?",
    flag: "--resume",
    choices: [
      { value: true, label: "Resume it" },
      { value: false, label: "Start over", note: "the resources that it created are kept" },
    ],
  });
}

/**
 * The routing of an earlier setup that did not finish.
 * @throws {NotFoundError} where there is none
 * @throws {UsageError} where a secret is missing and the terminal is not interactive
 */
export async function readUnfinished(
  ports: SetupContext,
  file: UnfinishedFile,
): Promise<Required<Pick<SetupJob, "model" | "earlier">>> {
  const earlier = await file.read();
  if (earlier === undefined) {
    throw new NotFoundError("No unfinished setup found", {
      detail: "Unfinished setups are kept per project and location of the state.",
      suggestion: suggest("notify setup"),
    });
  }
  if (!ports.interactive && !ports.yes && !ports.dryRun) throw notInteractive([], false);
  const model = await readModel(ports, { path: file.path, text: earlier });
  if (setupCommand(model) === undefined) {
    throw new UsageError(`${file.path} is not the file of a setup`, {
      suggestion: suggest("notify apply", [], { f: file.path }),
    });
  }
  return { model, earlier };
}

interface SetupSource {
  readonly path: string;
  readonly text: string;
}

/** Reads the routing. Typed secrets are not on disk: the user is asked for them again. */
async function readModel(ports: SetupContext, source: SetupSource): Promise<RoutingModel> {
  const { files } = ports;
  const { variable, unset } = optionalVariables(files);
  await readText(ports, source, variable);
  const typed = await typedSecrets(ports, [...unset]);
  const model = await readText(ports, source, (name) => typed.get(name) ?? files.variable(name));
  // A typed secret is gone when amp ends: the receipt must say to set its variable.
  return mapSecrets(model, (secret) =>
    secret.reference?.from === "env" && typed.has(secret.reference.name)
      ? new Secret(secret.reveal())
      : secret,
  );
}

async function readText(
  { project, files, settings }: SetupContext,
  { path, text }: SetupSource,
  variable: (name: string) => string | undefined,
): Promise<RoutingModel> {
  const own = (name: string) => (name === path ? Promise.resolve(text) : files.read(name));
  const realPath = (name: string) => files.realPath(name);
  const report = { warn: () => {} };
  const ports = { project, settings, report, files: { read: own, realPath, variable } };
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
