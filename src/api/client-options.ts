import type { AmpError } from "../errors.ts";

/** One attempt, for `--debug`. Holds no secret: neither headers nor bodies. */
export interface RequestNote {
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Until the answer was read, or failed. */
  readonly ms: number;
  readonly status?: number;
  readonly requestId?: string;
  /** Why there is no answer. */
  readonly failure?: string;
}

/** A wait before a request is sent again. */
export interface RetryNote {
  readonly method: string;
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
  /** Its reason is the name of the signal. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** In place of the global one, read anew for each request. */
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  /** What to say where an operation needs a credential and there is none. */
  readonly explainMissingCredential?: () => AmpError;
  readonly onRequest?: (note: RequestNote) => void;
  readonly onRetry?: (note: RetryNote) => void;
  /** From 0 to 1: how much of the longest wait before a retry is waited. */
  readonly random?: () => number;
  readonly now?: () => Date;
}
