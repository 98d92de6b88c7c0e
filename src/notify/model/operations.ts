import type { Api, Endpoint, ListResult, WriteInput } from "../../api/operations/endpoint.ts";
import { AmpError, type ErrorFacts } from "../../errors.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { mapList } from "../../values/batches.ts";
import { isJsonObject } from "../../values/json.ts";
import { changeCopyAndOriginal, oddFieldsOf } from "../../values/odd-fields.ts";
import { splitField } from "./address.ts";
import { type Metadata, withValueAt } from "./metadata.ts";
import { type LiveRecord, type ProjectPath, RESOURCES, type ResourceKind } from "./resource.ts";
import type { ResourceBody } from "./routing.ts";

/** A project of a service. */
export interface ProjectApi {
  readonly api: Api;
  readonly project: string;
}

/**
 * Sends the request that creates a resource; an error never contains its secrets.
 * @param body the body, with its secrets still hidden
 */
export async function createResource(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  body: ResourceBody,
  input: WriteInput = {},
): Promise<LiveRecord> {
  // The endpoint's own schema describes the body of its kind.
  const endpoint: Endpoint<ProjectPath, string, Record<string, unknown>, LiveRecord> = RESOURCES[
    kind
  ].create;
  const path = { projectIdOrName: project };
  const send = (sent: Record<string, unknown>) =>
    api.call(endpoint, { path, body: sent, ...input });
  return readable(kind, await withSecrets(kind, body, send));
}

/** Sends a body with its secrets, which no message of amp contains, nor that of a refusal. */
async function withSecrets<Answer>(
  kind: ResourceKind,
  body: ResourceBody,
  send: (revealed: Record<string, unknown>) => Promise<Answer>,
): Promise<Answer> {
  RESOURCES[kind].registerSecrets?.(body);
  try {
    return await send(revealed(body));
  } catch (error) {
    throw error instanceof AmpError ? error.setFacts(withoutSecretValues(error.facts)) : error;
  }
}

/** What a failed create made all the same: its ID, or null where its answer has none. */
export function createdFacts({ facts }: AmpError) {
  return facts.data?.created as { readonly id?: string | null } | undefined;
}

/**
 * The body as it is sent. Only here do the values of `secrets` enter a body; those of variables in
 * metadata do so where the metadata is read.
 */
function revealed({ secrets = {}, ...body }: ResourceBody): Record<string, unknown> {
  const entries = Object.entries(secrets);
  // A server of the specification alone has no field `secrets`: it is not sent when empty.
  if (entries.length === 0) return body;
  return { ...body, secrets: Object.fromEntries(entries.map(([key, one]) => [key, one.reveal()])) };
}

/** The facts without the values of secret fields, also of those too short to be registered. */
function withoutSecretValues(facts: ErrorFacts): ErrorFacts {
  if (facts.issues === undefined) return facts;
  const issues = facts.issues.map((issue) =>
    issue.value !== undefined && /^(?:\w+\.)?secrets\b/u.test(issue.name ?? "")
      ? { ...issue, value: REDACTED }
      : issue,
  );
  return { ...facts, issues };
}

/**
 * Changes fields of the resource with an ID.
 * @param fields the paths of the fields, such as `name` or `metadata.url`
 * @param body the body that would create the resource, with its secrets still hidden
 * @returns what the service answered, which may be anything
 */
export async function updateResource(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  id: string,
  { fields, body }: { readonly fields: readonly string[]; readonly body: ResourceBody },
  input: WriteInput = {},
): Promise<unknown> {
  const { update, updateIn } = RESOURCES[kind];
  if (update === undefined) throw new Error(`a ${kind} has no update`);
  const endpoint: Endpoint<ProjectPath, string, Record<string, unknown>> = update;
  const path = { projectIdOrName: project, [idNameOf(endpoint)]: id };
  return withSecrets(kind, body, (whole) => {
    const record = onlyFields(whole, fields);
    const sent = updateIn === undefined ? record : { updateMask: fields, [updateIn]: record };
    return api.call(endpoint, { path, body: sent, ...input });
  });
}

function onlyFields(body: Record<string, unknown>, fields: readonly string[]) {
  return fields.reduce<Metadata>((record, field) => {
    const { part, key } = splitField(field);
    const below = body[part];
    if (key === undefined) return withValueAt(record, [part], below);
    return withValueAt(record, [part, key], isJsonObject(below) ? below[key] : undefined);
  }, {});
}

/** The name of the ID in a path: each kind has its own, the last parameter. */
function idNameOf({ path }: Pick<Endpoint, "path">): string {
  return /\{(\w+)\}$/u.exec(path)?.[1] ?? "";
}

/**
 * Deletes the resource with an ID.
 * @param options `notRepeatable`: the request is not sent again once it may have taken effect
 */
export async function deleteResource(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  id: string,
  { notRepeatable = false } = {},
): Promise<void> {
  const endpoint = { ...RESOURCES[kind].delete, notRepeatable };
  await api.call(endpoint, { path: { projectIdOrName: project, [idNameOf(endpoint)]: id } });
}

/** All resources of a kind, in memory. */
export async function listResources(
  { api, project }: ProjectApi,
  kind: ResourceKind,
): Promise<readonly LiveRecord[]> {
  const records = await api.call(RESOURCES[kind].list, { path: { projectIdOrName: project } });
  return records.map((record) => readable(kind, record));
}

/** A record without the fields of its key, and the ID, that are not text. */
function readable(kind: ResourceKind, record: LiveRecord): LiveRecord {
  const unreadable = new Set(
    oddFieldsOf(record)
      // A text that is made of an object identifies nothing; a number may be a name.
      .filter(({ value }) => typeof value === "object" || typeof value === "boolean")
      .map(({ path }) => path),
  );
  const left = RESOURCES[kind].key.filter(({ field }) => unreadable.has(field));
  if (left.length === 0 && !unreadable.has("id")) return record;
  const none = {
    ...Object.fromEntries(left.map(({ field }) => [field, undefined])),
    ...(unreadable.has("id") ? { id: "" } : {}),
  };
  return changeCopyAndOriginal(record, (one) => ({ ...one, ...none }));
}

/** The resources of a kind as they arrive, with credentials hidden: for commands. */
export async function listForDisplay(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ListResult<LiveRecord>> {
  const { list, redact } = RESOURCES[kind];
  const listed = await api.list(list, { path: { projectIdOrName: project }, query });
  return redact === undefined
    ? listed
    : mapList(listed, (record) => changeCopyAndOriginal(record, redact));
}
