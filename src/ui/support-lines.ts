import type { ErrorFacts, ProblemDetails } from "../errors.ts";
import { isJsonObject } from "../values/json.ts";
import { quote } from "../values/shell.ts";
import { entryTexts, joined, valueText } from "../view/view.ts";
import { displayWidth, sanitizeLine, truncate } from "./text.ts";

/** A line below the message of an error; a `whole` one is never broken: it is to be copied. */
export interface Line {
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
export function forReader(facts: ErrorFacts, message: string): ErrorFacts {
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
export function supportLines(facts: ErrorFacts, room: number, isPiped = false): Line[] {
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
