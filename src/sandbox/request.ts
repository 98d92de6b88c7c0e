import { isLocalName, isLoopback } from "../runtime/loopback.ts";
import { readWithin } from "../values/basics.ts";
import { SANDBOX_ACCESS_TOKEN, SANDBOX_API_KEY } from "./defaults.ts";
import { invalidInput, Refusal } from "./problem.ts";

/**
 * Checks the credential of a request.
 * @throws {Refusal} unless the request has exactly one credential, the sandbox's own
 */
export function assertCredential(headers: Headers): void {
  const apiKey = headers.get("x-api-key");
  const authorization = headers.get("authorization");
  if (apiKey !== null && authorization !== null) throw twoCredentials();
  const token = /^Bearer +(\S+)$/iu.exec(authorization ?? "")?.[1];
  if (apiKey === SANDBOX_API_KEY || token === SANDBOX_ACCESS_TOKEN) return;
  let detail = "The request has no credential.";
  if (apiKey !== null) detail = "The API key is not valid for this sandbox.";
  else if (token !== undefined) detail = "The access token is not valid for this sandbox.";
  else if (authorization !== null) detail = "The Authorization header has no bearer token.";
  throw new Refusal("unauthenticated", detail, {
    headers: { "www-authenticate": 'Bearer realm="amp sandbox"' },
  });
}

function twoCredentials(): Refusal {
  // The values are not sent back: they may be credentials of another service.
  const value = "(not repeated)";
  const detail = "send only one credential";
  return new Refusal("ambiguous-credential", "The request has an API key and a token.", {
    issues: [
      { in: "header", name: "X-Api-Key", value, detail },
      { in: "header", name: "Authorization", value, detail },
    ],
  });
}

/**
 * Keeps web pages out: a page whose name its owner points at this machine (DNS rebinding) sends
 * that name as Host, and a page of another origin sends its Origin.
 * @param listening the host that the sandbox listens on
 * @throws {Refusal} 403
 */
export function assertLocalClient(headers: Headers, listening: string): void {
  const host = hostName(`http://${headers.get("host") ?? "localhost"}`);
  if (host === undefined || !(isLocalName(host) || host === listening.toLowerCase())) {
    throw foreign("Host", headers.get("host"), "is not a name of this machine");
  }
  const origin = headers.get("origin");
  const from = origin === null ? "localhost" : hostName(origin);
  if (from !== undefined && (isLoopback(from) || from === host)) return;
  throw foreign("Origin", origin, "is not this machine");
}

function hostName(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function foreign(name: string, value: string | null, detail: string): Refusal {
  return new Refusal("foreign-origin", `The ${name} header ${detail}.`, {
    issues: [{ in: "header", name, value, detail }],
  });
}

const MAX_BODY_BYTES = 1_000_000;

/**
 * Checks the content type of a request.
 * @throws {Refusal} 415 unless the header says JSON
 */
export function assertJsonContent(value: string | null): void {
  const type = value?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new Refusal("unsupported-media-type", "The body must be application/json.", {
    issues: [{ in: "header", name: "Content-Type", value, detail: "must be application/json" }],
  });
}

/**
 * Reads the body's bytes. hono's own limit does not work here: it builds a new Request around the
 * adapter's, which Node's constructor refuses unless the adapter replaces the global one.
 * @throws {Refusal} 413 as soon as there are too many
 */
export async function readBytes({ headers, body }: Request): Promise<Uint8Array> {
  const isTooLarge = Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES;
  const bytes = isTooLarge ? undefined : await readWithin(body ?? [], MAX_BODY_BYTES);
  if (bytes === undefined) {
    throw new Refusal("too-large", `The body has more than ${MAX_BODY_BYTES} bytes.`);
  }
  return bytes;
}

/**
 * Parses a body.
 * @throws {Refusal} 400 unless the bytes are JSON, and not nested too deeply
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (depthOf(text) > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} levels`);
    return JSON.parse(text);
  } catch (error) {
    const detail =
      bytes.byteLength === 0
        ? "must not be empty"
        : `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw invalidInput([{ in: "body", name: "body", value: null, detail }], "malformed-request");
  }
}

/** Deeper bodies would overflow the stack of what reads them; no body of the API comes near. */
const MAX_DEPTH = 100;

/** The deepest nesting of a JSON text, found without reading it recursively. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gsu)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
