import * as z from "zod";
import { missingAuthOptions } from "../../api/catalogue/auth-types.ts";
import { provider } from "../../api/schemas/provider.ts";
import { isJsonObject } from "../../values/json.ts";
import { checkDocument } from "../document.ts";
import { sandboxErrors } from "../errors.ts";
import { type Operation, platform, spec, throwNotFound } from "../operation.ts";

const catalogueSchema = z.record(
  z.string(),
  provider,
  "must be an object of providers, keyed by name",
);

/**
 * Checks a parsed catalogue: `{"catalog": {name: provider}}`, or the inner object alone. The
 * providers keep their unknown fields and the order of all fields.
 * @throws {UsageError} naming the first problem
 */
export function readCatalogue(document: unknown): ReadonlyMap<string, unknown> {
  const inner = isJsonObject(document) && "catalog" in document ? document.catalog : document;
  const catalogue = checkDocument("The provider catalogue", catalogueSchema, inner);
  for (const [key, { name }] of Object.entries(catalogue)) {
    if (name !== key) {
      throw sandboxErrors.document_invalid(
        "The provider catalogue",
        `${key}.name is ${JSON.stringify(name)}, not the key`,
      );
    }
  }
  return new Map(Object.entries(inner as Record<string, unknown>));
}

/** More would fill the screen. */
const MAX_REMARKS = 10;

/**
 * Remarks on the providers that lack what the specification requires; they are served as they are.
 */
export function catalogueRemarks(document: unknown): readonly string[] {
  const remarks = [...readCatalogue(document)].flatMap(
    ([name, entry]) => missingAuthOptions(name, entry) ?? [],
  );
  const more = remarks.length - MAX_REMARKS;
  if (more <= 0) return remarks;
  const others = `${more} more ${more === 1 ? "provider lacks" : "providers lack"} such options`;
  return [...remarks.slice(0, MAX_REMARKS), others];
}

/** The operations on the catalogue. It needs no credential; one that is sent is ignored. */
export const providerOperations: readonly Operation[] = [
  spec("catalogue", "GET /providers/{provider}", ({ catalogue, param }) => {
    const name = param("provider");
    return catalogue.get(name) ?? throwNotFound("provider", name);
  }),
  platform("catalogue", "GET /providers", ({ catalogue }) => Object.fromEntries(catalogue)),
].map((operation) => ({ ...operation, isPublic: true }));
