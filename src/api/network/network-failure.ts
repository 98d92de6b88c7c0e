import { proxyRefusalIn } from "./proxy.ts";

/** The reason why no complete answer came. */
export interface NetworkFailure {
  /** Whether the request may have been sent; false if certainly no byte was. */
  readonly sent: boolean;
  /** Whether another attempt would fail the same way. */
  readonly final: boolean;
  /** Whether the failure came before the next host was reached; with a proxy, that is the proxy. */
  readonly connecting: boolean;
  /** The end of a sentence: "connection refused". */
  readonly reason: string;
  readonly remedy?: string;
}

/**
 * Failures before any byte of the request was sent, by code of the system, the resolver, undici and
 * Bun's own fetch.
 */
const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
};

const TOO_ENCODED = "the response is compressed too many times";
const NOT_HTTP = "the response is not valid HTTP";

const SENT: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed before the response was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response is incomplete",
  // Bun's code for a failed handshake. With TLS 1.3 a client may be refused after it has sent.
  EPROTO: "the TLS connection failed",
  ETIMEDOUT: "the connection stopped responding",
  UND_ERR_HEADERS_TIMEOUT: "no response came",
  UND_ERR_BODY_TIMEOUT: "the rest of the response did not come",
  UND_ERR_CLOSED: "the connection was closed",
  UND_ERR_DESTROYED: "the connection was closed",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the response are too large",
  HPE_HEADER_OVERFLOW: "the headers of the response are too large",
  // Bun's.
  ResponseHeadersTooLarge: "the headers of the response are too large",
  // undici asserts what a server may well break.
  ERR_ASSERTION: NOT_HTTP,
  ERR_STREAM_PREMATURE_CLOSE: "the response is incomplete",
  EMFILE: "this process has too many open files",
  ENFILE: "this machine has too many open files",
  EADDRNOTAVAIL: "this machine has no free port or address",
  ENETDOWN: "the network is down",
};

/** Codes that come in families; what they say of sending is not known. */
/** The codes of Bun's own fetch for HTTP that it cannot read. */
const BUN_NOT_HTTP = /^(?:Malformed_HTTP|InvalidHTTP|InvalidContentLength|UnrequestedUpgrade)/u;

const FAMILIES: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^HPE_/u, NOT_HTTP],
  [BUN_NOT_HTTP, NOT_HTTP],
  [/^(?:Z_|ERR__|ERR_BROTLI|ZSTD_|Zlib|Brotli|Zstd)/u, "the compressed response is damaged"],
  [/^EAI_/u, "the host name could not be resolved"],
  [/^(?:ERR_SSL|ERR_TLS)/u, "the TLS connection failed"],
];

/** The end of a sentence; never a code, which says nothing to most readers. */
function reasonOf(code: string, message: string): string {
  const known = UNSENT[code] ?? SENT[code] ?? FAMILIES.find(([codes]) => codes.test(code))?.[1];
  // undici's parser has no code of its own for most of what it refuses.
  if (known === undefined && message.includes("HTTP/1.1 protocol")) return NOT_HTTP;
  if (known === undefined && message.includes("content-encodings")) return TOO_ENCODED;
  const isProse = code === "" && message.includes(" ");
  return known ?? (isProse ? message : "the connection failed");
}

const BLOCKED: NetworkFailure = {
  sent: false,
  final: true,
  connecting: false,
  reason: "the Fetch standard blocks this port",
  remedy: "Run the service on another port.",
};

/** Reads an error of `fetch`. A request counts as sent unless it certainly failed before that. */
export function networkFailure(error: unknown): NetworkFailure {
  const refusal = proxyRefusalIn(error);
  if (refusal) {
    const { status, message: reason } = refusal;
    // A failure between proxy and service may pass; a required login or a forbidden host does not.
    const final = status < 500 && status !== 408 && status !== 429;
    return { sent: false, final, connecting: false, reason };
  }
  const { code, syscall, message } = rootOf(error);
  const tls = tlsFailure(code);
  if (tls) return { sent: false, final: true, connecting: false, ...tls };
  // `fetch` blocks ports such as 1 or 6000: https://fetch.spec.whatwg.org/#port-blocking
  if (message === "bad port") return BLOCKED;
  const reason = reasonOf(code, message);
  // ETIMEDOUT and others also occur while the connection is being made: nothing was sent then.
  const connecting =
    Object.hasOwn(UNSENT, code) || syscall === "connect" || syscall === "getaddrinfo";
  return { reason, sent: !connecting, final: false, connecting };
}

/** The innermost error with a code: `fetch failed` itself says nothing. */
function rootOf(error: unknown) {
  let found = { code: "", syscall: "", message: "" };
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth++) {
    const { code, syscall, message, cause, errors } = current as Record<string, unknown>;
    found = {
      code: typeof code === "string" ? code : found.code,
      syscall: typeof syscall === "string" ? syscall : found.syscall,
      message: typeof message === "string" && message !== "" ? message : found.message,
    };
    // All addresses of one name failed; the last error represents them.
    current = cause ?? (Array.isArray(errors) ? errors.at(-1) : undefined);
  }
  return found;
}

/** The beginning of each reason about a certificate. */
export const ITS_CERTIFICATE = "its TLS certificate";

/** A problem with a certificate: the end of a sentence, and its remedy. */
type TlsFailure = Required<Pick<NetworkFailure, "reason" | "remedy">>;

const OWN_AUTHORITY =
  "If this is expected, set NODE_EXTRA_CA_CERTS=FILE.pem to the certificate of the authority that signed it.";
const UNKNOWN_AUTHORITY = {
  reason: `${ITS_CERTIFICATE} is signed by an unknown authority`,
  remedy: OWN_AUTHORITY,
};
const NO_TLS = {
  reason: "it does not speak TLS on this port",
  remedy: "Check host and port of the URL: this port may be for http.",
};

const TLS_FAILURES: Readonly<Record<string, TlsFailure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: `${ITS_CERTIFICATE} is self-signed`,
    remedy: "If this is expected, set NODE_EXTRA_CA_CERTS=FILE.pem to this certificate.",
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: {
    reason: `${ITS_CERTIFICATE} has expired`,
    remedy: "Check the clock of this machine; if it is right, the server needs a new certificate.",
  },
  CERT_NOT_YET_VALID: {
    reason: `${ITS_CERTIFICATE} is not valid yet`,
    remedy: "Check the clock of this machine.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: `${ITS_CERTIFICATE} is for another host`,
    remedy: "Check the host in the URL: the certificate may be for a name, not for an IP address.",
  },
  CERT_REVOKED: {
    reason: `${ITS_CERTIFICATE} was revoked`,
    remedy: "Do not trust this server until it has a new certificate.",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** The codes of certificates that were refused, always before a request is sent. */
const TLS_CODES =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH|HOSTNAME_MISMATCH|INVALID_CA)/u;

/** The failure that a code of Node, OpenSSL or Bun means; `undefined` if it is not about TLS. */
export function tlsFailure(code: string): TlsFailure | undefined {
  if (!TLS_CODES.test(code)) return undefined;
  const { reason, remedy } = TLS_FAILURES[code] ?? {
    reason: `${ITS_CERTIFICATE} is not trusted`,
    remedy: OWN_AUTHORITY,
  };
  return { reason: `${reason} (${code})`, remedy };
}
