import { randomUUID } from "node:crypto";
import { AuthError } from "../errors.ts";
import { Secret } from "../secret.ts";
import { CREDENTIAL_KINDS } from "../settings.ts";
import type { StoredCredential } from "./credentials.ts";
import { fieldsAt, neededTextAt, oneOfAt } from "./file-shape.ts";
import { parseJsonText } from "./json-text.ts";
import { type Keyring, keyringError } from "./keyring.ts";

/**
 * Puts a secret into the keyring, with the origin that it is bound to, and reads it back: some
 * keyrings take what they cannot give.
 * @returns the name of its entry; a new one, so that the one before stays until it is replaced
 * @throws {AuthError} where the keyring does not keep it
 */
export async function saveInKeyring(
  keyring: Keyring,
  { kind, secret, origin }: StoredCredential,
): Promise<string> {
  const entry = randomUUID();
  const text = JSON.stringify({ kind, secret: secret.reveal(), origin });
  let written = false;
  try {
    await keyring.write(entry, text);
    written = true;
    if ((await keyring.read(entry)) === text) return entry;
    throw keyringError("it does not give back what it was given");
  } catch (error) {
    // One that did not take it would only keep its user waiting once more.
    if (written) await keyring.remove(entry).catch(() => {});
    throw error instanceof AuthError ? error.with({ done: "Nothing was saved." }) : error;
  }
}

/** @throws {AuthError} where the keyring has no such entry, or cannot be read */
export async function readFromKeyring(keyring: Keyring, entry: string): Promise<StoredCredential> {
  const text = await keyring.read(entry);
  if (text === undefined) {
    throw new AuthError("The keyring holds the secret of this profile no more", {
      suggestion: "amp auth login --secure-storage",
    });
  }
  const where = `The keyring's entry amp/${entry}`;
  const fields = fieldsAt(where, "it", parseJsonText(text, where));
  return {
    kind: oneOfAt(where, "kind", fields.kind, CREDENTIAL_KINDS),
    secret: new Secret(neededTextAt(where, "secret", fields.secret)),
    origin: neededTextAt(where, "origin", fields.origin),
  };
}
