import { counted, numberText } from "../values/counted.ts";
import { sizeText } from "../values/size.ts";
import { type SuggestedCommand, suggest, suggestRunning } from "../values/suggested-command.ts";
import { type Block, joined, type Page, row, rows, toned } from "../view/view.ts";
import type { Tally } from "./cohort.ts";
import type { NewCase, SavedCase } from "./create.ts";
import type { Turn } from "./rule.ts";
import type { CaseSummary } from "./summary.ts";
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
  "anonymised",
  "rules",
  "facts",
  "made",
];

/** A case with the time when it was made, and where it was saved. */
type ShownCase = CaseSummary & Pick<NewCase, "made" | "saved">;

/** The file of a case that is shown from it: its reader may have no access to the service. */
interface FromFile {
  readonly path: string;
  readonly hasLogs: boolean;
  /** The case that is opened: in it, the commands run as they are, and in another one not at all. */
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
export function casePage(summary: ShownCase, from?: FromFile): Page {
  const { installation, headline, turn, missingEvidence, also, saved } = summary;
  const made = new Date(summary.made);
  const isFine = summary.rule === "healthy";
  const others = also.map(({ says }) => says);
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
        ...row("Also", others),
        ...row("Notified", notifiedLines(summary)),
        ...row("Records go to", deliveryLines(summary)),
        ...row(
          "Not available",
          missingEvidence.map(({ what, why }) => toned("attention", `${what}: ${why}`)),
        ),
        ...(saved ? row("Saved", savedText(saved)) : []),
      ]),
      ...nextBlock(summary, from),
      ...(from ? [] : [madeBlock(`Made ${shortTimeText(summary.made, made)}.`)]),
    ],
  };
}

/** When a case was made, and by what: a ticket is read later. */
export function madeBlock(text: string): Block {
  return { kind: "text", text, tone: "dim" };
}

function cohortTexts({ cohort: { integration, provider }, installation }: CaseSummary): string[] {
  const name = installation.integration ?? "this integration";
  const texts = [cohortText(integration, "installation", ` of ${name}`)];
  if (provider.total !== integration.total) {
    texts.push(cohortText(provider, `${installation.provider ?? "provider"} installation`));
  }
  return texts;
}

/** The installations beside it, by their records alone: their operations and logs were not read. */
function cohortText(tally: Tally, noun: string, of = ""): string {
  const { total, lastOperationFailed: lastFailed, fine } = tally;
  if (total === 1) return `there is no other ${noun}${of}`;
  const itself = tally.alike > 0 ? 1 : 0;
  const [failing, alike] = [tally.failing - itself, tally.alike - itself];
  const healthy = fine + lastFailed;
  const unknown = total - 1 - failing - healthy;
  const are = (count: number) => (count === 1 ? "is" : "are");
  const others = `${counted(total - 1, `other ${noun}`)}${of}`;
  return [
    `${failing === 0 ? "none" : numberText(failing)} of ${others} ${are(failing || 1)} reported as failing`,
    alike > 0 && `, ${numberText(alike)} of them similarly (cause not compared)`,
    healthy > 0 && `; ${numberText(healthy)} ${are(healthy)} reported healthy`,
    lastFailed > 0 && `, ${numberText(lastFailed)} of them with a failed last operation`,
    unknown > 0 && `; the health of ${numberText(unknown)} is unknown`,
  ]
    .filter(Boolean)
    .join("");
}

function sinceLine({ since, missingEvidence, facts }: CaseSummary, made: Date): string | undefined {
  if (since === undefined) {
    const why = missingEvidence.find(({ what }) => what === "operations")?.why;
    if (why !== undefined && !why.startsWith("This ")) return "not known: no operations were read";
    return why !== undefined || facts.length === 0 ? "not available at this service" : undefined;
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
    success ?? (atLeast ? `no success in the last ${read}, ${first}` : "it never succeeded"),
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

function nextBlock(summary: ShownCase, from: FromFile | undefined): Block[] {
  const { installation, notifications, rule, delivers, since, saved } = summary;
  const unreceived = (notifications ?? []).filter(({ destinations }) => destinations.length === 0);
  // The IDs of an anonymous case exist in the case alone.
  const isUnknown = from === undefined && summary.anonymised === true;
  const commands = [
    ...(from === undefined && !isUnknown ? nextOfRule(summary) : []),
    ...(since?.lastFailed && from?.hasLogs !== false && !isUnknown
      ? [suggest("installations logs", [since.lastFailed])]
      : []),
    // What was read may say what a customer misses.
    ...(since?.failed === 0 && since.read > 0 && !isUnknown
      ? [suggest("installations operations", [installation.id])]
      : []),
    ...(unreceived.length > 0
      ? [suggest("notify check", [], { require: unreceived.map(({ event }) => event).join(",") })]
      : []),
    ...(delivers.some(({ exists }) => exists === false)
      ? [suggest("notify check", [], { rule: "missing-read-destination" })]
      : []),
  ];
  if (from === undefined && saved === undefined && !isUnknown && rule !== "healthy") {
    commands.push(suggest("case create", [installation.id], { save: fileNameOf(installation) }));
  }
  if (saved) commands.push(suggest("case show", [saved.file]), suggest("case open", [saved.file]));
  if (from?.opened === "another") return [];
  const inCase = (command: SuggestedCommand) =>
    from === undefined || from.opened === "this"
      ? command
      : suggestRunning("case open", [from.path], command);
  const lines = commands.map(inCase);
  return lines.length === 0 ? [] : [{ kind: "command", heading: "Next", lines }];
}

/** The command that goes on where the verdict does not come from a log. */
function nextOfRule({ rule, installation: { id } }: ShownCase): SuggestedCommand[] {
  if (rule === "paused") return [suggest("installations resume", [id])];
  return rule === "stuck" ? [suggest("installations progress", [id])] : [];
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
