import type { Api, CreateInput, Endpoint, ListResult } from "../../api/operations/endpoint.ts";
import { AmpError, type ErrorFacts } from "../../errors.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { changeBoth } from "../../values/odd-fields.ts";
import { type LiveRecord, type ProjectPath, RESOURCES, type ResourceKind } from "./resource.ts";
import type { ResourceBody } from "./routing.ts";

/** A project of a service. */
export interface ProjectApi {
  readonly api: Api;
  readonly project: string;
}

/**
 * Sends the one request that creates a resource: the one place where secrets are revealed, and none
 * comes back in an error.
 * @param body its secrets, where it has any, still hidden
 */
export async function createResource(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  body: ResourceBody,
  input: CreateInput = {},
): Promise<LiveRecord> {
  const { create, registerSecrets } = RESOURCES[kind];
  // The endpoint's own schema says what the body of its kind is.
  const endpoint: Endpoint<ProjectPath, string, Record<string, unknown>, LiveRecord> = create;
  registerSecrets?.(body);
  const path = { projectIdOrName: project };
  try {
    return await api.call(endpoint, { path, body: revealed(body), ...input });
  } catch (error) {
    throw error instanceof AmpError ? error.with(withoutSecretValues(error.facts)) : error;
  }
}

function revealed({ secrets = {}, ...body }: ResourceBody): Record<string, unknown> {
  const entries = Object.entries(secrets);
  // A server of the specification alone knows no `secrets`: without any, the field is not sent.
  if (entries.length === 0) return body;
  return { ...body, secrets: Object.fromEntries(entries.map(([key, one]) => [key, one.reveal()])) };
}

/** Even a secret that is too short to be registered is hidden where it is named as one. */
function withoutSecretValues(facts: ErrorFacts): ErrorFacts {
  if (facts.issues === undefined) return facts;
  const issues = facts.issues.map((issue) =>
    issue.value !== undefined && /^secrets\b/u.test(issue.name ?? "")
      ? { ...issue, value: REDACTED }
      : issue,
  );
  return { ...facts, issues };
}

/** Deletes the resource with an ID. */
export async function deleteResource(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  id: string,
): Promise<void> {
  const endpoint = RESOURCES[kind].delete;
  // Each kind has a name of its own for the ID, the last one of its path.
  const idName = /\{(\w+)\}$/u.exec(endpoint.path)?.[1] ?? "";
  await api.call(endpoint, { path: { projectIdOrName: project, [idName]: id } });
}

/** All resources of a kind, in memory. */
export function listResources(
  { api, project }: ProjectApi,
  kind: ResourceKind,
): Promise<readonly LiveRecord[]> {
  return api.call(RESOURCES[kind].list, { path: { projectIdOrName: project } });
}

/** The resources of a kind as they come, with what opens something hidden: for commands. */
export async function listForDisplay(
  { api, project }: ProjectApi,
  kind: ResourceKind,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ListResult<LiveRecord>> {
  const { list, redact } = RESOURCES[kind];
  const listed = await api.list(list, { path: { projectIdOrName: project }, query });
  return redact === undefined ? listed : mapped(listed, (record) => changeBoth(record, redact));
}

function mapped<Item>(list: ListResult<Item>, change: (item: Item) => Item): ListResult<Item> {
  return Symbol.asyncIterator in list ? mappedBatches(list, change) : list.map(change);
}

async function* mappedBatches<Item>(
  list: AsyncIterable<readonly Item[]>,
  change: (item: Item) => Item,
): AsyncGenerator<readonly Item[]> {
  for await (const batch of list) yield batch.map(change);
}
