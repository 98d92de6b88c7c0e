/** The kinds of problem that the sandbox reports, with their constant fields. */
export const PROBLEMS = {
  "malformed-request": {
    status: 400,
    title: "The request cannot be read",
    remedy: "Send a path and a body that match the API specification.",
  },
  "ambiguous-credential": {
    status: 400,
    title: "Two credentials in one request",
    remedy: "Send X-Api-Key or Authorization, not both.",
  },
  unauthenticated: {
    status: 401,
    title: "No valid credential",
    remedy:
      "Check the API key or the access token that was used: the sandbox accepts only its own.",
  },
  "foreign-origin": {
    status: 403,
    title: "The request comes from a web page",
    remedy: "Use localhost, an IP address or the name of --host, and no page of another origin.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    remedy: "Check the ID; list the resources to see which exist.",
  },
  "unknown-operation": {
    status: 404,
    title: "No such operation",
    remedy: "Check the path.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    remedy: "Use a method that the Allow header lists.",
  },
  "name-taken": {
    status: 409,
    title: "The name is taken",
    remedy: "Choose another name, or use the resource that has it.",
  },
  "wrong-state": {
    status: 409,
    title: "Not allowed in this state",
    remedy: "Check the status of the resource.",
  },
  "too-large": {
    status: 413,
    title: "The body is too large",
    remedy: "Send at most 1 MB.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    remedy: "Send the body as application/json.",
  },
  "invalid-input": {
    status: 422,
    title: "Invalid input",
    remedy: "Correct these inputs.",
  },
  internal: {
    status: 500,
    title: "The sandbox failed",
    remedy: "Report it with the request ID and the request.",
  },
  "not-saved": {
    status: 503,
    title: "The state could not be saved",
    remedy: "Check that the disk of the state file has space and is writable.",
    /** The wait before another attempt, in milliseconds. */
    retryAfter: 1000,
  },
} as const satisfies Record<
  string,
  { status: number; title: string; remedy: string; retryAfter?: number }
>;

/** A key of {@link PROBLEMS}: the last part of the problem's type URI. */
export type ProblemKind = keyof typeof PROBLEMS;

/** One invalid input of a request. */
export interface RefusedInput {
  readonly in: "body" | "header" | "path" | "query";
  /** The place of the input, for example `metadata.url`. */
  readonly name: string;
  /** The invalid value; `null` where it is missing. */
  readonly value: unknown;
  readonly detail: string;
}

/** Further facts of a refusal. */
export interface RefusalFacts {
  readonly issues?: readonly RefusedInput[];
  readonly causes?: readonly string[];
  /** The remedy, where that of the kind is too general. */
  readonly remedy?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem's `context`. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The refusal of a request. It leaves the sandbox only as a problem document. */
export class Refusal extends Error {
  override readonly name = "Refusal" as const;
  readonly kind: ProblemKind;
  readonly facts: RefusalFacts;

  constructor(kind: ProblemKind, detail: string, facts: RefusalFacts = {}) {
    super(detail);
    this.kind = kind;
    this.facts = facts;
  }
}

/** Refuses one or more inputs. */
export function invalidInput(
  issues: readonly RefusedInput[],
  kind: "invalid-input" | "malformed-request" = "invalid-input",
): Refusal {
  const reasons = issues.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
  return new Refusal(
    kind,
    `${issues.length === 1 ? "This input is" : "These inputs are"} not valid: ${reasons.replace(/(?<![.!?])$/u, ".")}`,
    { issues },
  );
}

/** The request that is refused. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly time: Date;
  readonly subsystem: string;
  readonly method: string;
  readonly path: string;
}

/** Answers a refused request with every field of spec part 7. */
export function problemResponse(
  { kind, facts, message }: Refusal,
  { requestId, time, subsystem, method, path }: RefusedRequest,
): Response {
  const { title, status, remedy, ...more } = PROBLEMS[kind];
  const type = `urn:amp-sandbox:problem:${kind}`;
  const document = {
    type,
    href: `https://sandbox.invalid/problems/${kind}`,
    title,
    status,
    detail: message,
    instance: `urn:amp-sandbox:request:${encodeURIComponent(requestId)}`,
    subsystem,
    time: time.toISOString(),
    requestId,
    ...(facts.causes && { causes: facts.causes }),
    remedy: facts.remedy ?? remedy,
    supportEmail: "support@sandbox.invalid",
    supportPhone: "+1-555-0100",
    supportUrl: "https://sandbox.invalid/support",
    retryable: "retryAfter" in more,
    ...("retryAfter" in more && {
      retryAfter: new Date(time.getTime() + more.retryAfter).toISOString(),
    }),
    context: { method, path, ...facts.context },
    ...(facts.issues && { issues: facts.issues.map((issue) => ({ type, title, ...issue })) }),
  };
  return Response.json(document, {
    status,
    headers: {
      "content-type": "application/problem+json",
      "x-request-id": requestId,
      ...facts.headers,
    },
  });
}
