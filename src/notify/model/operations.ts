import type { Api, CreateInput } from "../../api/operations/endpoint.ts";
import {
  createDestination,
  createDestinationRoute,
  createEventRoute,
  createTopic,
} from "../../api/operations/endpoints.ts";
import type { CreateDestination, Destination } from "../../api/schemas/notification.ts";
import { AmpError, type ErrorFacts } from "../../errors.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { type Address, destinationAddress, topicAddress } from "./address.ts";
import type { DestinationContent } from "./destination-input.ts";
import { registerMetadataSecrets } from "./metadata.ts";
import type { Resource, ResourceKind } from "./resource.ts";

/** What the service answered to a create: at least an id. */
export type CreatedRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Where steps are taken, and the ids of what their routes connect. */
export interface CreateContext {
  readonly api: Api;
  readonly project: string;
  readonly ids: ReadonlyMap<Address, string>;
  /** What goes with the request. */
  readonly more?: CreateInput;
}

type ResourceOf<Kind extends ResourceKind> = Extract<Resource, { kind: Kind }>;

/** Sends the one request of a step. */
export function sendCreate(step: Resource, place: CreateContext): Promise<CreatedRecord> {
  // The table pairs each kind with its own function; the compiler cannot follow that through.
  return (SENDERS[step.kind] as (step: Resource, place: CreateContext) => Promise<CreatedRecord>)(
    step,
    place,
  );
}

const SENDERS: {
  [Kind in ResourceKind]: (step: ResourceOf<Kind>, place: CreateContext) => Promise<CreatedRecord>;
} = {
  destination: ({ name, part }, place) => sendDestination(place, { ...part, name }),
  topic: ({ name }, { api, project, more }) =>
    api.call(createTopic, { path: { projectIdOrName: project }, body: { name }, ...more }),
  "event-route": ({ topic, event }, { api, project, ids, more }) =>
    api.call(createEventRoute, {
      path: { projectIdOrName: project },
      body: { topicId: requiredId(ids, topicAddress(topic)), eventType: event },
      ...more,
    }),
  "destination-route": ({ topic, destination }, { api, project, ids, more }) =>
    api.call(createDestinationRoute, {
      path: { projectIdOrName: project },
      body: {
        topicId: requiredId(ids, topicAddress(topic)),
        destinationId: requiredId(ids, destinationAddress(destination)),
      },
      ...more,
    }),
};

function requiredId(ids: ReadonlyMap<Address, string>, address: Address): string {
  const id = ids.get(address);
  if (id === undefined) throw new Error(`${address} has no id yet`);
  return id;
}

/** A destination to be created. */
export interface NamedDestination extends DestinationContent {
  readonly name: string;
  readonly type: string;
}

/** Creates a destination: the one place where secrets come out, and none comes back in an error. */
export async function sendDestination(
  {
    api,
    project,
    more,
  }: { readonly api: Api; readonly project: string; readonly more?: CreateInput },
  destination: NamedDestination,
): Promise<Destination> {
  registerMetadataSecrets(destination.type, destination.metadata);
  try {
    return await api.call(createDestination, {
      path: { projectIdOrName: project },
      body: destinationBody(destination),
      ...more,
    });
  } catch (error) {
    throw error instanceof AmpError ? error.with(withoutSecretValues(error.facts)) : error;
  }
}

function destinationBody({ name, type, metadata, secrets }: NamedDestination): CreateDestination {
  const entries = Object.entries(secrets);
  const body = { name, type, metadata };
  // A server of the spec alone knows no `secrets`: without any, the field is not sent.
  if (entries.length === 0) return body;
  return {
    ...body,
    secrets: Object.fromEntries(entries.map(([key, secret]) => [key, secret.reveal()])),
  };
}

/** Even a secret that is too short to be told from a word is none to show where it is named as one. */
function withoutSecretValues(facts: ErrorFacts): ErrorFacts {
  if (facts.issues === undefined) return facts;
  const issues = facts.issues.map((issue) =>
    issue.value !== undefined && /^secrets\b/u.test(issue.name ?? "")
      ? { ...issue, value: REDACTED }
      : issue,
  );
  return { ...facts, issues };
}
