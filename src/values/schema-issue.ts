/** The text of a schema issue, shorter than zod's; an absent value is called missing. */
export function schemaIssueText(message: string): string {
  return message
    .replace(/^Invalid input: /u, "")
    .replace(/, received undefined$/u, ", but it is missing");
}
