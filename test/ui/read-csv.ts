/** The records of CSV as RFC 4180 has them, but that a line ends in a line feed alone. */
export function readCsv(text: string): string[][] {
  const records: string[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\n)/uy;
  while (field.lastIndex < text.length) {
    const [, written, end] = field.exec(text) ?? [];
    if (written === undefined) throw new Error("no CSV");
    const value = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
    records.at(-1)?.push(value);
    if (end === "\n") records.push([]);
  }
  return records.slice(0, -1);
}
