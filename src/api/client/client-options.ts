import type { AmpError } from "../../errors.ts";
import type { Network } from "../network/network.ts";
import type { RateGate } from "../request/retry.ts";

/** One attempt, for `--debug`. Holds no secret: neither headers nor bodies. */
export interface RequestNote {
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Until the answer was read, or failed. */
  readonly ms: number;
  readonly status?: number;
  /** The service's own. */
  readonly requestId?: string;
  /** What amp has sent along. */
  readonly clientRequestId?: string;
  /** The host of the proxy in between. */
  readonly proxy?: string;
  /** Why there is no answer. */
  readonly failure?: string;
}

/** A wait before a request is sent again. */
export interface RetryNote {
  readonly method: string;
  /** The middle of a sentence: "list the topics". */
  readonly does: string;
  /** The end of one: "the service answered 503". */
  readonly why: string;
  readonly waitMs: number;
  /** The number of the attempt to come: 2 for the first retry. */
  readonly attempt: number;
}

/** What a client is made of. */
export interface ClientOptions {
  /** Ends in the version; its path is kept. */
  readonly baseUrl: string;
  readonly credential?:
    | { readonly kind: "api-key" | "access-token"; readonly secret: string }
    | undefined;
  /** The longest wait for one answer, body included. */
  readonly timeoutMs: number;
  /** How often one request may be sent again; 0 for never. Absent: the usual. */
  readonly retries?: number | undefined;
  /** The longest wait that the service may ask for. Absent: the usual. */
  readonly maxWaitMs?: number | undefined;
  /** Bytes that an answer may have after decompression. Absent: the usual. */
  readonly maxBodyBytes?: number | undefined;
  /** Shared by all clients of a process. Absent: each request has its own. */
  readonly rateGate?: RateGate;
  /** Its reason is the name of the signal. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** How requests get out. Absent: by the global `fetch`, read anew for each request. */
  readonly network?: Network | undefined;
  /** In place of all that. */
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  /** What to say where an operation needs a credential and there is none. */
  readonly explainMissingCredential?: () => AmpError;
  readonly onRequest?: (note: RequestNote) => void;
  readonly onRetry?: (note: RetryNote) => void;
  /** From 0 to 1: how much of the longest wait before a retry is waited. */
  readonly random?: () => number;
  readonly now?: () => Date;
  /** Names a request: sent along as X-Request-Id. */
  readonly uuid?: () => string;
}
