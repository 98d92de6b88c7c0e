/** What is wrong with a certificate, and what to do about it. */
export interface TlsFailure {
  /** As the end of a sentence. */
  readonly reason: string;
  readonly remedy: string;
}

const OWN_AUTHORITY =
  "If that is as it should be, set NODE_EXTRA_CA_CERTS=FILE.pem, a file with the authority that signed it.";
const UNKNOWN = {
  reason: "its TLS certificate is signed by an authority that this machine does not know",
  remedy: OWN_AUTHORITY,
};
const NO_TLS = {
  reason: "it does not answer with TLS",
  remedy: "Check host and port of the address: this one may be for http.",
};

const FAILURES: Readonly<Record<string, TlsFailure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: "its TLS certificate is self-signed",
    remedy:
      "If that is as it should be, set NODE_EXTRA_CA_CERTS=FILE.pem, a file with this certificate.",
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN,
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
const REFUSED =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH|HOSTNAME_MISMATCH|INVALID_CA)/u;

/** What a code of Node, OpenSSL or Bun says; undefined for one that is not about certificates. */
export function tlsFailure(code: string): TlsFailure | undefined {
  if (!REFUSED.test(code)) return undefined;
  const { reason, remedy } = FAILURES[code] ?? {
    reason: "its TLS certificate is not accepted",
    remedy: OWN_AUTHORITY,
  };
  return { reason: `${reason} (${code})`, remedy };
}
