import { asList } from "../../values/basics.ts";
import { defined, isEmptyValue, isJsonObject, plainText } from "../../values/json.ts";

const TEXTS = [
  "type",
  "href",
  "title",
  "detail",
  "instance",
  "subsystem",
  "time",
  "requestId",
  "remedy",
  "supportEmail",
  "supportPhone",
  "supportUrl",
] as const;

/** The fields of spec part 7. None is required: a bare status is a problem too. */
interface ProblemFields extends Partial<Record<(typeof TEXTS)[number], string | undefined>> {
  readonly status?: number | undefined;
  readonly causes?: readonly string[] | undefined;
  readonly retryable?: boolean | undefined;
  /** The time by the server's clock. */
  readonly retryAfter?: string | undefined;
  readonly context?: unknown;
}

/** A problem of one invalid input, with its place, name and value. */
interface InputValidationIssue extends ProblemFields {
  /** The part of the request: body, header, path or query. */
  readonly in?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: unknown;
}

/** RFC 9457 with the fields of spec part 7. Every field may be missing. */
export interface Problem extends ProblemFields {
  readonly issues?: readonly InputValidationIssue[] | undefined;
  readonly [member: string]: unknown;
}

/**
 * Reads an API Problem; with `issues`, an Input Validation Problem. Any object is one: a field that
 * is not as specified becomes text, because it must not hide what the service says. No schema is
 * used, so that an error does not load one.
 */
export function readProblem(value: Readonly<Record<string, unknown>>): Problem {
  const issues = itemsOf(value.issues).map((issue): InputValidationIssue => {
    const fields = isJsonObject(issue) ? issue : { detail: issue };
    const { in: place, name } = fields;
    return {
      ...readFields(fields),
      ...defined({ in: textOf(place), name: textOf(name), value: fields.value }),
    };
  });
  const { issues: _, ...others } = value;
  return defined({
    ...others,
    ...readFields(value),
    issues: issues.length > 0 ? issues : undefined,
  });
}

/** The known fields; a field that is acted upon is dropped where it is not as specified. */
function readFields(value: Readonly<Record<string, unknown>>): ProblemFields {
  const { status, retryable, retryAfter, context } = value;
  const causes = itemsOf(value.causes).flatMap((cause) => textOf(cause) ?? []);
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, textOf(value[name])])),
    status: typeof status === "number" ? status : undefined,
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
    causes: causes.length > 0 ? causes : undefined,
    context: context ?? undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return isEmptyValue(value) ? undefined : plainText(value);
}

/** The items of a list; a value that is not a list counts as its only item. */
function itemsOf(value: unknown): readonly unknown[] {
  return asList(value).filter((item) => !isEmptyValue(item));
}
