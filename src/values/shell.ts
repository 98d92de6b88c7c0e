/**
 * A word of a command line: a plain text; a text with a variable that the shell expands; or a
 * placeholder that the reader fills in, shown as `<id>`.
 */
export type ShellWord =
  | string
  | { readonly text: string; readonly variable: string }
  | { readonly placeholder: string };

/** Quotes a word so that a POSIX shell reads it unchanged. */
export function quote(word: string): string {
  // A leading `=` is a path to zsh, a leading `~` a home.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/u.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command line of words. */
export function shellLine(words: readonly ShellWord[]): string {
  return words
    .map((word) => {
      if (typeof word === "string") return quote(word);
      if ("placeholder" in word) return `<${word.placeholder}>`;
      return `${word.text === "" ? "" : quote(word.text)}"$${word.variable}"`;
    })
    .join(" ");
}

/** The words of a line of {@link shellLine}: quoted parts may contain spaces. */
const WORDS = /(?:\\.|'[^']*'|"[^"]*"|[^\s'"\\])+/gu;

/**
 * A command line, folded so that no line is wider than `width` where a break allows it. An option
 * and its value stay together; arguments are only parted from what precedes them if they must be.
 */
export function foldCommand(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  const units = unitsOf(line.match(WORDS) ?? []);
  for (const unit of units.flatMap((each) => (each.length + 4 > width ? partsOf(each) : each))) {
    // Room for the backslash, needed on every line but the last.
    if (current !== "" && current.length + 1 + unit.length + 2 > width) {
      lines.push(`${current} \\`);
      current = `  ${unit}`;
    } else current = current === "" ? unit : `${current} ${unit}`;
  }
  return [...lines, current];
}

/** The parts of a unit that is wider than a line. */
function partsOf(unit: string): string[] {
  const words = unit.match(WORDS) ?? [];
  const [option = "", value, ...others] = words;
  return option.startsWith("-") && value !== undefined ? [`${option} ${value}`, ...others] : words;
}

function unitsOf(words: readonly string[]): string[] {
  const units: string[] = [];
  for (const word of words) {
    const last = units.at(-1);
    if (last === undefined || /^-./u.test(word)) units.push(word);
    else units[units.length - 1] = `${last} ${word}`;
  }
  return units;
}
