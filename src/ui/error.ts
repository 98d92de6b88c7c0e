import type { ErrorFacts, InputIssue } from "../errors.ts";
import { durationText } from "../values/duration.ts";
import { quote } from "../values/shell.ts";
import { errorFactsOf, errorMessageOf } from "./error-facts.ts";
import type { RenderOptions } from "./paint.ts";
import { jsonText, sanitize } from "./text.ts";
import { truncate, wrap } from "./width.ts";

export { errorJson } from "./error-json.ts";

/** For whom an error is told. */
export interface ErrorRenderOptions extends RenderOptions {
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
const MAX_VALUE_WIDTH = 60;

/**
 * An error as a person reads it, ending in a line end: what failed, the inputs that are wrong by the
 * option that carried each, what was done, what to do next, and what to tell support.
 */
export function renderError(error: unknown, look: ErrorRenderOptions): string {
  const { paint, width } = look;
  const room = width - INDENT.length;
  const [first = "", ...rest] = wrap(sanitize(errorMessageOf(error)), room);
  const below = factLines(errorFactsOf(error), look).flatMap(({ text, tone, whole }) => {
    const parts = whole ? text.split("\n").map(oneLine) : wrap(sanitize(text), room);
    return parts.map((part) => INDENT + (tone ? paint(tone, part) : part));
  });
  return [
    `${paint("bad", "✗")} ${paint("strong", first)}`,
    ...rest.map((line) => INDENT + paint("strong", line)),
    ...below,
    "",
  ].join("\n");
}

function factLines(facts: ErrorFacts, { now }: ErrorRenderOptions): Line[] {
  const { causes = [], done, remedy, suggestion, href, retryAfter } = facts;
  const detail = facts.detail ?? facts.title;
  return [
    ...(facts.issues ?? []).map((issue) => ({ text: issueText(issue) })),
    ...textLines(detail),
    ...causes.filter((cause) => cause !== detail).flatMap((cause) => textLines(cause, "Cause: ")),
    ...textLines(done),
    ...textLines(remedy),
    ...(suggestion ? [suggestionLine(suggestion)] : []),
    ...(retryAfter ? [{ text: retryTimeText(retryAfter, now) }] : []),
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
function textLines(text: string | undefined, before = ""): Line[] {
  if (!text) return [];
  return `${before}${text}`
    .split("\n")
    .map((line) => (/^ +amp /u.test(line) ? { text: line, whole: true } : { text: line }));
}

/** `--name "ops alerts": only letters, digits and dashes are allowed`. */
function issueText({ flag, in: place, name, value, detail }: InputIssue): string {
  const input = flag ?? (name && place ? `${name} (${place})` : (name ?? place));
  const given =
    value === undefined ? undefined : truncate(sanitize(jsonText(value)), MAX_VALUE_WIDTH);
  const what = [input, given].filter(Boolean).join(" ");
  return [what, detail ?? "not accepted"].filter(Boolean).join(": ");
}

/** Commands stand below each other and are never broken. */
function suggestionLine(commands: string): Line {
  return { text: `Try: ${commands.replaceAll("\n", "\n     ")}`, whole: true };
}

/** By the reader's own clock, and how far off it is. */
function retryTimeText(time: string, now: Date | undefined): string {
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
  return sanitize(text, { inCell: true });
}
