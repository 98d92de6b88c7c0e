import { proxyRefusalIn } from "./proxy.ts";

/** Why nothing came back, or half of it. */
export interface NetworkFailure {
  /** False where it is certain that no byte of the request left this machine. */
  readonly sent: boolean;
  /** Another attempt would end the same way. */
  readonly final: boolean;
  /** The next machine was not reached: with a proxy in between, that is the proxy. */
  readonly connecting: boolean;
  /** As the end of a sentence: "the connection was refused". */
  readonly reason: string;
  readonly remedy?: string;
}

interface Cause {
  readonly sent: boolean;
  readonly reason: string;
}

/** Codes of the system, of the resolver, of undici, and of Bun's own fetch. */
const CAUSES: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: { sent: false, reason: "the connection was refused" },
  ENOTFOUND: { sent: false, reason: "there is no machine of this name" },
  EAI_AGAIN: { sent: false, reason: "its name could not be looked up" },
  EHOSTUNREACH: { sent: false, reason: "there is no way to this machine" },
  ENETUNREACH: { sent: false, reason: "there is no way to this network" },
  UND_ERR_CONNECT_TIMEOUT: { sent: false, reason: "no connection came about in time" },
  // Bun's word for a handshake that failed. TLS 1.3 may refuse a client that has sent already.
  EPROTO: { sent: true, reason: "the TLS connection failed" },
  ECONNRESET: { sent: true, reason: "the connection was reset" },
  EPIPE: { sent: true, reason: "the connection was closed" },
  ETIMEDOUT: { sent: true, reason: "the connection went silent" },
  UND_ERR_SOCKET: { sent: true, reason: "the connection was closed before the answer was whole" },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { sent: true, reason: "the answer is not whole" },
  UND_ERR_HEADERS_TIMEOUT: { sent: true, reason: "no answer came" },
  UND_ERR_BODY_TIMEOUT: { sent: true, reason: "the rest of the answer did not come" },
};

const BLOCKED: NetworkFailure = {
  sent: false,
  final: true,
  connecting: false,
  reason: "this port is blocked, for it belongs to something else than the web",
  remedy: "Have the service listen on another port.",
};

/** Reads what `fetch` threw. Whatever is not known to have failed earlier counts as sent. */
export function networkFailure(error: unknown): NetworkFailure {
  const refusal = proxyRefusalIn(error);
  if (refusal) {
    const { status, message: reason } = refusal;
    // What it says of the way may pass; that it wants a login, or forbids the host, does not.
    const final = status < 500 && status !== 408 && status !== 429;
    return { sent: false, final, connecting: false, reason };
  }
  const { code, syscall, message } = rootOf(error);
  const tls = tlsFailure(code);
  if (tls) return { sent: false, final: true, connecting: false, ...tls };
  // One of those that no `fetch` goes to, such as 1 or 6000: https://fetch.spec.whatwg.org/#port-blocking
  if (message === "bad port") return BLOCKED;
  const cause = CAUSES[code] ?? { sent: true, reason: code || message || "the network failed" };
  // ETIMEDOUT and others mean something else while the connection is still being made.
  const connecting = !cause.sent || syscall === "connect" || syscall === "getaddrinfo";
  return { ...cause, sent: !connecting, final: false, connecting };
}

/** The connection ended while the service was at work: it has seen the request or never will. */
export function isConnectionCut(error: unknown): boolean {
  return CUT_CODES.has(rootOf(error).code);
}

const CUT_CODES = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
]);

interface SystemError {
  readonly code: string;
  readonly syscall: string;
  readonly message: string;
}

/** The innermost error with a code: `fetch failed` itself says nothing. */
function rootOf(error: unknown): SystemError {
  let found: SystemError = { code: "", syscall: "", message: "" };
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth++) {
    const { code, syscall, message, cause, errors } = current as Record<string, unknown>;
    found = {
      code: typeof code === "string" ? code : found.code,
      syscall: typeof syscall === "string" ? syscall : found.syscall,
      message: typeof message === "string" && message !== "" ? message : found.message,
    };
    // Several addresses of one name were tried, all in vain; the last one speaks for them.
    current = cause ?? (Array.isArray(errors) ? errors.at(-1) : undefined);
  }
  return found;
}

/** What is wrong with a certificate, and what to do about it. */
export interface TlsFailure {
  /** As the end of a sentence. */
  readonly reason: string;
  readonly remedy: string;
}

const OWN_AUTHORITY =
  "If that is as it should be, set NODE_EXTRA_CA_CERTS=FILE.pem, a file with the authority that signed it.";
const UNKNOWN_AUTHORITY = {
  reason: "its TLS certificate is signed by an authority that this machine does not know",
  remedy: OWN_AUTHORITY,
};
const NO_TLS = {
  reason: "it does not answer with TLS",
  remedy: "Check host and port of the address: this one may be for http.",
};

const TLS_FAILURES: Readonly<Record<string, TlsFailure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: "its TLS certificate is self-signed",
    remedy:
      "If that is as it should be, set NODE_EXTRA_CA_CERTS=FILE.pem, a file with this certificate.",
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: {
    reason: "its TLS certificate has expired",
    remedy: "Check the clock of this machine; else the certificate has to be renewed there.",
  },
  CERT_NOT_YET_VALID: {
    reason: "its TLS certificate is not valid yet",
    remedy: "Check the clock of this machine.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: "its TLS certificate is made out for another host",
    remedy: "Check the host of the address: a name for an IP address, or another machine's.",
  },
  CERT_REVOKED: {
    reason: "its TLS certificate was revoked",
    remedy: "Nothing there can be trusted until it has a new one.",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** Codes of certificates that were refused before a request could be sent. */
const TLS_CODES =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH|HOSTNAME_MISMATCH|INVALID_CA)/u;

/** What a code of Node, OpenSSL or Bun says; undefined for one that is not about certificates. */
export function tlsFailure(code: string): TlsFailure | undefined {
  if (!TLS_CODES.test(code)) return undefined;
  const { reason, remedy } = TLS_FAILURES[code] ?? {
    reason: "its TLS certificate is not accepted",
    remedy: OWN_AUTHORITY,
  };
  return { reason: `${reason} (${code})`, remedy };
}
