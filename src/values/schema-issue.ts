/** The text of a schema issue, shorter than zod's; an absent value is called missing. */
export function schemaIssueText(message: string): string {
  return message
    .replace(/^Invalid input: /u, "")
    .replace(/^Too small: expected number to be >=/u, "expected a number of at least ")
    .replace(/^Too big: expected number to be <=/u, "expected a number of at most ")
    .replace(/, received undefined$/u, ", but it is missing");
}
