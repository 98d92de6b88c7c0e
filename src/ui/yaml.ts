import { Document, visit } from "yaml";
import { needsYamlQuotes, SAFE_YAML, safeYaml } from "../values/safe-data.ts";

/** The YAML of a value, with the last line end; it parses to an equal value. */
export function yamlText(value: unknown): string {
  const document = new Document(value, {
    // Aliases would surprise people who grep the output.
    aliasDuplicateObjects: false,
    // Many parsers still read an unquoted no as false.
    compat: "yaml-1.1",
  });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === "string" && needsYamlQuotes(scalar.value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
  });
  return safeYaml(document.toString(SAFE_YAML));
}
