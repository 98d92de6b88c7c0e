/** The reason why no complete answer came. */
export interface NetworkFailure {
  /** Whether the request may have been sent; false if certainly no byte was. */
  readonly sent: boolean;
  /** Whether another attempt would fail the same way. */
  readonly final: boolean;
  /** Whether the failure came before the next host was reached; with a proxy, that is the proxy. */
  readonly connecting: boolean;
  /** The part of TLS that failed, if it was TLS. */
  readonly tls?: "certificate" | "handshake";
  /** The end of a sentence: "connection refused". */
  readonly reason: string;
  readonly remedy?: string;
}

type Facts = Partial<Omit<NetworkFailure, "reason">>;

/** A code, a family of codes or a message, and its meaning; without facts it may have been sent. */
type Row = readonly [code: string | RegExp, reason: string, facts?: Facts];

const CONNECTING: Facts = { sent: false, connecting: true };

/** The beginning of each reason about a certificate. */
export const ITS_CERTIFICATE = "its TLS certificate";

/** A certificate is refused before a request is sent. */
const certificate = (
  code: string | RegExp,
  problem: string,
  remedy = "If this is expected, set NODE_EXTRA_CA_CERTS=FILE.pem to the certificate of the authority that signed it.",
): Row => [
  code,
  `${ITS_CERTIFICATE} ${problem}`,
  { sent: false, final: true, tls: "certificate", remedy },
];

/**
 * The codes of the system, the resolver, OpenSSL, undici and Bun, and the messages of errors whose
 * code says less. The first row that fits counts.
 */
const FAILURES: readonly Row[] = [
  ["ECONNREFUSED", "connection refused", CONNECTING],
  ["ENOTFOUND", "host not found", { ...CONNECTING, remedy: "Check the host in the URL." }],
  [/^EAI_/u, "the host name could not be resolved", CONNECTING],
  ["EHOSTUNREACH", "no route to the host", CONNECTING],
  ["ENETUNREACH", "no route to the network", CONNECTING],
  ["UND_ERR_CONNECT_TIMEOUT", "the connection timed out", CONNECTING],
  [
    // https://fetch.spec.whatwg.org/#port-blocking
    "bad port",
    "the Fetch standard blocks this port",
    { sent: false, final: true, remedy: "Run the service on another port." },
  ],

  ["ERR_INVALID_PROTOCOL", "the URL is not http or https", { sent: false, final: true }],
  [
    /^ERR_(?:INVALID_CHAR|INVALID_HTTP_TOKEN)$/u,
    "a header has characters that cannot be sent",
    { sent: false, final: true },
  ],

  certificate(
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "is self-signed",
    "If this is expected, set NODE_EXTRA_CA_CERTS=FILE.pem to this certificate.",
  ),
  certificate(
    "CERT_HAS_EXPIRED",
    "has expired",
    "Check the clock of this machine; if it is right, the server needs a new certificate.",
  ),
  certificate("CERT_NOT_YET_VALID", "is not valid yet", "Check the clock of this machine."),
  certificate(
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "is for another host",
    "Check the host in the URL: the certificate may be for a name, not for an IP address.",
  ),
  certificate(
    "CERT_REVOKED",
    "was revoked",
    "Do not trust this server until it has a new certificate.",
  ),
  certificate(
    /^(?:SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE$)/u,
    "is signed by an unknown authority",
  ),
  certificate(
    /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/u,
    "is not trusted",
  ),
  [
    /^ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH)/u,
    "it does not speak TLS on this port",
    {
      tls: "handshake",
      sent: false,
      final: true,
      remedy: "Check host and port of the URL: this port may be for http.",
    },
  ],
  // Of Bun, EPROTO is any failed handshake. With TLS 1.3 a client may be refused after it has sent.
  [/^(?:EPROTO$|ERR_SSL|ERR_TLS)/u, "the TLS connection failed", { tls: "handshake" }],

  ["socket hang up", "the connection was closed without a response"],
  ["ECONNRESET", "the connection was reset"],
  [/^(?:EPIPE|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/u, "the connection was closed"],
  ["UND_ERR_SOCKET", "the connection was closed before the response was complete"],
  ["ETIMEDOUT", "the connection stopped responding"],
  ["UND_ERR_HEADERS_TIMEOUT", "no response came"],
  ["UND_ERR_BODY_TIMEOUT", "the rest of the response did not come"],
  [
    /^(?:UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE)$/u,
    "the response is incomplete",
  ],
  [
    /^(?:UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW|ResponseHeadersTooLarge)$/u,
    "the headers of the response are too large",
  ],
  // undici asserts what a server may well break, and has no code for most of what it refuses.
  [
    /^(?:HPE_|ERR_ASSERTION$|Malformed_HTTP|InvalidHTTP|InvalidContentLength|UnrequestedUpgrade)|HTTP\/1\.1 protocol/u,
    "the response is not valid HTTP",
  ],
  [/content-encodings/u, "the response is compressed too many times"],
  [/^(?:Z_|ERR__|ERR_BROTLI|ZSTD_|Zlib|Brotli|Zstd)/u, "the compressed response is damaged"],

  ["EMFILE", "this process has too many open files"],
  ["ENFILE", "this machine has too many open files"],
  ["EADDRNOTAVAIL", "this machine has no free port or address"],
  ["ENETDOWN", "the network is down"],
];

/** Reads an error of `fetch` or `node:http`. A request counts as sent unless it certainly was not. */
export function networkFailure(error: unknown): NetworkFailure {
  const refusal = proxyRefusalIn(error);
  if (refusal) {
    const { status, message: reason } = refusal;
    // A failure between proxy and service may pass; a required login or a forbidden host does not.
    const final = status < 500 && status !== 408 && status !== 429;
    return { sent: false, final, connecting: false, reason };
  }
  const { code, syscall, message } = rootOf(error);
  const [, known, facts] = rowOf(code, message) ?? [];
  // ETIMEDOUT and others also occur while the connection is being made: nothing was sent then.
  const isConnecting = syscall === "connect" || syscall === "getaddrinfo";
  const found = { sent: true, final: false, connecting: false, ...facts };
  const isProse = code === "" && message.includes(" ");
  const reason = known ?? (isProse ? message : "the connection failed");
  return {
    ...found,
    ...(isConnecting ? CONNECTING : {}),
    // Most codes say nothing to a reader; those of certificates are looked up.
    reason: found.tls && found.final ? `${reason} (${code})` : reason,
  };
}

function rowOf(code: string, message: string): Row | undefined {
  const of = (text: string) =>
    FAILURES.find(([known]) => (typeof known === "string" ? known === text : known.test(text)));
  // A whole message says more than its code; one that Bun begins with its code does not.
  return FAILURES.find(([known]) => known === message) ?? of(code) ?? of(message);
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

/** A proxy answered in place of the service, which never saw the request. */
export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/** The messages of undici (CONNECT; plain request) and Bun: none has the status as a number. */
const REFUSAL_MESSAGES = [
  /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/u,
  /^Proxy Authentication Required \((407)\)$/u,
  /^Proxy refused to open a tunnel: (\d{3})\b/u,
];

/** Finds a proxy's refusal in an error of `fetch`; `undefined` if the network itself failed. */
export function proxyRefusalIn(error: unknown): ProxyRefusal | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof ProxyRefusal) return current;
    const { message, cause } = current;
    const status = REFUSAL_MESSAGES.map((words) => words.exec(message)?.[1]).find(Boolean);
    if (status !== undefined) return new ProxyRefusal(Number(status));
    current = cause;
  }
  return undefined;
}
