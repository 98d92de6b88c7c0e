import { durationText } from "../duration.ts";
import type { ErrorFacts, InputIssue } from "../errors.ts";
import { quote } from "../shell-words.ts";
import { factsOf, messageOf } from "./error-facts.ts";
import type { Look } from "./paint.ts";
import { display, jsonText } from "./text.ts";
import { truncate, wrap } from "./width.ts";

export { errorJson } from "./error-json.ts";

/** For whom an error is told. */
export interface ErrorLook extends Look {
  /** With it, the time of the next try is told as a distance too. */
  readonly now?: Date;
}

/** A line of an error below its first; `whole`: to be copied, so never broken. */
interface Line {
  readonly text: string;
  readonly tone?: "strong" | "dim";
  readonly whole?: true;
}

const INDENT = "  ";
const WIDEST_VALUE = 60;

/**
 * An error as a person reads it, ending in a line end: what failed, the inputs that are wrong by the
 * option that carried each, what was done, what to do next, and what to tell support.
 */
export function renderError(error: unknown, look: ErrorLook): string {
  const { paint, width } = look;
  const room = width - INDENT.length;
  const [first = "", ...rest] = wrap(display(messageOf(error)), room);
  const below = factLines(factsOf(error), look).flatMap(({ text, tone, whole }) => {
    const parts = whole ? text.split("\n").map(oneLine) : wrap(display(text), room);
    return parts.map((part) => INDENT + (tone ? paint(tone, part) : part));
  });
  return [
    `${paint("bad", "✗")} ${paint("strong", first)}`,
    ...rest.map((line) => INDENT + paint("strong", line)),
    ...below,
    "",
  ].join("\n");
}

function factLines(facts: ErrorFacts, { now }: ErrorLook): Line[] {
  const { causes = [], done, remedy, suggestion, href, retryAfter } = facts;
  const detail = facts.detail ?? facts.title;
  return [
    ...(facts.issues ?? []).map((issue) => ({ text: issueText(issue) })),
    ...said(detail),
    ...causes.filter((cause) => cause !== detail).flatMap((cause) => said(cause, "Cause: ")),
    ...said(done),
    ...said(remedy),
    ...(suggestion ? [suggested(suggestion)] : []),
    ...(retryAfter ? [{ text: nextTry(retryAfter, now) }] : []),
    ...(href ? [{ text: `See ${oneLine(href)}`, whole: true } as const] : []),
    ...requestLines(facts),
  ];
}

/** What the service calls the request, and what amp does: either finds it in the service's log. */
function requestLines({ requestId, clientRequestId }: ErrorFacts): Line[] {
  const line = (text: string) => ({ text, tone: "dim", whole: true }) as const;
  const own = clientRequestId === requestId ? undefined : clientRequestId;
  return [
    ...(requestId ? [line(`Request ${quote(oneLine(requestId))}`)] : []),
    ...(own ? [line(`${requestId ? "Sent as" : "Request, as amp calls it:"} ${quote(own)}`)] : []),
  ];
}

/** A command in the midst of it stands on a line of its own, indented. */
function said(text: string | undefined, before = ""): Line[] {
  if (!text) return [];
  return `${before}${text}`
    .split("\n")
    .map((line) => (/^ +amp /u.test(line) ? { text: line, whole: true } : { text: line }));
}

/** `--name "ops alerts": only letters, digits and dashes are allowed`. */
function issueText({ flag, in: place, name, value, detail }: InputIssue): string {
  const input = flag ?? (name && place ? `${name} (${place})` : (name ?? place));
  const given = value === undefined ? undefined : truncate(display(jsonText(value)), WIDEST_VALUE);
  const what = [input, given].filter(Boolean).join(" ");
  return [what, detail ?? "not accepted"].filter(Boolean).join(": ");
}

/** Commands stand below each other and are never broken. */
function suggested(commands: string): Line {
  return { text: `Try: ${commands.replaceAll("\n", "\n     ")}`, whole: true };
}

/** By the reader's own clock, and how far off it is. */
function nextTry(time: string, now: Date | undefined): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return `A retry makes sense after ${time}.`;
  const clock = localTime(at, now);
  const ms = now ? at.getTime() - now.getTime() : 0;
  return ms > 0
    ? `A retry makes sense in ${durationText(ms)}, after ${clock}.`
    : `A retry makes sense after ${clock}.`;
}

/** `14:03:22`; with its date where that is not today's. */
function localTime(at: Date, now: Date | undefined): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return now?.toDateString() === at.toDateString() ? clock : `${date} ${clock}`;
}

function oneLine(text: string): string {
  return display(text, { inCell: true });
}
