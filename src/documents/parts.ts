import * as z from "zod";
import type { SuggestedCommand } from "../values/suggested-command.ts";

/** The type of a document, or of a part of one: nobody changes it. */
export type DocumentOf<Schema extends z.core.$ZodType> = Frozen<z.output<Schema>>;

type Frozen<Type> = Type extends SuggestedCommand
  ? Type
  : Type extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : Type extends object
      ? { readonly [Key in keyof Type]: Frozen<Type[Key]> }
      : Type;

/** A field that may be absent. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  const { description } = schema;
  const field = schema.exactOptional();
  return description === undefined ? field : field.describe(description);
}

/** A text with its meaning. */
export function string(description: string) {
  return z.string().describe(description);
}

/** A suggested command with its meaning: data for amp, which JSON has as text. */
export function commandLine(description: string) {
  return string(description) as unknown as z.ZodType<SuggestedCommand>;
}

/** A list of texts with its meaning. */
export function strings(description: string) {
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
  rule: string("ID of the rule"),
  severity: words("severity", {
    error: "ends with exit code 8",
    warning: "ends with exit code 8 only with `--strict`",
  }),
  message: string("what is wrong"),
  remedy: string("what to do"),
};

/** What the run of one of several files has, whatever it did with the file. */
export const fileRun = {
  file: string("path of the routing file"),
  project: maybe(string("project of the file, as far as known")),
  exit: z.int().describe("exit code that this file alone has"),
  error: maybe(
    z
      .strictObject({
        code: string("kind of the error, as in the error of a command"),
        message: string("what failed"),
        detail: maybe(string("why")),
        remedy: maybe(string("what to do")),
      })
      .describe("why the file ended early, or cannot be applied"),
  ),
};

const anyFileRun = z.strictObject(fileRun);

/** The run of one of several files. */
export type FileRun = DocumentOf<typeof anyFileRun>;

const finding = z.strictObject(breach);

/** A breach of a rule. */
export type Finding = DocumentOf<typeof finding>;

const checkedRule = z.strictObject({
  id: breach.rule,
  severity: breach.severity,
  title: string("what must hold"),
  remedy: breach.remedy,
});

/** A rule as people and programs read it. */
export type CheckedRule = DocumentOf<typeof checkedRule>;

/** The rules of a check. */
export const checkedRules = z.array(checkedRule).describe("rules that were checked, or that exist");
