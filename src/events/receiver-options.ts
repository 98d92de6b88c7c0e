import { randomBytes } from "node:crypto";
import type { CommandContext } from "../context/command-context.ts";
import { fullUrlRemedy } from "../runtime/loopback.ts";
import { Secret, type SecretReference } from "../secrets/secret.ts";
import { eventErrors } from "./errors.ts";
import { secretProblem } from "./message/signature.ts";

/**
 * Reads the URL of a receiver.
 * @throws {UsageError} unless it is an http or https URL
 */
export function readHttpUrl(typed: string): URL {
  const url = URL.parse(typed);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw eventErrors.receiver_url_invalid(fullUrlRemedy(typed, "http://localhost:3000/amp"));
}

/** Where a signing secret is read from; the command line never has the secret itself. */
export type SecretFrom = SecretReference | { readonly from: "stdin" };

/**
 * Reads `env:VARIABLE`, `@file` or `-`.
 * @throws {UsageError} that does not repeat what was typed, which may be a secret
 */
export function parseSecretFrom(typed: string): SecretFrom {
  if (typed === "-") return { from: "stdin" };
  if (/^@./su.test(typed)) return { from: "file", path: typed.slice(1) };
  const variable = /^env:([A-Za-z_]\w*)$/u.exec(typed)?.[1];
  if (variable !== undefined) return { from: "env", name: variable };
  throw eventErrors.signing_secret_form();
}

/**
 * Reads signing secrets one after the other. They are redacted from then on.
 * @param options `isShown`: they are to be printed, and so they are not redacted
 * @throws {UsageError} where one is not set, empty, or not base64 after `whsec_`
 */
export async function readSigningSecrets(
  all: readonly SecretFrom[],
  { files, report }: Pick<CommandContext, "files" | "report">,
  { isShown = false } = {},
): Promise<string[]> {
  const secrets: string[] = [];
  for (const from of all) {
    // Editors and echo add a line end.
    const text = (await textFrom(from, files)).replace(/\r?\n$/u, "");
    const problem = secretProblem(text);
    if (problem !== undefined) throw eventErrors.signing_secret_invalid(problem);
    if (!text.startsWith("whsec_")) {
      report.warn(
        "The signing secret does not begin with whsec_. It is decoded from base64 as it is; check that it is the right one.",
      );
    }
    if (isShown) Secret.published(text);
    else void (from.from === "stdin" ? new Secret(text) : new Secret(text, from));
    secrets.push(text);
  }
  return secrets;
}

/** A signing secret as it can be typed again; undefined for one that was not given. */
export function secretOption(from: SecretFrom | undefined): string | undefined {
  if (from === undefined) return undefined;
  if (from.from === "stdin") return "-";
  return from.from === "file" ? `@${from.path}` : `env:${from.name}`;
}

async function textFrom(from: SecretFrom, files: CommandContext["files"]): Promise<string> {
  if (from.from === "file") return files.read(from.path);
  if (from.from === "stdin") return files.read("-");
  const value = files.variable(from.name);
  if (value) return value;
  throw eventErrors.signing_secret_unset(from.name);
}

/** Makes a signing secret as the platform makes them. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}
