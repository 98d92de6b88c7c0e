import { PROBLEMS } from "./problem-kinds.ts";
import type { Refusal } from "./refusal.ts";

/** What the sandbox knows of the request that it refuses. */
export interface Occurrence {
  readonly requestId: string;
  readonly time: Date;
  /** The part of the platform that the operation belongs to. */
  readonly subsystem: string;
  readonly method: string;
  readonly path: string;
}

/** The answer to a refused request, with every field of spec part 7. */
export function problemResponse(refusal: Refusal, occurrence: Occurrence): Response {
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

function problemDocument(refusal: Refusal, occurrence: Occurrence) {
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
