/** Every way in which the sandbox says no: status, and what stays the same at each occurrence. */
export const PROBLEMS = {
  "malformed-request": {
    status: 400,
    title: "The request cannot be read",
    remedy: "Send a path and a body that follow the API's description.",
  },
  "ambiguous-credential": {
    status: 400,
    title: "Two credentials in one request",
    remedy: "Send X-Api-Key or Authorization, not both.",
  },
  unauthenticated: {
    status: 401,
    title: "No valid credential",
    remedy: "Send the sandbox's API key as X-Api-Key, or its access token as a bearer token.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    remedy: "Check the identifier; a list of the same kind of thing shows those that exist.",
  },
  "unknown-operation": {
    status: 404,
    title: "No such operation",
    remedy: "Check the path; the base URL ends in /v1.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    remedy: "Use a method that the Allow header names.",
  },
  "name-taken": {
    status: 409,
    title: "The name is taken",
    remedy: "Choose another name, or use the record that has it.",
  },
  "wrong-state": {
    status: 409,
    title: "Not possible in this state",
    remedy: "Look at the record's status.",
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
    remedy: "Correct the inputs that the issues name.",
  },
  internal: {
    status: 500,
    title: "The sandbox has a defect",
    remedy: "Report it with the request ID and what was sent.",
  },
  "not-saved": {
    status: 503,
    title: "The state could not be saved",
    remedy: "See that the state file's disk has room and is writable.",
    /** Milliseconds after which it is worth another try. */
    retryAfter: 1000,
  },
} as const satisfies Record<
  string,
  { status: number; title: string; remedy: string; retryAfter?: number }
>;

/** A row of {@link PROBLEMS}; the last part of the problem's type URI. */
export type ProblemKind = keyof typeof PROBLEMS;

/** One input that is no good. */
export interface RefusedInput {
  readonly in: "body" | "header" | "path" | "query";
  /** Where in it, for example `metadata.url`. */
  readonly name: string;
  /** The erroneous value; `null` where it is missing. */
  readonly value: unknown;
  readonly detail: string;
}

/** What a refusal can tell beyond its detail. */
export interface RefusalFacts {
  readonly issues?: readonly RefusedInput[];
  readonly causes?: readonly string[];
  /** For the answer, for example `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Free-form, for the problem's `context`. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The sandbox's no to a request. It never leaves the sandbox but as a problem document. */
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

/** The refusal of one or more inputs. */
export function invalidInput(
  issues: readonly RefusedInput[],
  kind: "invalid-input" | "malformed-request" = "invalid-input",
): Refusal {
  const names = issues.map((issue) => issue.name).join(", ");
  return new Refusal(
    kind,
    `${issues.length === 1 ? "This input is" : "These inputs are"} not accepted: ${names}.`,
    { issues },
  );
}

/** What the sandbox knows of the request that it refuses. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly time: Date;
  /** The part of the platform that the operation belongs to. */
  readonly subsystem: string;
  readonly method: string;
  readonly path: string;
}

/** The answer to a refused request, with every field of spec part 7. */
export function problemResponse(refusal: Refusal, occurrence: RefusedRequest): Response {
  const document = problemDocument(refusal, occurrence);
  return new Response(JSON.stringify(document), {
    status: document.status,
    headers: {
      "content-type": "application/problem+json",
      "x-request-id": occurrence.requestId,
      ...refusal.facts.headers,
    },
  });
}

function problemDocument(refusal: Refusal, occurrence: RefusedRequest) {
  const { kind, facts } = refusal;
  const problem: (typeof PROBLEMS)[typeof kind] & { retryAfter?: number } = PROBLEMS[kind];
  const { requestId, time, subsystem, method, path } = occurrence;
  const type = `urn:amp-sandbox:problem:${kind}`;
  return {
    type,
    href: `https://sandbox.invalid/problems/${kind}`,
    title: problem.title,
    status: problem.status,
    detail: refusal.message,
    instance: `urn:amp-sandbox:request:${encodeURIComponent(requestId)}`,
    subsystem,
    time: time.toISOString(),
    requestId,
    ...(facts.causes && { causes: facts.causes }),
    remedy: problem.remedy,
    supportEmail: "support@sandbox.invalid",
    supportPhone: "+1-555-0100",
    supportUrl: "https://sandbox.invalid/support",
    retryable: problem.retryAfter !== undefined,
    ...(problem.retryAfter !== undefined && {
      retryAfter: new Date(time.getTime() + problem.retryAfter).toISOString(),
    }),
    context: { method, path, ...facts.context },
    ...(facts.issues && {
      issues: facts.issues.map((issue) => ({ type, title: problem.title, ...issue })),
    }),
  };
}
