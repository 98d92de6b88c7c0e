import { SANDBOX_ACCESS_TOKEN, SANDBOX_API_KEY } from "./defaults.ts";
import { Refusal } from "./refusal.ts";

/** @throws {Refusal} unless exactly one credential is presented, and is the sandbox's own */
export function checkCredential(headers: Headers): void {
  const apiKey = headers.get("x-api-key");
  const authorization = headers.get("authorization");
  if (apiKey !== null && authorization !== null) throw ambiguous();
  if (apiKey === SANDBOX_API_KEY) return;
  if (authorization !== null && bearer(authorization) === SANDBOX_ACCESS_TOKEN) return;
  throw new Refusal("unauthenticated", reason(apiKey, authorization), {
    headers: { "www-authenticate": 'Bearer realm="amp sandbox"' },
  });
}

function bearer(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1];
}

function reason(apiKey: string | null, authorization: string | null): string {
  if (apiKey !== null) return "The API key is not the sandbox's.";
  if (authorization === null) return "The request carries no credential.";
  return bearer(authorization) === undefined
    ? "The Authorization header holds no bearer token."
    : "The access token is not the sandbox's.";
}

function ambiguous(): Refusal {
  // It may be a real one for somewhere else: it is not sent back.
  const value = "(not repeated)";
  const detail = "a request presents one credential";
  return new Refusal("ambiguous-credential", "The request carries an API key and a token.", {
    issues: [
      { in: "header", name: "X-Api-Key", value, detail },
      { in: "header", name: "Authorization", value, detail },
    ],
  });
}
