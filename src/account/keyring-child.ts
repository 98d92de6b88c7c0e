/** A process that runs one operation on the keyring and ends; keyring.ts starts it. */

import { text } from "node:stream/consumers";
import type { KeyringAnswer, KeyringRequest } from "./keyring.ts";

const SERVICE = "amp";

void answer().then((said) => process.stdout.write(JSON.stringify(said)));

async function answer(): Promise<KeyringAnswer> {
  try {
    return await perform(JSON.parse(await text(process.stdin)) as KeyringRequest);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    return { failure: missing ? "its library @napi-rs/keyring is not installed" : message };
  }
}

async function perform({ action, entry: name, text: secret = "" }: KeyringRequest) {
  const { Entry } = await import("@napi-rs/keyring");
  // Without a Secret Service the library would use the kernel's keys, which end with the session.
  const entry = new Entry(SERVICE, name, { linux: { store: "secret-service" } });
  if (action === "write") entry.setPassword(secret);
  else if (action === "remove") entry.deletePassword();
  else return { text: entry.getPassword() ?? undefined } as KeyringAnswer;
  return {};
}
