import { withoutWaitLines } from "../harness.ts";
import { HOSTILE, STRANGE } from "../ui/hostile.ts";

/** Every payload, the ones that would be obeyed first. */
export const PAYLOADS: readonly string[] = Object.values({ ...HOSTILE, shown: STRANGE })
  .flatMap((payload) => (typeof payload === "string" ? [payload] : Object.values(payload)))
  .filter((payload) => payload.length < 1_000);

/** Fields by which amp finds things again, and whose kind it knows. */
const KEPT =
  /(?:^|\.)(?:id|\w+Id|\w+Time|type|eventType|status|version|provider|name|projectName|nextPageToken)$/u;

/**
 * An answer in which every text that nothing hangs on is followed by a payload, each by another one,
 * and in which there is a field that nobody knows, called like a payload.
 */
export function poisoned(
  value: unknown,
  everything = false,
): { value: unknown; sent: Set<string> } {
  const sent = new Set<string>();
  let nth = 0;
  const visit = (item: unknown, path: string): unknown => {
    if (typeof item === "string") {
      // Records of several projects in one list are refused.
      const isKept = /(?:Time|\.projectId)$/u.test(path) || (!everything && KEPT.test(path));
      if (isKept) return item;
      const text = item + PAYLOADS[nth++ % PAYLOADS.length];
      sent.add(text);
      return text;
    }
    if (Array.isArray(item)) return item.map((one) => visit(one, path));
    if (typeof item !== "object" || item === null) return item;
    const entries = Object.entries(item).map(([key, one]) => [key, visit(one, `${path}.${key}`)]);
    // Elsewhere an object may be a map, whose values are of one kind.
    if (path !== "" || !("id" in item || "name" in item)) return Object.fromEntries(entries);
    const strange = PAYLOADS[nth++ % PAYLOADS.length] ?? "";
    return Object.fromEntries([...entries, [strange, strange]]);
  };
  return { value: visit(value, ""), sent };
}

/** An answer with an object that cannot be made a text in place of each text but the IDs. */
export function withObjects(value: unknown): { value: unknown; sent: Set<string> } {
  const text = JSON.stringify(value, (key, item) =>
    typeof item === "string" && !["id", "text"].includes(key)
      ? { toString: 1, valueOf: 1, text: item }
      : item,
  );
  return { value: JSON.parse(text), sent: new Set() };
}

/** A problem whose every word is a payload. */
export function poisonedProblem(status: number, payload: string): Response {
  const body = {
    status,
    ...{ type: payload, href: payload, title: payload, detail: payload, instance: payload },
    ...{ remedy: payload, requestId: payload, retryAfter: payload, causes: [payload, payload] },
    issues: [
      { in: "body", name: "name", value: payload, detail: payload },
      { in: payload, name: payload, value: { [payload]: payload }, detail: payload },
    ],
    [payload]: payload,
  };
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify(body), { status, headers });
}

const CONTROLS = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?!\u200d)\p{Cf}/u;
/** What a language needs may stay in data, and tabs. */
const UNSAFE_IN_DATA = /(?![\n\t])\p{Cc}|[\u2028\u2029\p{Cs}]|(?![\u200c\u200d])\p{Cf}/u;
const CI_COMMAND = /^[^\S\n]*::|##\[|##vso\[/imu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours, and nothing else
const COLOUR = /\u001b\[(?:\d\d?)m/gu;

/** What in a text would be obeyed or hidden; empty if nothing. Line ends and our own colours are fine. */
export function obeyed(text: string, { tabs = false, colour = false } = {}): string[] {
  const plain = colour ? withoutWaitLines(text).replaceAll(COLOUR, "") : text;
  return [
    ...around(CONTROLS, plain.replaceAll(tabs ? /[\n\t]/gu : /\n/gu, "")),
    ...around(CI_COMMAND, plain),
  ];
}

/** The same for JSON and YAML. */
export function obeyedInData(text: string, { colour = false } = {}): string[] {
  const plain = colour ? text.replaceAll(COLOUR, "") : text;
  return [...around(UNSAFE_IN_DATA, plain), ...around(CI_COMMAND, plain)];
}

/** Escape sequences that are not colours: hyperlinks, titles, the clipboard. */
export function sequencesBesideColour(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being looked for
  return around(/[\u001b\u0080-\u009f]/u, withoutWaitLines(text).replaceAll(COLOUR, ""));
}

function around(what: RegExp, text: string): string[] {
  const at = text.search(what);
  return at < 0 ? [] : [JSON.stringify(text.slice(Math.max(0, at - 20), at + 20))];
}
