import { counted } from "../values/counted.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { type Block, dimBlock, type Page, rows } from "../view/view.ts";
import type { CaseFile, CaseSummary } from "./case-schema.ts";
import { casePage } from "./page.ts";

/** The part of a case to show. */
export type CasePart = "verdict" | "redactions" | "requests" | "rules";

/** A saved case as data; with a part chosen, that part alone. */
export interface ShownCase extends Partial<CaseSummary> {
  /** The path that was given. */
  readonly file: string;
  readonly made: string;
  readonly by: string;
  readonly who: string;
  readonly project: string;
  readonly redactions?: CaseFile["redactions"];
  readonly requests?: readonly ListedRequest[];
  /** Which case is opened where this one is shown; views alone see it. */
  readonly opened?: "this" | "another";
}

/**
 * The data of a case that `amp case show` prints.
 * @param opened the case in which the command runs, where it runs in one
 */
export function shownCase(
  file: string,
  { made, by, who, project, redactions, answers, verdict }: CaseFile,
  part: CasePart | undefined,
  opened: ShownCase["opened"],
): ShownCase {
  const requests = listedRequests(answers);
  const { rule, rules, facts, ...meaning } = verdict;
  const parts = {
    verdict: { rule, ...meaning },
    redactions: { redactions },
    requests: { requests },
    rules: { rule, rules, facts },
  };
  const about = { file, made, by, who, project };
  const shown: ShownCase =
    part === undefined
      ? { ...about, ...verdict, redactions, requests }
      : { ...about, ...parts[part] };
  return opened === undefined ? shown : changeDisplayCopy(shown, (one) => ({ ...one, opened }));
}

/** The page of a case, or of the part of it that was chosen. */
export function showPage(shown: ShownCase): Page {
  const { redactions, requests, rule = "unexplained", rules = [], facts = [] } = shown;
  if (hasVerdict(shown)) {
    const hasLogs = requests?.some(({ path }) => path.endsWith("/logs")) ?? true;
    const from = { path: shown.file, hasLogs, opened: shown.opened };
    return withOrigin(casePage({ ...shown, rules, facts }, from), shown);
  }
  if (redactions) return withOrigin(redactionPage(redactions), shown);
  if (requests) return withOrigin(requestPage(requests), shown);
  return withOrigin(rulePage({ rule, rules, facts }), shown);
}

/** Whether it has all of the verdict but the rules and facts, which are a part of their own. */
function hasVerdict(shown: ShownCase): shown is ShownCase & Omit<CaseSummary, "rules" | "facts"> {
  return shown.headline !== undefined;
}

function withOrigin(
  page: Pick<Page, "title" | "blocks" | "aside">,
  { made, by, who }: ShownCase,
): Page {
  const origin = `Case of ${JSON.stringify(who)}, made ${made.slice(0, 16).replace("T", " ")} UTC by amp ${by}.`;
  return { ...page, blocks: [...page.blocks, dimBlock(origin)] };
}

type Part = Pick<Page, "title" | "blocks">;

/** The redactions of a case, by kind and place. */
export function redactionPage(redactions: CaseFile["redactions"]): Part {
  const kinds = Map.groupBy(redactions, ({ kind }) => kind);
  const lines = [...kinds].map(([kind, same]) => {
    const places = Map.groupBy(same, ({ where }) => fieldText(where));
    return [kind, [...places].map(([where, { length }]) => `${where} (${length})`)] as const;
  });
  const block: Block =
    lines.length === 0 ? { kind: "text", text: "Nothing was redacted." } : rows(lines);
  return { title: `${counted(redactions.length, "value")} redacted`, blocks: [block] };
}

/** The list and the field of a place: people read which fields are missing, JSON has the places. */
function fieldText(where: string): string {
  const [, path = "", field = ""] = /^GET (\S+) ?(.*)$/su.exec(where) ?? [];
  const list = path.split("/").findLast((part) => LISTS.has(part));
  if (list === undefined) return where;
  return `${list} ${field.replace(/^(?:results)?\[\d+\]\.?/u, "").replaceAll(/\[\d+\]/gu, "[*]")}`.trim();
}

/** The lists of a case, by the end of their paths; what follows is the ID of a record. */
const LISTS: ReadonlySet<string> = new Set([
  "installations",
  "connections",
  "integrations",
  "operations",
  "logs",
  "backfill-progress",
  "destinations",
  "topics",
  "notification-event-topic-routes",
  "topic-destination-routes",
  "provider-apps",
  "providers",
  "projects",
  "invites",
]);

/** A request of a case, with what its answer holds. */
export interface ListedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly status: number;
  /** The number of records that were kept; 1 for an answer that is not a list. */
  readonly records: number;
  /** The length of the list, where only a part of it was kept. */
  readonly of?: number;
}

function listedRequests(answers: CaseFile["answers"]): ListedRequest[] {
  return answers.map(({ body, headers: _, ...request }) => {
    const list = (body as { results?: unknown } | null)?.results ?? body;
    return { ...request, records: Array.isArray(list) ? list.length : 1 };
  });
}

function requestPage(requests: readonly ListedRequest[]): Part {
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
function rulePage({ rule, rules, facts }: Pick<CaseSummary, "rule" | "rules" | "facts">): Part {
  const judged = rules.map((one) => [
    one.rule,
    one.holds === null ? "not checked" : one.holds ? "applies" : "no",
    one.holds === null ? `missing: ${(one.needs ?? []).join(", ")}` : (one.says ?? ""),
  ]);
  return {
    title: `Verdict: ${rule}`,
    blocks: [
      grid(["Rule", "Holds", "Why"], judged, "No rules."),
      rows(
        facts.map(({ fact, value, source }) => [fact, `${value} (${source})`]),
        "Facts",
      ),
    ],
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
