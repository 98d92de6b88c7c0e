import * as z from "zod";
import { provider } from "../../api/schemas/provider.ts";
import { UsageError } from "../../errors.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";
import { type Operation, throwNotFound } from "../operation.ts";

const catalogueSchema = z.record(z.string(), provider);

/**
 * Reads a provider catalogue: `{"catalog": {name: provider}}`, or the inner object alone.
 * @throws {UsageError} naming the first problem
 */
export function loadCatalogue(text: string): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The provider catalogue is not valid JSON: ${reason}`);
  }
  return Object.fromEntries(readCatalogue(document));
}

/**
 * Checks a parsed catalogue. The providers keep their unknown fields and the order of all fields.
 * @throws {UsageError} naming the first problem
 */
export function readCatalogue(document: unknown): ReadonlyMap<string, unknown> {
  const inner = hasCatalog(document) ? document.catalog : document;
  const read = catalogueSchema.safeParse(inner);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join(".");
    throw new UsageError(
      place
        ? `The provider catalogue is not valid: ${place}: ${schemaIssueText(issue?.message ?? "")}`
        : "The provider catalogue must be an object of providers, keyed by name",
    );
  }
  for (const [key, { name }] of Object.entries(read.data)) {
    if (name !== key) {
      throw new UsageError(
        `The provider catalogue is not valid: ${key}.name is ${JSON.stringify(name)}, not the key`,
      );
    }
  }
  // The schema's output has the fields in another order.
  return new Map(Object.entries(inner as Record<string, unknown>));
}

function hasCatalog(document: unknown): document is { catalog: unknown } {
  return typeof document === "object" && document !== null && "catalog" in document;
}

/** The catalogue. Reading it needs no credential; one that is sent is ignored. */
export const providerOperations: readonly Operation[] = [
  {
    route: "GET /providers/{provider}",
    source: "spec",
    isPublic: true,
    subsystem: "catalogue",
    handle: ({ catalogue, param }) => {
      const name = param("provider");
      return catalogue.get(name) ?? throwNotFound("provider", name);
    },
  },
  {
    route: "GET /providers",
    source: "platform",
    isPublic: true,
    subsystem: "catalogue",
    handle: ({ catalogue }) => Object.fromEntries(catalogue),
  },
];
