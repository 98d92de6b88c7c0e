/** What a check says of a value, shorter than zod does, and in words: what is absent is missing. */
export function schemaIssueText(message: string): string {
  return message
    .replace(/^Invalid input: /u, "")
    .replace(/, received undefined$/u, ", but it is missing");
}
