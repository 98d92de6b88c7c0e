import {
  AmpError,
  type ErrorFacts,
  EXIT,
  type ExitName,
  type InputIssue,
  type ProblemDetails,
} from "../errors.ts";
import { REDACTED, redactFacts, redactSecrets } from "../secrets/secret.ts";
import { isJsonObject } from "../values/json.ts";
import { foldCommand, quote } from "../values/shell.ts";
import { suggestedLines } from "../values/suggested-command.ts";
import { durationText } from "../values/time.ts";
import { entryTexts, joined, valueText } from "../view/view.ts";
import type { ShownCell } from "./cell.ts";
import { fitGrid } from "./columns.ts";
import type { RenderOptions } from "./paint.ts";
import { spokenText } from "./spoken.ts";
import { displayWidth, jsonText, sanitize, sanitizeLine, truncate, wrap } from "./text.ts";

type ErrorRenderOptions = RenderOptions & {
  readonly now: Date;
  /** Whether the output is not a terminal: nothing is then cut or wrapped. */
  readonly isPiped?: boolean;
  /** Whether to show all of a problem that the service sent, and the name of the error. */
  readonly debug?: boolean;
};

const INDENT = "  ";
const TRY = "Try: ";
const MAX_VALUE_WIDTH = 60;

/**
 * An error as a person reads it, ending with a line end: what failed, each invalid input by its
 * option, what was done, what to do next, and the IDs for support.
 */
export function renderError(error: unknown, options: ErrorRenderOptions): string {
  const { paint, isSpoken } = options;
  // A log may be of any width, and a broken line cannot be searched.
  const width = options.isPiped || isSpoken ? Number.POSITIVE_INFINITY : options.width;
  const room = width - INDENT.length;
  const [first = "", ...rest] = wrap(sanitize(errorMessageOf(error)), room);
  const all = errorFactsOf(error);
  const kind = error instanceof AmpError && error.kind;
  const facts = options.debug ? all : forReader(all, errorMessageOf(error));
  const below = factLines(facts, { ...options, width }).flatMap(({ text, tone, whole }) => {
    const parts = whole ? [sanitizeLine(text)] : wrap(sanitize(text), room);
    return parts.map((part) => INDENT + (tone ? paint(tone, part) : part));
  });
  const text = [
    `${paint("bad", isSpoken ? "Error:" : "✗")} ${paint("strong", first)}`,
    ...rest.map((line) => INDENT + paint("strong", line)),
    ...candidateLines(facts, { ...options, width }).map((line) => INDENT + line),
    ...below,
    ...(options.debug && kind ? [`${INDENT}Error name: ${kind}`] : []),
    "",
  ].join("\n");
  return isSpoken ? spokenText(text) : text;
}

function factLines(facts: ErrorFacts, { now, width, isPiped }: ErrorRenderOptions): Line[] {
  const { causes = [], issues = [], suggestion, href, retryAfter, type } = facts;
  const said = facts.detail ?? facts.title;
  const isRepeated =
    issues.length > 0 && issues.every((one) => one.detail && said?.includes(one.detail));
  const detail = isRepeated ? undefined : said;
  const hasType = facts.detail === undefined && type && type !== "about:blank";
  const prose = [
    ...issues.map((issue) => issueText(issue, isPiped)),
    detail,
    ...causes.filter((cause) => cause !== detail).map((cause) => `Cause: ${cause}`),
    ...endLines(facts, isPiped ? facts.done : briefText(facts.done ?? "")),
  ];
  return [
    ...prose.flatMap((text) => (text ? [{ text }] : [])),
    ...suggestionLines(suggestion, width, isPiped),
    ...(retryAfter ? [{ text: retryTimeText(retryAfter, now) }] : []),
    ...(hasType ? [{ text: `Problem type: ${sanitizeLine(type)}`, whole: true } as const] : []),
    ...(href ? [{ text: `See ${sanitizeLine(href)}`, whole: true } as const] : []),
    ...supportLines(facts, width - INDENT.length, isPiped),
  ];
}

/** What was done and what to do: of a refusal in one line, where both are short. */
function endLines({ status, remedy = "" }: ErrorFacts, done = ""): readonly string[] {
  const isShort = status !== undefined && !`${done}${remedy}`.includes("\n");
  return isShort ? [[done, remedy].filter(Boolean).join(" ")] : [done, remedy];
}

/** The items that an ambiguous name may mean, aligned. */
function candidateLines(
  { candidates = [] }: ErrorFacts,
  { width, paint, isSpoken }: ErrorRenderOptions,
): string[] {
  if (candidates.length === 0) return [];
  if (isSpoken) return candidates.map((one) => sanitizeLine(Object.values(one).join(", ")));
  const labels = [...new Set(candidates.flatMap((candidate) => Object.keys(candidate)))];
  const rows = candidates.map((candidate) =>
    labels.map((label): ShownCell => {
      const text = sanitizeLine(candidate[label] ?? "");
      return label === "id" ? { text, kind: "id" } : { text };
    }),
  );
  const columns = labels.map((label) => ({ heading: "", label }));
  const sample = { rows, isWhole: true, drops: true };
  const { head, lines } = fitGrid(columns, sample, { width: width - INDENT.length, paint });
  return [...head, ...lines(rows)];
}

/** The text of an issue: `--name "ops alerts": only letters, digits and dashes are allowed`. */
function issueText(issue: InputIssue, isPiped = false): string {
  const { flag, in: place, name, value, detail, remedy, requestId } = issue;
  // The key within the option that several inputs share: `--metadata region`.
  const key = /^--(?:metadata|secret)$/u.test(flag ?? "") && /[./](.+)$/u.exec(name ?? "")?.[1];
  const input = flag ?? (name && place ? `${name} (${place})` : (name ?? place));
  // A service calls an input that is missing null, which the user did not type.
  const most = isPiped ? Number.POSITIVE_INFINITY : MAX_VALUE_WIDTH;
  const given = (value ?? REDACTED) !== REDACTED && truncate(sanitize(jsonText(value)), most);
  const what = [input, key, given].filter(Boolean).join(" ");
  const problem = [what, detail ?? "not accepted"].filter(Boolean).join(": ");
  const id = requestId && `(request ID ${quote(sanitizeLine(requestId))})`;
  return (
    joined([remedy ? `${problem.replace(/(?<![.!?])$/u, ".")} ${remedy}` : problem, id], " ") ?? ""
  );
}

/** The lines of a block, and the commands, that a terminal shows. */
const MAX_LINES = 20;
const MAX_COMMANDS = 3 * MAX_LINES;

/** A text whose blocks of indented lines are short enough for a screen. */
function briefText(text: string): string {
  const lines = text.split("\n");
  const isItem = (line: string | undefined) => line?.startsWith(INDENT) === true;
  let begin = 0;
  return lines
    .flatMap((line, at) => {
      if (!isItem(line)) begin = at + 1;
      const nth = at - begin;
      if (!isItem(line) || nth < MAX_LINES) return [line];
      const isLast = !isItem(lines[at + 1]);
      // A line about a single one would be as long as the line itself.
      if (nth === MAX_LINES && isLast) return [line];
      return isLast ? [`${INDENT}and ${nth + 1 - MAX_LINES} more`] : [];
    })
    .join("\n");
}

/** The suggested commands, folded at places where a shell allows it. */
function suggestionLines(
  suggestion: ErrorFacts["suggestion"],
  width: number,
  isPiped = false,
): Line[] {
  const all = suggestedLines(suggestion);
  return (isPiped ? all : all.slice(0, MAX_COMMANDS))
    .flatMap((line) => foldCommand(line, width - INDENT.length - TRY.length))
    .map((line, at) => ({ text: (at === 0 ? TRY : " ".repeat(TRY.length)) + line, whole: true }));
}

/** The time of the next try by the local clock, and the wait until then. */
function retryTimeText(time: string, now: Date): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return `Try again after ${time}.`;
  const clock = localTime(at, now);
  const ms = at.getTime() - now.getTime();
  return ms > 0 ? `Try again in ${durationText(ms)}, after ${clock}.` : `Try again after ${clock}.`;
}

/** The time, with its date for another day than today: `2026-08-01 14:03:22`. */
function localTime(at: Date, now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return now.toDateString() === at.toDateString() ? clock : `${date} ${clock}`;
}

/**
 * An error as a program reads it: `code`, `name`, `message`, `exitCode`, its facts (`suggestion`: a command
 * per line; not the receipt, which is a result) and its further data, which replaces none.
 */
export function errorJson(error: unknown): { readonly error: Readonly<Record<string, unknown>> } {
  const code: ExitName = error instanceof AmpError ? error.exit : "unexpected";
  const name = error instanceof AmpError ? error.kind : "defect";
  const { choices: _c, receipt: _r, result: _s, unlisted: _u, ...shown } = errorFactsOf(error);
  const { data, suggestion: suggested, ...facts } = shown;
  const suggestion = suggestedLines(suggested).join("\n");
  const own = {
    code,
    ...(name && { name }),
    message: errorMessageOf(error),
    exitCode: EXIT[code].code,
    ...facts,
    ...(suggestion && { suggestion }),
  };
  return { error: { ...own, ...data, ...own } };
}

/** The facts of an error that amp did not expect: the user can only report it. */
const DEFECT: ErrorFacts = {
  remedy:
    "This is a bug in amp. Please report it with the output of the same command with --debug.",
};

function errorMessageOf(error: unknown): string {
  if (error instanceof AmpError) {
    return error.said?.(redactSecrets).text ?? redactSecrets(error.message);
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  return `Unexpected error: ${redactSecrets(message)}`;
}

function errorFactsOf(error: unknown): ErrorFacts {
  if (!(error instanceof AmpError)) return DEFECT;
  const { facts, said } = error;
  const shown: Readonly<Record<string, unknown>> = { ...said?.(redactSecrets) };
  const own = Object.entries({ ...said?.((value) => value) }).filter(
    ([name, value]) => typeof value === "string" && facts[name as keyof ErrorFacts] === value,
  );
  return { ...redactFacts(facts), ...Object.fromEntries(own.map(([name]) => [name, shown[name]])) };
}

/** A line below the message of an error; a `whole` one is never broken: it is to be copied. */
interface Line {
  readonly text: string;
  readonly tone?: "strong" | "dim";
  readonly whole?: true;
}

const MAX_CONTEXT_WIDTH = 120;
const MAX_CONTEXT_ENTRIES = 8;

/** The words by which a service says that something is not there, whatever it is. */
const NOT_THERE = new Set("the there is was no not does exist found resource".split(" "));

/**
 * The facts of a refusal that a reader needs: why, and one ID. The rest of a problem is for support,
 * and a detail is left out that the message or the inputs say already.
 */
function forReader(facts: ErrorFacts, message: string): ErrorFacts {
  if (facts.status === undefined) return facts;
  const { problem: _p, href: _h, type: _t, clientRequestId, ...rest } = facts;
  const { causes = [], title, detail = title, ...kept } = rest;
  const said = wordsOf(message);
  const isNews = wordsOf(detail).some((word) => !NOT_THERE.has(word) && !said.includes(word));
  const why = isNews ? detail : causes[0];
  return {
    ...kept,
    ...(why !== undefined && kept.issues === undefined && { detail: why }),
    ...(clientRequestId !== undefined && !kept.requestId && { clientRequestId }),
  };
}

function wordsOf(text = ""): readonly string[] {
  return text.toLowerCase().match(/[^\s"'`.,:;]+/gu) ?? [];
}

/** What support asks for: the context of a problem, contacts, and the IDs of the request. */
function supportLines(facts: ErrorFacts, room: number, isPiped = false): Line[] {
  return [...problemLines(facts.problem ?? {}, room, isPiped), ...requestLines(facts)];
}

/** The context of a problem and the contacts for support, if the service sends them. */
function problemLines(problem: ProblemDetails, room: number, isPiped: boolean): Line[] {
  const { context, instance, supportEmail, supportPhone, supportUrl } = problem;
  const texts = isJsonObject(context)
    ? entryTexts(context)
    : [(context ?? "") && valueText(context)];
  const whole = texts.filter(Boolean).map(sanitizeLine);
  const all = isPiped ? whole : whole.map((text) => truncate(text, MAX_CONTEXT_WIDTH));
  const left = isPiped ? 0 : Math.max(0, all.length - MAX_CONTEXT_ENTRIES);
  const entries = joined([
    ...all.slice(0, all.length - left),
    left > 0 && `and ${left} more (--json shows all)`,
  ]);
  const contacts = [supportEmail, supportPhone, supportUrl].flatMap((one) => one || []);
  const line = joined(contacts) ?? "";
  // A terminal would break a longer line within an address.
  const fits = displayWidth(`Support: ${line}`) <= room;
  const supports = (fits ? [line] : contacts).filter(Boolean).map(sanitizeLine);
  return [
    ...(entries ? [{ text: `Context: ${entries}` }] : []),
    ...supports.map((one) => ({ text: `Support: ${one}`, whole: true }) as const),
    ...(instance
      ? [{ text: `Instance: ${sanitizeLine(instance)}`, tone: "dim", whole: true } as const]
      : []),
  ];
}

/** The request IDs of the service and of amp, for a search in the service's logs. */
function requestLines({ requestId, clientRequestId }: ErrorFacts): Line[] {
  const line = (text: string) => ({ text, tone: "dim", whole: true }) as const;
  const own = clientRequestId === requestId ? undefined : clientRequestId;
  return [
    ...(requestId ? [line(`Request ID: ${quote(sanitizeLine(requestId))}`)] : []),
    ...(own ? [line(`Client request ID: ${quote(own)}`)] : []),
  ];
}
