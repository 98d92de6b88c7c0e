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
