import { createHash, randomUUID } from "node:crypto";
import type { Installation } from "../api/schemas/installation.ts";
import type { Integration } from "../api/schemas/project.ts";
import { readsNothing } from "../inspect/config-blocks.ts";
import { hasOddConfig } from "../inspect/diagnosis.ts";
import { version } from "../runtime/version.ts";
import { cleanEvidence, type EvidencePart } from "../secrets/evidence.ts";
import { createAliases } from "./anonymise.ts";
import { caseFacts } from "./case-facts.ts";
import { CASE_FORMAT } from "./case-file.ts";
import type { CaseFile } from "./case-schema.ts";
import type { Evidence } from "./gather.ts";
import type { GatheredAnswer, MissingEvidence, Role } from "./recorder.ts";
import { summariseCase } from "./summary.ts";

/** The facts about a case that the evidence does not hold. */
export interface CaseOrigin {
  readonly project: string;
  readonly baseUrl: string;
  readonly since: number | undefined;
  readonly anonymise: boolean;
  readonly now: Date;
}

/** How the texts of an answer are cleaned; those that are not named hold records. */
const HOLDS: Readonly<Partial<Record<Role, EvidencePart["holds"]>>> = {
  operations: "prose",
  logs: "log",
  catalogue: "public",
};

/**
 * Makes a case of evidence. What must not be handed on is taken out first: the facts, the verdict and
 * the file are made of the rest.
 */
export async function buildCase(evidence: Evidence, origin: CaseOrigin): Promise<CaseFile> {
  const { project, since, now } = origin;
  const { gathered, missingEvidence, redactions, installation } = withoutPrivate(evidence, origin);
  const { cohort } = evidence.target;
  const { isWhole, withoutLogs } = evidence;
  const { installation: whole } = evidence.target;
  const isEmpty = readsNothing(whole.config) && !hasOddConfig(whole);
  const known = { installation, cohort, gathered, missingEvidence, isWhole, isEmpty };
  const { facts, missing } = await caseFacts(
    { ...known, ...(withoutLogs && { withoutLogs }) },
    now,
  );
  const verdict = summariseCase(facts, missing, {
    missingEvidence,
    integration: integrationName(gathered, installation),
    cohort,
    now,
    anonymise: origin.anonymise,
  });
  return {
    format: CASE_FORMAT,
    made: now.toISOString(),
    by: version,
    target: fingerprintOf(origin),
    project,
    // What was typed may be a pasted message: a case keeps only the customer that it led to.
    who: verdict.installation.group ?? verdict.installation.id,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    answers: gathered.map(({ answer: { of, ...answer } }) => ({
      ...answer,
      query: { ...answer.query },
      ...(of === undefined ? {} : { of }),
    })) as CaseFile["answers"],
    // The file has plain data, as it is read again.
    verdict: JSON.parse(JSON.stringify(verdict)) as CaseFile["verdict"],
    redactions: [...redactions],
  };
}

/** The evidence without what must not be handed on; with `anonymise`, without who is who. */
function withoutPrivate(
  { gathered, missingEvidence, target }: Evidence,
  { anonymise }: CaseOrigin,
) {
  const partOf = ({ role, answer }: GatheredAnswer, body: unknown): EvidencePart => ({
    where: `GET ${answer.path}`,
    body,
    holds: HOLDS[role] ?? "records",
  });
  // The records repeat the bodies, and what is taken out of them counts once.
  const { bodies, redactions } = cleanEvidence([
    ...gathered.map((one) => partOf(one, one.answer.body)),
    ...gathered.map((one) => ({ ...partOf(one, one.records), isCopy: true })),
    {
      where: "",
      body: [target.installation, missingEvidence],
      holds: "records",
      isCopy: true,
    },
  ]);
  const [installation, left] = bodies.at(-1) as [Installation, MissingEvidence[]];
  const answers = gathered.map(({ answer, records, operation }, at) => ({
    answer: { ...answer, body: bodies[at] },
    ...(records === undefined ? {} : { records: bodies[at + gathered.length] }),
    ...(operation === undefined ? {} : { operation }),
  }));
  const clean = { installation, missingEvidence: left, answers, redactions };
  const shown = anonymise ? createAliases([clean.answers]).apply(clean) : clean;
  return {
    ...shown,
    gathered: shown.answers.map(
      (one, at): GatheredAnswer => ({
        role: gathered[at]?.role ?? "installations",
        ...one,
      }),
    ),
  };
}

/** The fingerprint of a service and a project, which does not say them; none of an anonymous case. */
function fingerprintOf({ baseUrl, project, anonymise }: CaseOrigin): string {
  const of = anonymise ? randomUUID() : `${URL.parse(baseUrl)?.origin}\n${project}`;
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
