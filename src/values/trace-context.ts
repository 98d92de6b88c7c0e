/** The headers of a W3C trace context, as https://www.w3.org/TR/trace-context/ defines them. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Version, trace ID, parent ID and flags; an ID of zeros and the version ff are not valid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/u;
/** One vendor's entry: `vendor=value`, or `tenant@vendor=value`. */
const MEMBER =
  /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/u;
const MAX_MEMBERS = 32;
/** The length that every participant must pass on; a longer one is not passed on at all. */
const MAX_STATE = 512;

/**
 * Reads the trace context of the step that runs amp, by which its requests appear in the same
 * trace. A variable that is not valid is ignored: a value from elsewhere must not become a header
 * as it is, and a broken trace must not end a run.
 * @param onIgnored called with the name of each variable that is ignored
 */
export function readTraceContext(
  env: Readonly<Record<string, string | undefined>>,
  onIgnored: (variable: string) => void,
): TraceContext | undefined {
  const { TRACEPARENT: traceparent = "", TRACESTATE: tracestate = "" } = env;
  if (traceparent === "") return undefined;
  if (!TRACEPARENT.test(traceparent)) {
    onIgnored("TRACEPARENT");
    return undefined;
  }
  if (tracestate === "") return { traceparent };
  if (!isTraceState(tracestate)) {
    onIgnored("TRACESTATE");
    return { traceparent };
  }
  return { traceparent, tracestate };
}

function isTraceState(text: string): boolean {
  const members = text.split(",").map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/gu, ""));
  const keys = members.filter((member) => member !== "").map((member) => member.split("=")[0]);
  return (
    text.length <= MAX_STATE &&
    keys.length <= MAX_MEMBERS &&
    new Set(keys).size === keys.length &&
    members.every((member) => member === "" || MEMBER.test(member))
  );
}
