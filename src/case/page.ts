import type {
  CaseSummary,
  FreeText,
  ListedRequest,
  Meaning,
  NewCase,
  SavedCase,
} from "../documents/case.ts";
import { counted } from "../values/counted.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest, suggestRunning } from "../values/suggested-command.ts";
import { localTimeZone, shortTimeText } from "../values/time.ts";
import {
  type Block,
  dimBlock,
  joined,
  nextBlock,
  type Page,
  type PageRow,
  row,
  rows,
  toned,
} from "../view/view.ts";
import type { CaseFile } from "./case-file.ts";
import { answeredRecords, contentsBlock, contentsOf, freeTexts, listName } from "./contents.ts";
import {
  cohortText,
  deliveryText,
  evidenceFileText,
  furtherTexts,
  missingTexts,
  notifiedTexts,
  objectsText,
  sinceTexts,
  supportTexts,
  turnText,
} from "./prose.ts";

/** A case that is shown: with the time when it was made, and where it was saved. */
type MadeCase = Omit<NewCase, "rules" | "facts">;

/** The file of a case that is shown from it: its reader may have no access to the service. */
interface FromFile {
  readonly path: string;
  readonly hasLogs: boolean;
  /**
   * The case that is opened: in it, the commands run as they are, and in another one not at all.
   */
  readonly opened: "this" | "another" | undefined;
}

/** The page of a case: what it means first, then what supports it. */
export function casePage(summary: MadeCase & ShownBefore, from?: FromFile): Page {
  if (summary.isShown) return savedPage(summary);
  const { installation, headline, turn, delivers, missingEvidence, saved } = summary;
  const made = new Date(summary.made);
  const isFine = summary.rule === "healthy";
  const { group = "(no group)", provider, integration, id } = installation;
  return {
    title: toned(isFine ? "good" : turn === "nobody" ? "attention" : "bad", headline),
    blocks: [
      rows([
        ...row("Customer", joined([group, provider, integration, id])),
        ...row("Who must act", turnText(summary)),
        ...row("Objects", objectsText(summary)),
        ...row("Others", cohortText(summary)),
        ...row("Since when", sinceTexts(summary, made, localTimeZone({}))),
        ...row("Evidence", supportTexts(summary)),
        ...row("Also", furtherTexts(summary)),
        ...row("Notified", notifiedTexts(summary)),
        ...row(
          "Records go to",
          delivers.map((one) =>
            one.exists === false ? toned("bad", deliveryText(one)) : deliveryText(one),
          ),
        ),
        ...row(
          "Not available",
          missingTexts(missingEvidence).map((text) => toned("attention", text)),
        ),
        ...(saved ? row("Saved", evidenceFileText(saved)) : []),
      ]),
      ...nextBlocks(summary, from),
      // A ticket is read later.
      ...(from ? [] : [dimBlock(`Made ${shortTimeText(summary.made, made)}.`)]),
    ],
  };
}

/** The command that lists those that fail too: a case has only their number. */
function othersOf({ installation, cohort, rule }: MadeCase) {
  const { provider, integration } = installation;
  const isWide = rule === "provider-wide";
  const { failing, alike } = isWide ? cohort.provider : cohort.integration;
  const name = isWide ? provider : integration;
  if (alike === 0 || failing < 2 || !name) return undefined;
  const filter = ["health=unhealthy", ...(isWide ? [`provider=${name}`] : [])];
  return suggest("installations list", isWide ? [] : [name], { filter, sortBy: "failing-since" });
}

/** Whether a case was shown before the question whether to save it. */
export interface ShownBefore {
  readonly isShown?: true;
}

/** The page after that question, which repeats nothing. */
function savedPage(summary: MadeCase): Page {
  const { saved } = summary;
  return saved
    ? { title: `Saved ${evidenceFileText(saved)}`, blocks: nextBlocks(summary, undefined) }
    : { title: "The case was not saved.", blocks: [] };
}

function nextBlocks(summary: MadeCase, from: FromFile | undefined): Block[] {
  const { installation, notifications = [], rule, delivers, since, saved } = summary;
  if (from?.opened === "another") return [];
  const isNew = from === undefined;
  const failed = from?.hasLogs !== false && since?.lastFailed;
  const hasOnlyRead = since?.failed === 0 && since.read > 0;
  const isWorthSaving = isNew && saved === undefined && rule !== "healthy";
  const unreceived = notifications.filter(({ destinations }) => destinations.length === 0);
  const require = unreceived.map(({ event }) => event).join(",");
  const isUndelivered = delivers.some(({ exists }) => exists === false);
  // An ID of any service is part of a name alone.
  const save = `${installation.id.replaceAll(/[^\w-]+/gu, "-")}.ampcase`;
  const lines = [
    isNew && rule === "paused" && suggest("installations resume", [installation.id]),
    isNew && rule === "stuck" && suggest("installations get", [installation.id]),
    failed && suggest("installations logs", [failed]),
    // What was read may say what a customer misses.
    hasOnlyRead && suggest("installations operations", [installation.id]),
    unreceived.length > 0 && suggest("notify check", [], { require }),
    isUndelivered && suggest("notify check", [], { rule: "missing-read-destination" }),
    isWorthSaving && suggest("case create", [installation.id], { save }),
    saved && suggest("case show", [saved.file]),
    saved && suggest("case open", [saved.file]),
    isNew && othersOf(summary),
  ]
    .flatMap((command) => command || [])
    .map((command) =>
      isNew || from.opened === "this" ? command : suggestRunning("case open", [from.path], command),
    );
  return lines.length === 0 ? [] : [nextBlock(...lines)];
}

/** A saved case with what views alone see: which case is opened where it is shown. */
export type ShownCase = SavedCase & { readonly opened?: "this" | "another" };

/**
 * The data of a case that `amp case show` prints.
 * @param opened the case in which the command runs, where it runs in one
 */
export function shownCase(
  file: string,
  found: CaseFile,
  part: "redactions" | "requests" | "rules" | "review" | undefined,
  opened: ShownCase["opened"],
): ShownCase {
  const { made, by, who, project, redactions, answers, verdict } = found;
  const requests = listedRequests(answers);
  const contents = contentsOf(found);
  const { rule, rules, facts } = verdict;
  const parts = {
    review: { freeTexts: freeTexts(answers) },
    redactions: { redactions },
    requests: { requests },
    rules: { rule, rules, facts },
  };
  const chosen = part === undefined ? { ...verdict, redactions, requests, contents } : parts[part];
  const shown: ShownCase = { file, made, by, who, project, ...chosen };
  return opened === undefined ? shown : changeDisplayCopy(shown, (one) => ({ ...one, opened }));
}

/** The page of a case, or of the part of it that was chosen. */
export function showPage(shown: ShownCase): Page {
  const { made, by, who } = shown;
  const { blocks, ...page } = partPage(shown);
  const origin = `Case of ${JSON.stringify(who)}, made ${made.slice(0, 16).replace("T", " ")} UTC by amp ${by}.`;
  return { ...page, blocks: [...blocks, dimBlock(origin)] };
}

function partPage(shown: ShownCase): Page {
  const { file, who, opened, redactions, requests, contents, freeTexts: texts } = shown;
  const { rule = "unexplained", rules, facts } = shown;
  if (hasMeaning(shown)) {
    const hasLogs = requests?.some(({ path }) => path.endsWith("/logs")) ?? true;
    const page = casePage(shown, { path: file, hasLogs, opened });
    return {
      ...page,
      blocks: [...page.blocks, ...(contents ? [contentsBlock(who, contents)] : [])],
    };
  }
  if (texts)
    return { title: `${counted(texts.length, "free text")} kept`, blocks: [reviewBlock(texts)] };
  if (redactions) return redactionPage(redactions);
  return requests ? requestPage(requests) : rulePage(rule, rules, facts);
}

function hasMeaning(shown: ShownCase): shown is ShownCase & Meaning {
  return shown.headline !== undefined;
}

/** What is asked about before a case is saved: what of whom is in it, and what was taken out. */
export function savingPage(made: CaseFile, isReview: boolean): Page {
  const page = redactionPage(made.redactions);
  const texts = isReview ? [reviewBlock(freeTexts(made.answers))] : [];
  const contents = contentsBlock(made.who, contentsOf(made), true);
  return { ...page, blocks: [...texts, contents, ...page.blocks] };
}

function redactionPage(redactions: CaseFile["redactions"]): Page {
  const kinds = Map.groupBy(redactions, ({ kind }) => kind);
  const lines = [...kinds].map(([kind, same]) => {
    const places = Map.groupBy(same, ({ where }) => fieldText(where));
    return [kind, [...places].map(([where, { length }]) => `${where} (${length})`)] as const;
  });
  const block: Block =
    lines.length === 0 ? { kind: "text", text: "Nothing was redacted." } : rows(lines);
  return { title: `${counted(redactions.length, "value")} redacted`, blocks: [block] };
}

/** The free texts of a case, each once, for a person who reads them before it is sent. */
function reviewBlock(texts: readonly FreeText[]): Block {
  const same = Map.groupBy(texts, ({ where, text }) => `${fieldText(where)}\n${text}`);
  const lines = [...same.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const times = more.length > 0 ? ` (${counted(more.length + 1, "time")})` : "";
    return [[fieldText(first.where), first.text + times] as const];
  });
  return lines.length === 0
    ? { kind: "text", text: "No free text was kept." }
    : rows(lines, "Free text");
}

/** The list and the field of a place: people read which fields are missing, JSON has the places. */
function fieldText(where: string): string {
  const [, path = "", field = ""] = /^GET (\S+) ?(.*)$/su.exec(where) ?? [];
  if (listName(path) === "") return where;
  return `${listName(path)} ${field.replace(/^(?:results)?\[\d+\]\.?/u, "").replaceAll(/\[\d+\]/gu, "[*]")}`.trim();
}

function listedRequests(answers: CaseFile["answers"]): ListedRequest[] {
  return answers.map(({ body, headers: _, ...request }) => ({
    ...request,
    records: answeredRecords(body).length,
  }));
}

function requestPage(requests: readonly ListedRequest[]): Page {
  const lines = requests.map(({ method, path, query, status, records, of }) => {
    const search = new URLSearchParams(query).toString();
    const kept = of === undefined ? String(records) : `${records} of ${of}`;
    return [String(status), kept, `${method} ${path}${search && `?${search}`}`];
  });
  return {
    title: counted(requests.length, "recorded response"),
    blocks: [grid(["Status", "Records", "Request"], lines, "No recorded responses.")],
  };
}

/** Every rule with what it says, or why it could not be judged; and the facts that they judge. */
function rulePage(
  rule: string,
  rules: CaseSummary["rules"] = [],
  facts: CaseSummary["facts"] = [],
): Page {
  const judged = rules.map((one) => [
    one.rule,
    one.holds === null ? "not checked" : one.holds ? "applies" : "no",
    one.holds === null ? `missing: ${(one.needs ?? []).join(", ")}` : (one.says ?? ""),
  ]);
  const known = facts.map(({ fact, value, source }): PageRow => [fact, `${value} (${source})`]);
  return {
    title: `Verdict: ${rule}`,
    blocks: [grid(["Rule", "Holds", "Why"], judged, "No rules."), rows(known, "Facts")],
  };
}

function grid(
  columns: readonly string[],
  lines: Extract<Block, { kind: "grid" }>["rows"],
  empty: string,
): Block {
  return lines.length === 0
    ? { kind: "text", text: empty }
    : { kind: "grid", columns, rows: lines, cards: true };
}
