import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "../build.ts";
import { AuthError } from "../errors.ts";

/** The secrets that the system keeps for its user. Each method throws AuthError where it cannot. */
export interface Keyring {
  /** Undefined where there is no such entry. */
  read(entry: string): Promise<string | undefined>;
  write(entry: string, text: string): Promise<void>;
  /** Does nothing where there is no such entry. */
  remove(entry: string): Promise<void>;
}

/** What the process that talks to the keyring is asked, on its standard input. */
export interface KeyringRequest {
  readonly does: "read" | "write" | "remove";
  readonly entry: string;
  readonly text?: string;
}

/** What it answers. */
export type KeyringAnswer = { readonly text?: string } | { readonly failure: string };

const LIMIT_MS = 3_000;

/**
 * The system's keyring. The library is called in a process of its own: its calls block, and a
 * session bus that does not answer would hold amp until the end of days.
 */
export function systemKeyring(): Keyring {
  return {
    read: async (entry) => (await ask({ does: "read", entry })).text,
    write: async (entry, text) => void (await ask({ does: "write", entry, text })),
    remove: async (entry) => void (await ask({ does: "remove", entry })),
  };
}

/** What is thrown where the keyring cannot be used. `way`: what may make it usable. */
export function keyringError(
  reason: string,
  way = "Unlock it, or start amp in a desktop session; without one,",
): AuthError {
  return new AuthError(`The keyring cannot be used: ${reason}`, {
    remedy: `${way} log in without --secure-storage (under another profile name), or set AMP_API_KEY.`,
  });
}

async function ask(request: KeyringRequest): Promise<{ readonly text?: string }> {
  if (build.kind === "standalone") {
    throw keyringError(
      "the standalone program cannot carry its library; the npm package does",
      "Use the npm package,",
    );
  }
  const script = import.meta.url.endsWith(".ts") ? "keyring-child.ts" : "keyring-child.cjs";
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    stdio: ["pipe", "pipe", "ignore"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    windowsHide: true,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  // One that is killed before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(request));
  const [, signal] = await once(child, "close");
  if (signal !== null) throw keyringError(`it did not answer within ${LIMIT_MS / 1000} s`);
  const answer = parse(said);
  if ("failure" in answer) throw keyringError(answer.failure);
  return answer;
}

function parse(said: string): KeyringAnswer {
  try {
    return JSON.parse(said) as KeyringAnswer;
  } catch {
    return { failure: "its process ended without an answer" };
  }
}
