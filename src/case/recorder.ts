import type { Endpoint } from "../api/operations/endpoint.ts";
import { type AmpError, AuthError, assertFailure, NotFoundError } from "../errors.ts";
import type { ResourceKind } from "../notify/model/resource.ts";
import { withoutUndefined } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";

/** The purpose of an answer, by which the case finds its evidence. */
export type Role =
  | "integrations"
  | "installations"
  | "group"
  | "installation"
  | "operations"
  | "logs"
  | "progress"
  // These are judged by no rule, and only looked up.
  | "lookup"
  | "catalogue"
  | ResourceKind;

/** An answer of the service, as a case keeps it. */
export interface RecordedAnswer {
  readonly method: "GET";
  /** The path below the base URL. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The length of the list, where only a part of it was kept. */
  readonly of?: number | undefined;
}

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
export interface MissingEvidence {
  readonly what: string;
  readonly why: string;
}

/** A request of a case. */
interface Asked {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly operation?: string;
  /** True if no verdict needs it: its absence or refusal is not reported. */
  readonly mayLack?: boolean;
}

/** The answer to a request, or why there is none. */
interface Brought<Records> {
  readonly records: Records;
  /** The body, where it is not the records alone. */
  readonly body?: unknown;
  readonly of?: number | undefined;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Asks a service, and keeps each answer. */
export function createRecorder() {
  const gathered: GatheredAnswer[] = [];
  const missingEvidence: MissingEvidence[] = [];
  const keep = (
    role: Role,
    { path: template }: Pick<Endpoint, "path">,
    { path, query = {}, operation }: Asked,
    {
      records,
      ...answer
    }: Pick<RecordedAnswer, "status" | "headers" | "body" | "of"> & {
      records?: unknown;
    },
  ) => {
    gathered.push({
      role,
      answer: { method: "GET", path: filledPath(template, path), query, ...answer },
      ...withoutUndefined({ records, operation }),
    });
  };
  return {
    gathered: gathered as readonly GatheredAnswer[],
    missingEvidence: missingEvidence as readonly MissingEvidence[],
    /** Keeps an answer that was read in another way. */
    keep<Records>(
      role: Role,
      endpoint: Pick<Endpoint, "path">,
      asked: Asked,
      brought: Brought<Records>,
    ) {
      const { records, body = originalOf(records), of } = brought;
      keep(role, endpoint, asked, { status: 200, headers: JSON_TYPE, body, of, records });
    },
    /**
     * Asks for a part of the evidence.
     * @param what the name of the part, for the list of missing parts; undefined if it need not be
     * listed
     * @returns undefined if the service does not provide it
     */
    async ask<Records>(
      role: Role,
      what: string | undefined,
      endpoint: Pick<Endpoint, "path">,
      asked: Asked,
      load: () => Promise<Brought<Records>>,
    ): Promise<Records | undefined> {
      try {
        const brought = await load();
        this.keep(role, endpoint, asked, brought);
        return brought.records;
      } catch (error) {
        assertFailure(error);
        const isLacking = error instanceof NotFoundError || error instanceof AuthError;
        if (what !== undefined && !(asked.mayLack && isLacking))
          missingEvidence.push({ what, why: error.message });
        const { status } = error.facts;
        if (status !== undefined && status >= 400)
          keep(role, endpoint, asked, problemOf(error, status));
        return undefined;
      }
    },
  };
}

/** Asks a service, and keeps each answer. */
export type Recorder = ReturnType<typeof createRecorder>;

/** The problem document of an error that the service answered. */
function problemOf({ message, facts }: AmpError, status: number) {
  const { title = message, detail, type, requestId, retryAfter, causes, remedy } = facts;
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    },
    body: withoutUndefined({ type, title, status, detail, requestId, causes, remedy }),
  };
}

function filledPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
}
