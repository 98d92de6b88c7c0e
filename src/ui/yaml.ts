import { Document, visit } from "yaml";
import { UNSAFE_IN_DATA } from "./text.ts";

const LINE_OF_COMMAND = /^\s*::/mu;

/** YAML of a value, with the last line end; it reads back as the same value. */
export function yamlText(value: unknown): string {
  const document = new Document(value, {
    // Aliases would surprise people who grep the output.
    aliasDuplicateObjects: false,
    // Many parsers still read an unquoted no as false.
    compat: "yaml-1.1",
  });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value !== "string") return;
      if (scalar.value.search(UNSAFE_IN_DATA) >= 0 || LINE_OF_COMMAND.test(scalar.value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
  });
  // Only double-quoted scalars contain such characters now, and there escapes are read back.
  const text = document.toString({
    lineWidth: 0,
    // Folding could begin a line of a double-quoted text with a CI command.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  return text.replace(UNSAFE_IN_DATA, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
