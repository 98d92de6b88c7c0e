import { DESTINATION_TYPE_NAMES, destinationType, type Field } from "../api/destination-types.ts";

const INDENT = 18;
const WIDTH = 78;

/** Each known type with its metadata and, after a plus, its secrets. */
export function typeHelp(): string {
  return DESTINATION_TYPE_NAMES.flatMap((name) => {
    const { metadata = [], secrets = [], oneOf = [] } = destinationType(name) ?? {};
    const either = oneOf.flat();
    const words = [
      ...metadata.filter((field) => !either.includes(field.name)).map(fieldName),
      ...oneOf.map((names) => names.join("|")),
    ];
    return [
      ...hung(name, words),
      ...(secrets.length > 0 ? hung("", ["+", ...secrets.map(fieldName)]) : []),
    ];
  }).join("\n");
}

function fieldName({ name, required }: Field): string {
  return required ? name : `${name}?`;
}

function hung(term: string, words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = `  ${term}`.padEnd(INDENT);
  for (const word of words) {
    if (line.trim() !== "" && line.length + word.length + 1 > WIDTH) {
      lines.push(line.trimEnd());
      line = " ".repeat(INDENT);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
