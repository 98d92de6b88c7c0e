import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { AuthError } from "../errors.ts";
import { build } from "../runtime/build.ts";
import { jsonOf } from "../values/json.ts";
import { accountErrors } from "./errors.ts";
import { readKeyringEntry } from "./files.ts";
import type { StoredCredential } from "./profiles.ts";

/** The system's keyring of the user. Each method throws AuthError if the keyring cannot be used. */
export interface Keyring {
  /** Reads an entry; undefined if there is none. */
  read(entry: string): Promise<string | undefined>;
  write(entry: string, text: string): Promise<void>;
  /** Removes an entry, if there is one. */
  remove(entry: string): Promise<void>;
}

/** The request to the process that talks to the keyring, on its standard input. */
export interface KeyringRequest {
  readonly action: "read" | "write" | "remove";
  readonly entry: string;
  readonly text?: string;
}

/** The answer of that process, on its standard output. */
export type KeyringAnswer = { readonly text?: string } | { readonly failure: string };

const TIMEOUT_MS = 3_000;

/**
 * Opens the system's keyring. A process of its own calls the library: the calls block, and a
 * session bus that does not answer would block amp for ever.
 */
export function systemKeyring(): Keyring {
  return {
    read: async (entry) => (await runKeyringChild({ action: "read", entry })).text,
    write: async (entry, text) => void (await runKeyringChild({ action: "write", entry, text })),
    remove: async (entry) => void (await runKeyringChild({ action: "remove", entry })),
  };
}

async function runKeyringChild(request: KeyringRequest): Promise<{ readonly text?: string }> {
  if (build.kind === "standalone") {
    throw accountErrors.keyring_unusable(
      "the standalone binary does not support it",
      "Use the npm package.",
    );
  }
  const script = import.meta.url.endsWith(".ts") ? "keyring-child.ts" : "keyring-child.cjs";
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    stdio: ["pipe", "pipe", "ignore"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    windowsHide: true,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  // The process may be killed before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(request));
  const [, signal] = await once(child, "close").catch((error: Error) => {
    throw accountErrors.keyring_unusable(error.message);
  });
  if (signal !== null)
    throw accountErrors.keyring_unusable(`it did not answer within ${TIMEOUT_MS / 1000} s`);
  const answer = (jsonOf(said) ?? {
    failure: "its process ended without a result",
  }) as KeyringAnswer;
  if ("failure" in answer) throw accountErrors.keyring_unusable(answer.failure);
  return answer;
}

/**
 * Writes a secret to the keyring, with the origin that it is bound to, and reads it back: some
 * keyrings accept entries that they do not return.
 * @returns the name of the new entry; an earlier entry stays until the profile no longer names it
 * @throws {AuthError} if the keyring does not keep it
 */
export async function saveInKeyring(
  keyring: Keyring,
  { kind, secret, origin, readOrigin }: StoredCredential,
): Promise<string> {
  const entry = randomUUID();
  const text = JSON.stringify({ kind, secret: secret.reveal(), origin, readOrigin });
  let written = false;
  try {
    await keyring.write(entry, text);
    written = true;
    if ((await keyring.read(entry)) === text) return entry;
    throw accountErrors.keyring_unusable("it did not return the saved secret");
  } catch (error) {
    // A keyring that refused the write would only take time again.
    if (written) await keyring.remove(entry).catch(() => {});
    throw error instanceof AuthError ? error.setFacts({ done: "Nothing was saved." }) : error;
  }
}

/** @throws {AuthError} if the keyring has no such entry, or cannot be read */
export async function readFromKeyring(keyring: Keyring, entry: string): Promise<StoredCredential> {
  const text = await keyring.read(entry);
  if (text === undefined) throw accountErrors.keyring_entry_gone();
  return readKeyringEntry(`amp/${entry}`, text);
}
