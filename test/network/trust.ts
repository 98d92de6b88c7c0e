import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { certificateFor, createAuthority, type Identity } from "./certificates.ts";

/** A server's certificate, and the environment of a machine that trusts who signed it. */
export interface Trust {
  readonly identity: Identity;
  readonly env: { readonly NODE_EXTRA_CA_CERTS: string };
}

/** Makes an authority of its own; its file goes with the test. */
export async function createTrust(hosts: readonly string[]): Promise<Trust> {
  const authority = await createAuthority();
  return {
    identity: await certificateFor({ hosts, by: authority }),
    env: { NODE_EXTRA_CA_CERTS: writePem(authority) },
  };
}

/** Writes a certificate to a file that goes with the test. */
export function writePem({ cert }: Identity): string {
  const folder = temporaryFolder();
  const path = join(folder, "authority.pem");
  writeFileSync(path, cert);
  return path;
}
