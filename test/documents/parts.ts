import * as z from "zod";

/** A field that may be absent. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  const { description } = schema;
  return description === undefined ? schema.optional() : schema.optional().describe(description);
}

/** A text with its meaning. */
export function text(description: string) {
  return z.string().describe(description);
}

/** A list of texts with its meaning. */
export function texts(description: string) {
  return z.array(z.string()).describe(description);
}

/** One of a closed set of words, each with its meaning. */
export function words<const Words extends Readonly<Record<string, string>>>(
  description: string,
  meanings: Words,
) {
  return z
    .enum(Object.keys(meanings) as (keyof Words & string)[])
    .describe(description)
    .meta({ meanings });
}

/** The fields of a breach that each check reports. */
export const breach = {
  rule: text("ID of the rule"),
  severity: words("severity", {
    error: "ends with exit code 8",
    warning: "ends with exit code 8 only with `--strict`",
  }),
  message: text("what is wrong"),
  remedy: text("what to do"),
};

/** The rules of a check. */
export const checkedRules = z
  .array(
    z.strictObject({
      id: breach.rule,
      severity: breach.severity,
      title: text("what must hold"),
      remedy: breach.remedy,
    }),
  )
  .describe("rules that were checked, or that exist");
