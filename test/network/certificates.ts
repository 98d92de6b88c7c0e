import { randomUUID } from "node:crypto";
import { generate } from "selfsigned";

/** A key and the certificate for it, as PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** What a certificate says; by default it is good for a year, and signed by itself. */
export interface Wish {
  readonly hosts: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly by?: Identity;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** Makes the certificate of a server. */
export async function certificateFor({ hosts, from, to, by }: Wish): Promise<Identity> {
  const made = await generate([{ name: "commonName", value: hosts[0] ?? "" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: from === undefined ? new Date(Date.now() - YEAR_MS) : new Date(from),
    notAfterDate: to === undefined ? new Date(Date.now() + YEAR_MS) : new Date(to),
    extensions: [{ name: "subjectAltName", altNames: hosts.map(altNameOf) }],
    ...(by === undefined ? {} : { ca: by }),
  });
  return { key: made.private, cert: made.cert };
}

/** Makes an authority that signs others. */
export async function createAuthority(): Promise<Identity> {
  // By its name it is told from others.
  const value = `An authority of a test ${randomUUID()}`;
  const made = await generate([{ name: "commonName", value }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

function altNameOf(host: string) {
  return /^[\d.]+$/u.test(host)
    ? { type: 7 as const, ip: host }
    : { type: 2 as const, value: host };
}
