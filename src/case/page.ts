import { counted, sizeText } from "../values/counted.ts";
import { type SuggestedCommand, suggest, suggestRunning } from "../values/suggested-command.ts";
import {
  type Block,
  dimBlock,
  joined,
  nextBlock,
  type Page,
  row,
  rows,
  toned,
} from "../view/view.ts";
import type { CaseSummary, Turn } from "./case-schema.ts";
import { cohortTexts, furtherTexts } from "./cohort.ts";
import { shortTimeText } from "./words.ts";

/** The fields of a case in JSON, which `amp case show` prints, too. */
export const CASE_FIELDS = [
  "installation",
  "rule",
  "headline",
  "says",
  "turn",
  "advice",
  "also",
  "cohort",
  "since",
  "evidence",
  "notifications",
  "delivers",
  "missingEvidence",
  "rules",
  "facts",
  "made",
];

interface SavedCase {
  readonly file: string;
  readonly answers: number;
  readonly bytes: number;
  readonly redacted: number;
}

/** A case that is shown: with the time when it was made, and where it was saved. */
export interface NewCase extends CaseSummary {
  /** The time when it was made. */
  readonly made: string;
  readonly saved?: SavedCase;
}

/** The file of a case that is shown from it: its reader may have no access to the service. */
interface FromFile {
  readonly path: string;
  readonly hasLogs: boolean;
  /**
   * The case that is opened: in it, the commands run as they are, and in another one not at all.
   */
  readonly opened: "this" | "another" | undefined;
}

const TURNS: Readonly<Record<Turn, string>> = {
  customer: "the customer",
  builder: "the builder of the integration",
  provider: "the provider",
  platform: "the platform",
  nobody: "nobody",
};

/** The page of a case: what it means first, then what supports it. */
export function casePage(summary: NewCase, from?: FromFile): Page {
  const { installation, headline, turn, missingEvidence, saved } = summary;
  const made = new Date(summary.made);
  const isFine = summary.rule === "healthy";
  return {
    title: installation.group ?? "(no group)",
    aside: joined([installation.provider, installation.integration, installation.id]) ?? "",
    blocks: [
      {
        kind: "text",
        text: headline,
        tone: isFine ? "good" : turn === "nobody" ? "attention" : "bad",
      },
      rows([
        ...row("Who must act", `${TURNS[turn]}: ${summary.advice}`),
        ...row("Others", cohortTexts(summary)),
        ...row("Since when", [recoveredLine(summary, made), sinceLine(summary, made)]),
        ...row("Evidence", summary.evidence),
        ...row("Also", furtherTexts(summary)),
        ...row("Notified", notifiedLines(summary)),
        ...row("Records go to", deliveryLines(summary)),
        ...row(
          "Not available",
          missingEvidence.map(({ what, why }) => toned("attention", `${what}: ${why}`)),
        ),
        ...(saved ? row("Saved", savedText(saved)) : []),
      ]),
      ...nextBlocks(summary, from),
      // A ticket is read later.
      ...(from ? [] : [dimBlock(`Made ${shortTimeText(summary.made, made)}.`)]),
    ],
  };
}

function sinceLine({ since, missingEvidence }: CaseSummary, made: Date): string | undefined {
  if (since === undefined) {
    const missing = missingEvidence.find(({ what }) => what === "operations");
    return missing?.reason === "not-supported"
      ? "not available at this service"
      : "not known: no operations were read";
  }
  const { lastSuccess, firstFailure, failed, read, atLeast, isRunning } = since;
  if (read === 0) return atLeast ? "no operations since the time of --since" : "no operations";
  const success = lastSuccess && `last success ${shortTimeText(lastSuccess, made)}`;
  if (failed === 0)
    return joined([
      success,
      `${counted(read, "operation")} read, ${isRunning ? "the latest is in progress" : success ? "the latest succeeded" : "none has succeeded or failed"}`,
    ]);
  const first = firstFailure && `first failure ${shortTimeText(firstFailure, made)}`;
  return joined([
    success ??
      (atLeast
        ? `no success in the last ${counted(read, "operation")}, ${first}`
        : "it never succeeded"),
    `${counted(failed, "operation")} failed since`,
  ]);
}

/** When the failures began and ended that are over. */
function recoveredLine({ since }: CaseSummary, made: Date): string | undefined {
  if (since?.recovered === undefined) return undefined;
  const { failed, firstFailure = "", lastFailure = "", firstSuccess, atLeast } = since.recovered;
  const times = [...new Set([firstFailure, lastFailure])].filter(Boolean);
  const span = times.map((time) => shortTimeText(time, made)).join(" to ");
  const count = `${atLeast ? "at least " : ""}${counted(failed, "operation")} failed`;
  return joined([
    joined([count, span], times.length === 1 ? " at " : " from "),
    firstSuccess && `succeeding since ${shortTimeText(firstSuccess, made)}`,
  ]);
}

function notifiedLines({ notifications, rule, since }: CaseSummary): string[] {
  if (notifications === undefined) return ["not known: the routing could not be read"];
  if (notifications.length === 0) {
    if (rule === "healthy") return [];
    const isFailing = (since?.failed ?? 0) > 0;
    const what = isFailing ? "says that an installation is failing" : "exists for this state";
    return [`nobody: no event type ${what}`];
  }
  const lines = notifications.map(
    ({ event, destinations, why }) =>
      `${event} → ${destinations.length > 0 ? destinations.join(", ") : `nobody: ${why ?? "no route"}`}`,
  );
  const last = lines.pop();
  return last === undefined ? [] : [...lines, `${last} (by the current routing)`];
}

function deliveryLines({ delivers }: CaseSummary) {
  return delivers.map(({ destination, exists }) =>
    exists === false
      ? toned("bad", `${destination}: no destination has this name`)
      : exists === null
        ? `${destination} (unknown whether it exists)`
        : destination,
  );
}

function nextBlocks(summary: NewCase, from: FromFile | undefined): Block[] {
  const { installation, notifications = [], rule, delivers, since, saved } = summary;
  if (from?.opened === "another") return [];
  const isNew = from === undefined;
  const failed = from?.hasLogs !== false && since?.lastFailed;
  const hasOnlyRead = since?.failed === 0 && since.read > 0;
  const isWorthSaving = isNew && saved === undefined && rule !== "healthy";
  const unreceived = notifications.filter(({ destinations }) => destinations.length === 0);
  const require = unreceived.map(({ event }) => event).join(",");
  const isUndelivered = delivers.some(({ exists }) => exists === false);
  const save = fileNameOf(installation);
  const lines = [
    isNew && nextOfRule(summary),
    failed && suggest("installations logs", [failed]),
    // What was read may say what a customer misses.
    hasOnlyRead && suggest("installations operations", [installation.id]),
    unreceived.length > 0 && suggest("notify check", [], { require }),
    isUndelivered && suggest("notify check", [], { rule: "missing-read-destination" }),
    isWorthSaving && suggest("case create", [installation.id], { save }),
    saved && suggest("case show", [saved.file]),
    saved && suggest("case open", [saved.file]),
  ]
    .flatMap((command) => command || [])
    .map((command) =>
      isNew || from.opened === "this" ? command : suggestRunning("case open", [from.path], command),
    );
  return lines.length === 0 ? [] : [nextBlock(...lines)];
}

/** The command that goes on where the verdict does not come from a log. */
function nextOfRule({ rule, installation: { id } }: NewCase): SuggestedCommand | undefined {
  if (rule === "paused") return suggest("installations resume", [id]);
  return rule === "stuck" ? suggest("installations get", [id]) : undefined;
}

/** A name for the file of a case, in which an ID of any service is part of a name alone. */
function fileNameOf({ id }: CaseSummary["installation"]): string {
  return `${id.replaceAll(/[^\w-]+/gu, "-")}.ampcase`;
}

function savedText({ file, answers, bytes, redacted }: SavedCase): string | undefined {
  const counts = [
    counted(answers, "response"),
    sizeText(bytes),
    `${counted(redacted, "value")} redacted`,
  ];
  return joined([file, ...counts]);
}
