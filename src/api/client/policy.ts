import type { AmpError } from "../../errors.ts";
import type { OddField } from "../../values/odd-fields.ts";
import type { TraceContext } from "../../values/trace-context.ts";
import type { BodyLimits } from "../answer/answer.ts";
import type { Network } from "../network/network.ts";
import type { Credential, RequestSources } from "../request/request-info.ts";
import type { RateGate } from "../request/retry.ts";

/** The log entry of one attempt, for `--debug`. It holds no secret: neither headers nor bodies. */
export interface RequestNote {
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The time until the answer was read, or failed. */
  readonly ms: number;
  readonly status?: number;
  /** The service's request ID. */
  readonly requestId?: string;
  /** The client request ID, which amp sent along. */
  readonly clientRequestId?: string;
  /** The host of the proxy. */
  readonly proxy?: string;
  /** The reason why there is no answer. */
  readonly failure?: string;
}

/** A wait for the service. */
export interface WaitNote {
  /** The middle of a sentence: "list the topics". */
  readonly does: string;
  readonly host: string;
  /** The number of records of a long list that have arrived. */
  readonly received?: number;
}

/** A wait before a request is sent again. */
export interface RetryNote {
  /** The middle of a sentence: "list the topics". */
  readonly does: string;
  /** The end of a sentence: "the service answered 503". */
  readonly why: string;
  readonly waitMs: number;
  /** The number of the next attempt: 2 for the first retry. */
  readonly attempt: number;
  readonly attempts: number;
}

/** Callbacks for logs, the wait line and warnings. */
export interface RequestObserver {
  /**
   * Called when a request is sent, each attempt and each redirect; what it returns is called with
   * the headers of the answer.
   */
  readonly onSend?: (url: URL) => (headers: Headers) => void;
  readonly onRequest?: (note: RequestNote) => void;
  /**
   * Called when a request begins, retries included, and while a long list arrives; what it returns
   * is called when that ends.
   */
  readonly onWait?: ((wait: WaitNote) => () => void) | undefined;
  readonly onRetry?: ((note: RetryNote) => void) | undefined;
  /** Called with the fields of an answer that are not as specified; the answer is still used. */
  readonly onOddFields?: (fields: readonly OddField[]) => void;
}

/** How a request is sent. What a lost answer means is in the rule table of `request/retry.ts`. */
export interface Policy extends RequestObserver {
  /** The URL whose origin alone gets the credential and the trace. */
  readonly baseUrl: string;
  readonly credential?: Credential | undefined;
  /** The trace that the requests belong to. */
  readonly trace?: TraceContext | undefined;
  readonly userAgent: string;
  /** The limits of the answer, which is read to its end; absent: its body is left unread. */
  readonly limits?: BodyLimits;
  /** The size beyond which a list is left open; see `readAnswer`. */
  readonly wholeUpTo?: number | undefined;
  /** The time limit of one attempt in milliseconds, body included. */
  readonly timeoutMs: number;
  /** Retries of one request; 0 for none. Absent: `RETRY.perRequest`. */
  readonly retries?: number | undefined;
  /** The longest wait that the service may ask for. Absent: `RETRY.maxWaitMs`. */
  readonly maxWaitMs?: number | undefined;
  /** Interrupts the request; its reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Ends only the wait before the request is sent. */
  readonly waitSignal?: AbortSignal;
  /** The limits that all clients of a process share. Absent: each request has its own. */
  readonly rateGate?: RateGate;
  /** The network of the requests. Absent: the global `fetch`, read anew for each request. */
  readonly network?: Network | undefined;
  /** A replacement for `network` and the global `fetch`. */
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  /** Decides whether a request that writes may be sent; called before each, and throws if not. */
  readonly beforeWrite?: (url: URL) => Promise<void>;
  /** The jitter of the wait before a retry, from 0 to 1. */
  readonly random?: () => number;
  readonly now?: () => Date;
}

/** The options of a client: the policy of its requests, and what it adds to each. */
export interface ClientOptions extends Omit<Policy, "limits" | "wholeUpTo" | "waitSignal"> {
  /** The maximum bytes of an answer after decompression. Absent: see `bodyLimits`. */
  readonly maxBodyBytes?: number | undefined;
  /** Makes the error for an operation that needs a credential, if there is none. */
  readonly explainMissingCredential?: () => AmpError;
  readonly sources?: RequestSources;
  /** Creates client request IDs. */
  readonly uuid?: () => string;
}
