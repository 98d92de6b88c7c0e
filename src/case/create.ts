import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { sinceTime } from "../inspect/operations.ts";
import { counted } from "../values/counted.ts";
import { sizeText } from "../values/size.ts";
import { suggest } from "../values/suggested-command.ts";
import { buildCase } from "./build.ts";
import { packCase } from "./case-file.ts";
import type { CaseFile } from "./case-schema.ts";
import { type Evidence, type GatherContext, gather } from "./gather.ts";
import { type OpenedCase, openedCase } from "./opened.ts";
import { redactionPage } from "./parts-page.ts";
import type { CaseSummary } from "./summary.ts";

/** Where a case was saved. */
export interface SavedCase {
  readonly file: string;
  readonly answers: number;
  readonly bytes: number;
  readonly redacted: number;
}

/** A new case. */
export interface NewCase extends CaseSummary {
  /** The time when it was made. */
  readonly made: string;
  readonly saved?: SavedCase;
}

/** The part of a command's context that makes a case. */
export type CreateContext = GatherContext &
  Pick<CommandContext, "environment" | "files" | "now" | "serviceTime" | "target" | "yes">;

/** The options of `amp case create`. */
export interface CreateOptions {
  readonly who: string;
  readonly integration: string | undefined;
  readonly since: string | undefined;
  readonly save: string | undefined;
  readonly overwrite: boolean;
  readonly anonymise: boolean;
  readonly noLogs: boolean;
}

/**
 * Gathers the evidence about an installation, finds the verdict, and saves it with `--save`. On a
 * terminal, shows the redactions first.
 * @throws {UsageError} inside a case that has not all of the installations to compare with, or is of another one
 */
export async function createCase(context: CreateContext, options: CreateOptions): Promise<NewCase> {
  const opened = await openedCase(context);
  if (opened?.partOf !== undefined) {
    const total = counted(opened.partOf, "installation");
    throw refusal(
      opened.path,
      `It contains only a part of ${total}, so amp cannot determine whether others fail.`,
    );
  }
  if (options.save !== undefined && !options.overwrite) {
    await context.files.refuseExisting(options.save);
  }
  const { project, target, serviceTime } = context;
  const { who, integration, anonymise, save, noLogs } = options;
  const since = sinceTime(options.since, context.now());
  const evidence = await gather(context, {
    who,
    integration,
    since,
    logs: !noLogs,
    isSaved: save !== undefined,
  });
  if (opened) refuseOthers(opened, evidence);
  // The clock of this machine may differ from the one that the times are of.
  const clock = serviceTime();
  const now = clock === undefined ? context.now() : new Date(clock.latest);
  const { baseUrl } = target();
  const made = await buildCase(evidence, { project, baseUrl, since, anonymise, now });
  const created = { ...(made.verdict as CaseSummary), made: made.made };
  if (save === undefined || !(await isAgreed(context, save, made))) return created;
  const bytes = packCase(made);
  await context.files.write(save, bytes, { overwrite: options.overwrite, isPrivate: true });
  const [answers, redacted] = [made.answers.length, made.redactions.length];
  return { ...created, saved: { file: save, answers, bytes: bytes.length, redacted } };
}

/** Refuses an installation that is only listed in the case: without its operations, a verdict is a guess. */
function refuseOthers({ path, answers }: OpenedCase, { gathered, target }: Evidence): void {
  const asked = gathered.find(({ role }) => role === "operations")?.answer;
  if (answers.some((one) => one.path === asked?.path)) return;
  const { id } = target.installation;
  throw refusal(path, `It contains no operations of ${id}, so amp cannot determine why it fails.`);
}

function refusal(path: string, detail: string): UsageError {
  return new UsageError("Cannot create a case inside this case", {
    detail,
    remedy: "Show the verdict of this case instead.",
    suggestion: suggest("case show", [path]),
  });
}

/** Shows what was taken out, and asks whether the rest may be saved. */
async function isAgreed(
  { interactive, yes, prompt, report }: CreateContext,
  save: string,
  made: CaseFile,
): Promise<boolean> {
  if (!interactive || yes) return true;
  report.page(redactionPage(made.redactions), { isWarning: true });
  const size = sizeText(packCase(made).length);
  const message = `Save the rest as ${save} (${made.answers.length} responses, ${size})?`;
  if (await prompt.confirm({ message, flag: "--yes", default: true })) return true;
  report.notice("The case was not saved.");
  return false;
}
