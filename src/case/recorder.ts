import type { AnswerOf, Api, CallInput, Endpoint } from "../api/operations/endpoint.ts";
import type { CaseSummary } from "../documents/case.ts";
import { type AmpError, AuthError, assertFailure, isKind, NotFoundError } from "../errors.ts";
import type { ResourceKind } from "../notify/model/resource.ts";
import { filledPath } from "../values/basics.ts";
import { defined } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";
import type { RecordedAnswer } from "./case-file.ts";

/** The purpose of an answer, by which the case finds its evidence. */
export type Role =
  | "integrations"
  | "installations"
  | "installation"
  | "operations"
  | "logs"
  | "progress"
  // No rule judges these: that the service lacks or refuses them is not reported.
  | "lookup"
  | "catalogue"
  | ResourceKind;

/** An answer with what it is for, before anything is taken out. */
export interface GatheredAnswer {
  readonly role: Role;
  readonly answer: RecordedAnswer;
  /** The records, each field of the specified type; absent for an error. */
  readonly records?: unknown;
  /** The operation whose log it is. */
  readonly operation?: string | undefined;
}

/** A part of the evidence that could not be read. */
export type MissingEvidence = CaseSummary["missingEvidence"][number];

interface Part {
  readonly role: Role;
  /** Its name in the list of missing parts; absent if it need not be listed. */
  readonly what?: string;
  /** The operation whose log it is. */
  readonly operation?: string;
}

interface Asked {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

interface Brought<Records> {
  readonly records: Records;
  /** The body, where it is not the records alone. */
  readonly body?: unknown;
  readonly of?: number | undefined;
}

const JSON_TYPE = { "content-type": "application/json" } as const;

/** Asks a service, and keeps each answer. */
export interface Recorder {
  readonly gathered: readonly GatheredAnswer[];
  readonly missingEvidence: readonly MissingEvidence[];
  /** Keeps an answer that was read in another way. */
  keep(part: Part, endpoint: Pick<Endpoint, "path">, asked: Asked, brought: Brought<unknown>): void;
  /** Lists a part that could not be read, without its answer. */
  miss(what: string, error: AmpError): void;
  /**
   * Asks for a part of the evidence by one request.
   * @returns undefined if the service does not provide it
   */
  call<const E extends Endpoint>(
    part: Part,
    endpoint: E,
    input: CallInput<E>,
  ): Promise<AnswerOf<E> | undefined>;
  /** The same, by what loads it: in several requests, or changed. */
  ask<Records>(
    part: Part,
    endpoint: Pick<Endpoint, "path">,
    asked: Asked,
    load: () => Promise<Brought<Records>>,
  ): Promise<Records | undefined>;
}

/** Creates the recorder of a case. */
export function createRecorder(api: Pick<Api, "call">): Recorder {
  const gathered: GatheredAnswer[] = [];
  const missingEvidence: MissingEvidence[] = [];
  const add = (
    { role, operation }: Part,
    endpoint: Pick<Endpoint, "path">,
    { path = {}, query = {} }: Asked,
    answer: Pick<RecordedAnswer, "status" | "headers" | "body" | "of">,
    records?: unknown,
  ) => {
    const at = filledPath(endpoint.path, path);
    const sent = defined(query) as RecordedAnswer["query"];
    const kept = { method: "GET", path: at, query: sent, ...answer } as const;
    gathered.push({ role, answer: kept, ...defined({ records, operation }) });
  };
  const recorder: Recorder = {
    gathered,
    missingEvidence,
    keep(part, endpoint, asked, { records, body = originalOf(records), of }) {
      const kept = { status: 200, headers: JSON_TYPE, body, ...defined({ of }) };
      add(part, endpoint, asked, kept, records);
    },
    miss(what, error) {
      missingEvidence.push({ what, reason: reasonOf(error), why: error.message });
    },
    call: (part, endpoint, input) =>
      recorder.ask(part, endpoint, input, async () => ({
        records: await api.call(endpoint, input),
      })),
    async ask(part, endpoint, asked, load) {
      try {
        const brought = await load();
        recorder.keep(part, endpoint, asked, brought);
        return brought.records;
      } catch (error) {
        assertFailure(error);
        const { what, role } = part;
        const reason = reasonOf(error);
        const mayLack = role === "lookup" || role === "catalogue";
        if (what !== undefined && !(mayLack && reason !== "failed")) {
          recorder.miss(what, error);
        }
        const { status } = error.facts;
        if (status !== undefined && status >= 400) {
          add(part, endpoint, asked, problemOf(error, status));
        }
        return undefined;
      }
    },
  };
  return recorder;
}

function reasonOf(error: AmpError): MissingEvidence["reason"] {
  if (isKind(error, "operation_missing")) return "not-supported";
  if (error instanceof NotFoundError) return "not-found";
  return error instanceof AuthError ? "refused" : "failed";
}

function problemOf({ message, facts }: AmpError, status: number) {
  const { title = message, detail, type, requestId, retryAfter, causes, remedy } = facts;
  return {
    status,
    headers: {
      "content-type": "application/problem+json" as const,
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    },
    body: defined({ type, title, status, detail, requestId, causes, remedy }),
  };
}
