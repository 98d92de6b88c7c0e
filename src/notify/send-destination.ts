import type { Api } from "../api/api.ts";
import type { CreateInput } from "../api/endpoint.ts";
import { createDestination } from "../api/endpoints.ts";
import type { CreateDestination, Destination } from "../api/schemas/notification.ts";
import { AmpError, type ErrorFacts } from "../errors.ts";
import { REDACTED } from "../secret.ts";
import type { DestinationContent } from "./destination-input.ts";
import { learnMetadata } from "./learn-metadata.ts";

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
  learnMetadata(destination.type, destination.metadata);
  try {
    return await api.call(createDestination, {
      path: { projectIdOrName: project },
      body: bodyOf(destination),
      ...more,
    });
  } catch (error) {
    throw error instanceof AmpError ? error.with(scrubbed(error.facts)) : error;
  }
}

function bodyOf({ name, type, metadata, secrets }: NamedDestination): CreateDestination {
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
function scrubbed(facts: ErrorFacts): ErrorFacts {
  if (facts.issues === undefined) return facts;
  const issues = facts.issues.map((issue) =>
    issue.value !== undefined && /^secrets\b/u.test(issue.name ?? "")
      ? { ...issue, value: REDACTED }
      : issue,
  );
  return { ...facts, issues };
}
