import type { Api, CallInput, Endpoint } from "../api/operations/endpoint.ts";
import { REDACTED, redactSecrets } from "../secrets/secret.ts";
import { isWrite } from "../values/is-write.ts";
import { record } from "../view/view.ts";

/** A request that `--dry-run` did not send. */
export interface UnsentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/**
 * An API that reads as usual and records the writes instead of sending them. A create answers with
 * a placeholder ID, so that the requests that depend on it can be recorded too.
 */
export function recordRequests(live: Api): { api: Api; requests: readonly UnsentRequest[] } {
  const requests: UnsentRequest[] = [];
  const note = (method: string, path: string, body: unknown) => {
    requests.push({ method, path, ...(body === undefined ? {} : { body: hideSecrets(body) }) });
  };
  const api: Api = {
    call: async (endpoint: Endpoint, input: CallInput<Endpoint>) => {
      const query = new URLSearchParams(input.query as Record<string, string>).toString();
      const path = fill(endpoint.path, input.path ?? {}) + (query === "" ? "" : `?${query}`);
      if (!isWrite(endpoint.method, path)) return live.call(endpoint, input);
      note(endpoint.method, path, input.body);
      return { id: `<id of the new ${endpoint.creates ?? "record"}>` };
    },
    list: (endpoint, input) => live.list(endpoint, input),
    raw: async (request) => {
      if (!isWrite(request.method, request.path)) return live.raw(request);
      note(request.method, request.path, readable(request.body));
      return { status: 204, statusText: "Not sent", headers: [], body: null };
    },
  } as Api;
  return { api, requests };
}

function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** A body that the user gave, parsed if it is JSON. */
function readable(body: string | Uint8Array | undefined): unknown {
  const text = typeof body === "object" ? new TextDecoder().decode(body) : body;
  try {
    return JSON.parse(text ?? "null") ?? undefined;
  } catch {
    return text;
  }
}

function hideSecrets(body: unknown): unknown {
  // Metadata is redacted too: an address or a header may contain a credential.
  const clean = redactSecrets(body);
  if (typeof clean !== "object" || clean === null || !("secrets" in clean)) return clean;
  const hidden = Object.keys(clean.secrets ?? {}).map((name) => [name, REDACTED]);
  return { ...clean, secrets: Object.fromEntries(hidden) };
}

/** The page of a dry run. */
export const dryRunView = record<readonly UnsentRequest[]>(
  (requests) => ({
    title: "Dry run: nothing was sent. These requests would be sent:",
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
