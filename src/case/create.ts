import { createHash } from "node:crypto";
import type { Installation } from "../api/schemas/installation.ts";
import type { Integration } from "../api/schemas/project.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { CaseSummary, NewCase } from "../documents/case.ts";
import { readsNothing } from "../inspect/config-blocks.ts";
import { hasOddConfig } from "../inspect/diagnosis.ts";
import { sinceTime } from "../inspect/operations.ts";
import { version } from "../runtime/version.ts";
import { cleanEvidence, type EvidencePart } from "../secrets/evidence.ts";
import { sizeText } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { CASE_FORMAT, type CaseFile, openedCase, packCase } from "./case-file.ts";
import { caseErrors } from "./errors.ts";
import { activeReads, caseFacts, objectStates } from "./facts.ts";
import { type Evidence, type GatherContext, gather } from "./gather.ts";
import type { OperationFacts } from "./operation-facts.ts";
import { casePage, type ShownBefore, savingPage } from "./page.ts";
import { evidenceTexts } from "./prose.ts";
import type { GatheredAnswer, MissingEvidence, Role } from "./recorder.ts";
import { judgeFacts } from "./rules.ts";

type CreateContext = GatherContext &
  Pick<
    CommandContext,
    "environment" | "files" | "now" | "output" | "serviceTime" | "target" | "yes"
  >;

interface CreateOptions {
  readonly who: string;
  readonly integration: string | undefined;
  readonly since: string | undefined;
  readonly object: string | undefined;
  readonly save: string | undefined;
  readonly overwrite: boolean;
  readonly noLogs: boolean;
  readonly review: boolean;
}

/**
 * Gathers the evidence about an installation, finds the verdict, and saves it with `--save`. A
 * terminal shows the verdict, then what is saved and redacted, then asks.
 * @throws {UsageError} inside a case
 */
export async function createCase(
  context: CreateContext,
  options: CreateOptions,
): Promise<NewCase & ShownBefore> {
  const opened = await openedCase(context);
  if (opened) throw caseErrors.case_inside_case(opened.path);
  if (options.save !== undefined && !options.overwrite) {
    await context.files.refuseExisting(options.save);
  }
  const { project, target, serviceTime } = context;
  const { save } = options;
  const since = sinceTime(options.since, context);
  const evidence = await gather(context, { ...options, since, isSaved: save !== undefined });
  // The clock of this machine may differ from the one that the times are of.
  const clock = serviceTime();
  const now = clock === undefined ? context.now() : new Date(clock.latest);
  const origin = {
    project,
    target: fingerprintOf(target().baseUrl, project),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
  };
  const made = await buildCase(evidence, origin, now);
  return save === undefined
    ? { ...made.verdict, made: made.made }
    : saveCase(context, { ...options, save }, made);
}

async function saveCase(
  context: CreateContext,
  { save, overwrite, review }: CreateOptions & { readonly save: string },
  made: CaseFile,
): Promise<NewCase & ShownBefore> {
  const { interactive, yes, prompt, report, output, files } = context;
  const isAsked = interactive && !yes;
  const isListed = isAsked || review;
  const isShown = isListed && output.forReading();
  const created = { ...made.verdict, made: made.made };
  const page = casePage(created);
  if (isShown) report.page({ ...page, blocks: page.blocks.filter(({ kind }) => kind === "rows") });
  if (isListed) report.page(savingPage(made, review), { isWarning: true });
  const shown = { ...created, ...(isShown && { isShown }) };
  const bytes = packCase(made);
  const [answers, redacted] = [made.answers.length, made.redactions.length];
  const message = `Save the rest as ${save} (${answers} responses, ${sizeText(bytes.length)})?`;
  if (isAsked && !(await prompt.confirm({ message, flag: "--yes", default: true }))) {
    if (!isShown) report.notice("The case was not saved.");
    return shown;
  }
  await files.write(save, bytes, { overwrite, isPrivate: true });
  return { ...shown, saved: { file: save, answers, bytes: bytes.length, redacted } };
}

/** How the texts of an answer are cleaned; those that are not named hold records. */
const HOLDS: Readonly<Partial<Record<Role, EvidencePart["holds"]>>> = {
  operations: "prose",
  logs: "log",
  catalogue: "public",
};

/**
 * Makes a case of evidence. What must not be handed on is taken out first: the facts, the verdict
 * and the file are made of the rest.
 */
async function buildCase(
  evidence: Evidence,
  origin: Pick<CaseFile, "project" | "target" | "since">,
  now: Date,
): Promise<CaseFile> {
  const { gathered, missingEvidence, redactions, installation } = withoutPrivate(evidence);
  const { isWhole, withoutLogs, target } = evidence;
  const { cohort, installation: whole } = target;
  const isEmpty = readsNothing(whole.config) && !hasOddConfig(whole);
  const clean = {
    installation,
    cohort,
    gathered,
    isWhole,
    isEmpty,
    object: evidence.object,
    withoutLogs,
    missingEvidence,
  };
  const { facts, missing } = await caseFacts(clean, now);
  const { record, operations, destinations } = facts;
  const { id, group, provider } = record;
  const integration = integrationName(gathered, installation);
  const names = new Set(activeReads(record).flatMap(({ destination }) => destination ?? []));
  const verdict: CaseSummary = {
    installation: defined({ id, group, provider, integration }),
    ...judgeFacts(facts, missing, now),
    cohort: defined({
      integration: cohort.integration,
      provider: cohort.provider,
      alikeState: cohort.alikeState,
    }),
    ...defined({ since: operations && sinceOf(operations) }),
    objects: objectStates(facts),
    evidence: evidenceTexts(facts, now),
    delivers: [...names].map((destination) => ({
      destination,
      exists: destinations ? destinations.has(destination) : null,
    })),
    missingEvidence,
  };
  return {
    format: CASE_FORMAT,
    made: now.toISOString(),
    by: version,
    ...origin,
    // What was typed may be a pasted message: a case keeps only the customer that it led to.
    who: group ?? id,
    answers: gathered.map(({ answer }) => answer),
    // The file has plain data, as it is read again.
    verdict: JSON.parse(JSON.stringify(verdict)),
    redactions,
  };
}

function sinceOf({ lastFailed, recovered, running, ...operations }: OperationFacts) {
  return defined({
    firstFailure: operations.since,
    lastSuccess: operations.lastSuccess,
    lastFailed: (lastFailed ?? recovered?.lastFailed)?.id,
    failed: operations.failed,
    read: operations.read,
    atLeast: operations.isCut,
    isRunning: running && (true as const),
    recovered:
      recovered &&
      defined({
        failed: recovered.failed,
        atLeast: recovered.isCut,
        firstFailure: recovered.firstFailure,
        lastFailure: recovered.lastFailed.createTime ?? undefined,
        firstSuccess: recovered.firstSuccess,
      }),
  });
}

/** The evidence without what must not be handed on. */
function withoutPrivate({ gathered, missingEvidence, target }: Evidence) {
  const partOf = ({ role, answer }: GatheredAnswer, body: unknown): EvidencePart => ({
    where: `GET ${answer.path}`,
    body,
    holds: HOLDS[role] ?? "records",
  });
  // The records repeat the bodies, and what is taken out of them counts once.
  const { bodies, redactions } = cleanEvidence(
    [
      ...gathered.map((one) => partOf(one, one.answer.body)),
      ...gathered.map((one) => ({ ...partOf(one, one.records), isCopy: true })),
      { where: "", body: [target.installation, missingEvidence], holds: "records", isCopy: true },
    ],
    target.others,
  );
  const [installation, left] = bodies.at(-1) as [Installation, MissingEvidence[]];
  const clean = gathered.map(
    (one, at): GatheredAnswer => ({
      ...one,
      answer: { ...one.answer, body: bodies[at] },
      ...(one.records !== undefined && { records: bodies[at + gathered.length] }),
    }),
  );
  return { gathered: clean, installation, missingEvidence: left, redactions };
}

/** The fingerprint of a service and a project, which does not say them. */
function fingerprintOf(baseUrl: string, project: string): string {
  const of = `${URL.parse(baseUrl)?.origin}\n${project}`;
  return createHash("sha256").update(of).digest("hex").slice(0, 16);
}

function integrationName(
  gathered: readonly GatheredAnswer[],
  { integrationId }: Installation,
): string | undefined {
  const list = gathered.find(({ role }) => role === "integrations")?.records ?? [];
  const found = (list as readonly Integration[]).find(({ id }) => id === integrationId);
  return found?.name || undefined;
}
