import { type AmpError, AuthError } from "../../../errors.ts";
import type { HttpStateLocation } from "./http-location.ts";
import { refusedError, type StateResponse } from "./send.ts";

/** The error for an answer of a state server that is no success, with a remedy. */
export function httpError(
  { credential }: HttpStateLocation,
  answer: StateResponse,
  action: string,
): AmpError {
  const error = refusedError(answer, action, messageIn(answer));
  if (error instanceof AuthError) return error.setFacts({ remedy: credentialRemedy(credential) });
  // The statuses of an unknown method.
  if (![404, 405, 501].includes(answer.status)) return error;
  return error.setFacts({
    remedy: [
      "The server must support locking. If the lock has its own URL or method, set",
      "AMP_STATE_LOCK_ADDRESS and AMP_STATE_LOCK_METHOD.",
    ].join(" "),
  });
}

function credentialRemedy(credential: HttpStateLocation["credential"]): string {
  if (credential === undefined) return "Set AMP_STATE_USERNAME and AMP_STATE_PASSWORD.";
  if (credential.variable === undefined) {
    return "Check AMP_STATE_USERNAME and AMP_STATE_PASSWORD.";
  }
  return [
    `The credential is ${credential.variable}, with the permissions of the user who started the job:`,
    "saving a state needs the Maintainer role in the project. To use another token, set",
    "AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
  ].join(" ");
}

/** The message of an error in JSON; undefined for any other answer. */
function messageIn({ text }: StateResponse): string | undefined {
  try {
    const { message } = JSON.parse(text);
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
