import { InterruptedError, NotFoundError, UsageError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { shellLine } from "../../values/shell.ts";
import { optionalVariables } from "../model/destination-input.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecrets, type RoutingModel } from "../model/routing.ts";
import { planPage } from "../pages/plan.ts";
import { blockersOf, NO_CHOICES } from "../plan/blockers.ts";
import type { Plan } from "../plan/plan.ts";
import { readRouting } from "../session.ts";
import type { SetupAnswers } from "./answers.ts";
import { notInteractive, type SetupContext } from "./options.ts";
import type { SetupJob } from "./run.ts";
import type { UnfinishedFile } from "./unfinished-file.ts";

/** Whether an earlier setup is to be taken up, rather than given up for a new one. */
export function askToResume({ prompt }: SetupContext): Promise<boolean> {
  return prompt.select({
    message: "An earlier setup was not finished",
    flag: "--resume",
    choices: [
      { value: true, label: "Resume it" },
      { value: false, label: "Start anew", note: "what it created stays" },
    ],
  });
}

/**
 * What an earlier run was asked for, and was not done with.
 * @throws {NotFoundError} where there is none
 * @throws {UsageError} where a secret is missing that nobody can be asked for
 */
export async function resumeJob(
  ports: SetupContext,
  file: UnfinishedFile,
): Promise<Pick<SetupJob, "answers" | "known" | "review">> {
  const known = await file.read();
  if (known === undefined) {
    throw new NotFoundError("No setup was left unfinished", {
      detail: "For this project and this place of the state, that is.",
      suggestion: "amp notify setup",
    });
  }
  if (!ports.interactive && !ports.yes && !ports.dryRun) throw notInteractive([], false);
  const model = await readModel(ports, { path: file.path, text: known });
  return { known, answers: answersOf(model, file.path), review: (plan) => review(ports, plan) };
}

interface SetupSource {
  readonly path: string;
  readonly text: string;
}

/** Reads the routing; secrets that were typed are on no disk, and are asked for again. */
async function readModel(ports: SetupContext, source: SetupSource): Promise<RoutingModel> {
  const { variable, unset } = optionalVariables(ports.files);
  await readText(ports, source, variable);
  const typed = await typedSecrets(ports, [...unset]);
  const model = await readText(
    ports,
    source,
    (name) => typed.get(name) ?? ports.files.variable(name),
  );
  // What was typed is gone when amp ends: the receipt must say that its variable is to be set.
  return mapSecrets(model, (secret) =>
    secret.reference?.from === "env" && typed.has(secret.reference.name)
      ? new Secret(secret.reveal())
      : secret,
  );
}

async function readText(
  { project, files }: SetupContext,
  { path, text }: SetupSource,
  variable: (name: string) => string | undefined,
): Promise<RoutingModel> {
  const own = (name: string) => (name === path ? Promise.resolve(text) : files.read(name));
  const ports = { project, files: { read: own, variable }, report: { warn: () => {} } };
  return (await readRouting(ports, { file: path, allowLiteralSecrets: false })).model;
}

async function typedSecrets(
  { prompt, interactive }: SetupContext,
  missing: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (missing.length > 0 && !interactive) {
    throw new UsageError(`${missing.join(", ")} must be set`, {
      remedy: "Each stands for a secret; amp keeps none on disk.",
      done: "Nothing was sent.",
    });
  }
  const typed = new Map<string, string>();
  for (const name of missing) {
    const message = `The secret that ${name} stands for`;
    typed.set(name, await prompt.secret({ message, flag: name, check: notEmpty }));
  }
  return typed;
}

function answersOf({ destinations, topics }: RoutingModel, path: string): SetupAnswers {
  const [out, ...outs] = destinations;
  const [into, ...intos] = topics;
  if (out === undefined || into === undefined || outs.length + intos.length > 0) {
    throw new UsageError(`${path} is not as a setup writes it`, {
      suggestion: shellLine(["amp", "notify", "apply", "-f", path]),
    });
  }
  const [name, { id, events }] = into;
  return {
    destination: { ...out[1], name: out[0] },
    topic: id === undefined ? { kind: "new", name } : { kind: "existing", name, id },
    events,
  };
}

/** Shows what is in place and what is left, and asks. */
async function review({ report, prompt, yes }: SetupContext, plan: Plan): Promise<void> {
  // What other setups of this state have made is none of this one's business.
  const items = plan.items.filter(({ action }) => action !== "prune");
  report.page(planPage({ ...plan, items, kept: [] }, NO_CHOICES));
  if (yes || blockersOf(plan, NO_CHOICES).length > 0) return;
  const answer = await prompt.confirm({ message: "Go on?", flag: "--yes", default: true });
  if (!answer) throw new InterruptedError("Cancelled", { done: "Nothing was created." });
}
