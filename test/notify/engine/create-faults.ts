import {
  type AmpError,
  AuthError,
  ConflictError,
  type ErrorFacts,
  type PartialError,
  RejectedError,
  ServiceError,
  UnknownOutcomeError,
} from "../../../src/errors.ts";
import type { StoredRecord } from "./simulated-service.ts";

/** What goes wrong with one create. */
export type CreateFault =
  /** The connection is reset; `commit`: after how many ms the service creates it all the same. */
  | { readonly do: "reset"; readonly commit?: number }
  | { readonly do: "time-out"; readonly commit?: number }
  | { readonly do: "status"; readonly status: number; readonly commit?: number }
  /** Created, and the answer is of no use; `said`: but that it was created. */
  | { readonly do: "no-id"; readonly said?: true }
  /** Created, and the answer is odd but for its id. */
  | { readonly do: "odd" }
  /** Never left this machine. */
  | { readonly do: "unsent" }
  | { readonly do: "ask-to-wait"; readonly status: 425 | 429; readonly seconds: number }
  | { readonly do: "refuse"; readonly status: number; readonly context?: object }
  /** The answer comes, but late. */
  | { readonly do: "slow"; readonly ms: number };

/** A create that has come to the service. */
export interface ArrivedCreate {
  readonly requestId: string;
  /** @throws where the service does not want it */
  commit(): StoredRecord;
  /** At once for 0, never for undefined; nobody hears of it. */
  commitLater(ms: number | undefined): void;
  /** @throws where a signal ends it */
  wait(ms: number): Promise<void>;
  /** The time in so many seconds. */
  after(seconds: number): string;
}

/** How long a client waits for an answer. */
const TIMEOUT_MS = 30_000;

/** What a client makes of what the service answers, or does not. */
export function answerCreate(fault: CreateFault, create: ArrivedCreate): Promise<StoredRecord> {
  // The table pairs each kind with its own function; the compiler cannot follow that through.
  return (
    ANSWERS[fault.do] as (fault: CreateFault, create: ArrivedCreate) => Promise<StoredRecord>
  )(fault, create);
}

const ANSWERS: {
  readonly [Kind in CreateFault["do"]]: (
    fault: Extract<CreateFault, { do: Kind }>,
    create: ArrivedCreate,
  ) => Promise<StoredRecord>;
} = {
  reset: async ({ commit }, { requestId, commitLater }) => {
    commitLater(commit);
    throw unknown({ requestId });
  },
  "time-out": async ({ commit }, { requestId, commitLater, wait }) => {
    commitLater(commit);
    await wait(TIMEOUT_MS);
    throw unknown({ requestId });
  },
  status: async ({ status, commit }, { requestId, commitLater }) => {
    commitLater(commit);
    throw unknown({ requestId, status });
  },
  "no-id": async ({ said }, { requestId, commit }) => {
    commit();
    throw unknown({ requestId, status: 201, ...(said && { data: { created: { id: null } } }) });
  },
  odd: async (_, { requestId, commit }) => {
    const { id } = commit();
    throw unknown({ requestId, status: 201, data: { created: { id } } });
  },
  unsent: async () => {
    throw new ServiceError("Could not reach the service", { retryable: true });
  },
  "ask-to-wait": async ({ status, seconds }, { requestId, after }) => {
    throw new ServiceError("Later", { status, requestId, retryAfter: after(seconds) });
  },
  refuse: async ({ status, context }, { requestId }) => {
    const kind = REFUSALS[status] ?? RejectedError;
    const problem = context === undefined ? {} : { problem: { context } };
    throw new kind(`Refused (${status})`, { status, requestId, ...problem });
  },
  slow: async ({ ms }, { commit, wait }) => {
    const record = commit();
    await wait(ms);
    return record;
  },
};

const REFUSALS: Readonly<Record<number, new (message: string, facts: ErrorFacts) => AmpError>> = {
  401: AuthError,
  409: ConflictError,
};

function unknown(facts: ErrorFacts): PartialError {
  const reason = `the service answered ${facts.status ?? "nothing"}`;
  const message = `It is unknown whether it was created: ${reason}`;
  return new UnknownOutcomeError(message, facts, { reason });
}
