/** The words that a POSIX shell makes of a command line; variables stay as they are written. */
export function posixWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const parts = /\\\n|\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"|(\s+)|([^\s'"\\]+)/gsu;
  for (const [part, escaped, single, double, space, plain] of line.matchAll(parts)) {
    if (part === "\\\n") continue;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (escaped ?? single ?? double ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}
