import type { Api, CallInput, Endpoint } from "../api/operations/endpoint.ts";
import { REDACTED, redactSecrets } from "../secrets/secret.ts";
import { record } from "../view/view.ts";

/** A request that `--dry-run` kept from being sent. */
export interface UnsentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * An API that reads as ever and notes what would be written. What a create would answer is a
 * stand-in whose id says whose it would be, so that the steps that follow can be told too.
 */
export function recordRequests(live: Api): { api: Api; requests: readonly UnsentRequest[] } {
  const requests: UnsentRequest[] = [];
  const note = (method: string, path: string, body: unknown) => {
    requests.push({ method, path, ...(body === undefined ? {} : { body: hideSecrets(body) }) });
  };
  const api: Api = {
    call: async (endpoint: Endpoint, input: CallInput<Endpoint>) => {
      if (endpoint.method === "GET") return live.call(endpoint, input);
      note(endpoint.method, fill(endpoint.path, input.path ?? {}), input.body);
      return { id: `<id of the new ${endpoint.creates ?? "record"}>` };
    },
    list: (endpoint, input) => live.list(endpoint, input),
    raw: async (request) => {
      if (request.method === "GET" || request.method === "HEAD") return live.raw(request);
      note(request.method, request.path, readable(request.body));
      return { status: 204, statusText: "Not sent", headers: [], body: null };
    },
  } as Api;
  return { api, requests };
}

function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** A body of the user's own, as data where it is JSON. */
function readable(body: string | Uint8Array | undefined): unknown {
  const text = typeof body === "object" ? new TextDecoder().decode(body) : body;
  try {
    return JSON.parse(text ?? "null") ?? undefined;
  } catch {
    return text;
  }
}

function hideSecrets(body: unknown): unknown {
  // In metadata, too: an address or a header may open something.
  const clean = redactSecrets(body);
  if (typeof clean !== "object" || clean === null || !("secrets" in clean)) return clean;
  const hidden = Object.keys(clean.secrets ?? {}).map((name) => [name, REDACTED]);
  return { ...clean, secrets: Object.fromEntries(hidden) };
}

/** How a dry run is shown. */
export const dryRunView = record<readonly UnsentRequest[]>(
  (requests) => ({
    title: "Nothing was sent. Without --dry-run this would be:",
    blocks: [
      {
        kind: "command",
        lines: requests.flatMap(({ method, path, body }) => [
          `${method} ${path}`,
          ...(body === undefined ? [] : [`  ${JSON.stringify(body)}`]),
        ]),
      },
    ],
  }),
  () => "",
);
