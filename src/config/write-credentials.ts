import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { CREDENTIALS_VERSION, credentialsPath, type StoredCredential } from "./credentials.ts";
import { fileError } from "./file-error.ts";

/**
 * Writes the secrets, 0600, and removes what a killed writer may have left of older ones. Only for
 * the holder of the folder's lock.
 * @throws {UsageError} where the file cannot be written; the old one is in its place then
 */
export async function writeCredentials(
  folder: string,
  credentials: ReadonlyMap<string, StoredCredential>,
): Promise<void> {
  const path = credentialsPath(folder);
  const revealed = [...credentials].map(
    ([name, { kind, secret, origin }]) =>
      [name, { kind, secret: secret.reveal(), origin }] as const,
  );
  const file = { version: CREDENTIALS_VERSION, credentials: Object.fromEntries(revealed) };
  try {
    await writeFileDurably(path, `${JSON.stringify(file, undefined, 2)}\n`);
    await removeLeftovers(path);
  } catch (error) {
    throw fileError("write", path, error);
  }
}
