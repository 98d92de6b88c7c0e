import * as z from "zod";
import { provider } from "../api/schemas/provider.ts";
import { UsageError } from "../errors.ts";
import { misfitText } from "../misfit.ts";

const catalogueSchema = z.record(z.string(), provider);

/**
 * Reads a provider catalogue: `{"catalog": {name: provider}}`, or the inner object alone.
 * @throws {UsageError} naming what is wrong
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
 * The providers of a parsed catalogue by name, each as it stands there, unknown fields kept.
 * @throws {UsageError} naming what is wrong
 */
export function readCatalogue(document: unknown): ReadonlyMap<string, unknown> {
  const inner = hasCatalog(document) ? document.catalog : document;
  const read = catalogueSchema.safeParse(inner);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join(".");
    throw new UsageError(
      place
        ? `The provider catalogue is wrong at ${place}: ${misfitText(issue?.message ?? "")}`
        : "The provider catalogue must be an object of providers, keyed by name",
    );
  }
  for (const [key, { name }] of Object.entries(read.data)) {
    if (name !== key) {
      throw new UsageError(
        `The provider catalogue is wrong at ${key}.name: it is ${JSON.stringify(name)}, not the key`,
      );
    }
  }
  // Not the schema's output, which has the fields in another order.
  return new Map(Object.entries(inner as Record<string, unknown>));
}

function hasCatalog(document: unknown): document is { catalog: unknown } {
  return typeof document === "object" && document !== null && "catalog" in document;
}
