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
