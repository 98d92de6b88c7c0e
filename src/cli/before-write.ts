import type { Api, CallInput, Endpoint } from "../api/operations/endpoint.ts";
import type { Context } from "../context/context.ts";
import type { Io } from "../io.ts";
import { REDACTED, redactSecrets } from "../secrets/secret.ts";
import { SETTINGS } from "../settings.ts";
import { filledPath } from "../values/basics.ts";
import { jsonOf } from "../values/json.ts";
import { isWrite } from "../values/writes.ts";
import { record } from "../view/view.ts";
import { cliErrors } from "./errors.ts";
import type { Invocation, ReadParams } from "./read-params.ts";

/**
 * Does what comes before a write: shows the target and checks the guards. Reads pass.
 * @returns whether the call writes, and whether it is a dry run
 */
export async function beforeWrite(
  context: Context,
  invocation: Invocation,
  read: ReadParams & { readonly project: string | undefined },
): Promise<{ readonly writes: boolean; readonly dryRun: boolean }> {
  const { command, typedOptions } = invocation;
  const writes = command.effect === "write" && (command.writes?.(read, context) ?? true);
  const dryRun = writes && typedOptions.dryRun === true;
  refuseInCase(context.environment.env, invocation, writes && !dryRun);
  if (writes) context.report.notice(await targetLine(context, read.project));
  if (writes && !dryRun) await context.guard.check(context.api, read.project);
  return { writes, dryRun };
}

async function targetLine(
  { target, profiles, guard, environment }: Context,
  project: string | undefined,
): Promise<string> {
  const file = environment.env[SETTINGS.case.env];
  if (file) return `In the case ${file}${project === undefined ? "" : ` · project ${project}`}`;
  const { profile, baseUrl } = target();
  // A shadowed profile still supplies defaults, but its name is not shown.
  const credential = await profiles.credentials.ofService();
  const who = credential.kind === "none" ? profile : (credential.profile ?? credential.source);
  const guards = guard.labels();
  const name = `${who ?? "no credential"}${guards.profile ? ` (${guards.profile})` : ""}`;
  const parts = [name, project && `project ${project}`, guards.project, baseUrl];
  return `Acting as ${parts.filter(Boolean).join(" · ")}`;
}

/**
 * Refuses what a case cannot do, before anything is read or asked.
 * @throws {RejectedError} for a write
 * @throws {UsageError} for another service
 */
function refuseInCase(
  env: Io["env"],
  { path, target }: Pick<Invocation, "path" | "target">,
  writes: boolean,
): void {
  const file = env[SETTINGS.case.env];
  if (!file) return;
  if (target.baseUrl !== undefined) throw cliErrors.case_base_url(file);
  if (path === "auth login") throw cliErrors.case_login(file);
  if (!writes) return;
  throw cliErrors.case_read_only(path, file);
}

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
      const path = filledPath(endpoint.path, input.path ?? {}) + (query === "" ? "" : `?${query}`);
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

/** A body that the user gave, parsed if it is JSON. */
function readable(body: string | Uint8Array | undefined): unknown {
  const text = typeof body === "object" ? new TextDecoder().decode(body) : body;
  const value = jsonOf(text ?? "null");
  return value === undefined ? text : (value ?? undefined);
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
