import type { ZodMiniType } from "zod/mini";
import { kindOfSchema } from "../src/api/answer/check.ts";
import type { Endpoint } from "../src/api/operations/endpoint.ts";
import * as endpoints from "../src/api/operations/endpoints.ts";

/** The parts of a schema's definition that decide which values it accepts. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, ZodMiniType>>;
  readonly catchall?: ZodMiniType;
  readonly innerType?: ZodMiniType;
  readonly element?: ZodMiniType;
  readonly keyType?: ZodMiniType;
  readonly valueType?: ZodMiniType;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly check?: string;
  readonly format?: string;
}

interface Check {
  readonly check: string;
  readonly minimum?: number;
}

/**
 * The text of `src/api/answer/compiled-checks.ts` in a build: for each operation with an answer, a
 * plain function that says whether a JSON value is as its schema specifies. It takes a fraction of
 * the time of zod, which is then loaded only to name what is odd.
 */
export async function answerChecks(): Promise<string> {
  const writer = createWriter();
  const rows = [];
  for (const { method, path, answer } of Object.values(endpoints) as Endpoint[]) {
    if (answer === undefined) continue;
    const schema = await answer();
    const fits = `(value) => ${writer.test(schema, "value")}`;
    rows.push(
      `${JSON.stringify(`${method} ${path}`)}: { kind: "${kindOfSchema(schema)}", fits: ${fits} },`,
    );
  }
  const isObject = `const isObject = (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value);`;
  return [isObject, ...writer.functions(), "export const compiledChecks = {", ...rows, "};"].join(
    "\n",
  );
}

/** Writes tests of values as expressions; each object, map and list gets a function of its own. */
function createWriter() {
  const names = new Map<ZodMiniType, string>();
  const functions: string[] = [];

  /** @param value a name that may be read several times */
  function test(schema: ZodMiniType, value: string): string {
    const { type, checks = [], innerType, ...more } = definitionOf(schema);
    const limits = checks.map(({ _zod: { def } }) => {
      if (type === "string" && def.check === "min_length")
        return `${value}.length >= ${def.minimum}`;
      throw unknown(def.check);
    });
    switch (type) {
      case "unknown":
        return "true";
      case "optional": {
        const inner = definitionOf(known(innerType));
        if (isAnything(inner)) return "true";
        return inner.type === "nullable"
          ? `(${value} == null || ${test(known(inner.innerType), value)})`
          : `(${value} === undefined || ${test(known(innerType), value)})`;
      }
      case "nullable":
        return `(${value} === null || ${test(known(innerType), value)})`;
      case "string":
      case "boolean":
        return [`typeof ${value} === "${type}"`, ...limits].join(" && ");
      case "number":
        if (more.format === "safeint") return `Number.isSafeInteger(${value})`;
        throw unknown(more.format ?? "any number");
      default:
        return `${nameOf(schema)}(${value})`;
    }
  }

  function nameOf(schema: ZodMiniType): string {
    const known = names.get(schema);
    if (known !== undefined) return known;
    const text = bodyOf(schema);
    const name = `fits${names.size}`;
    names.set(schema, name);
    functions.push(`function ${name}(value) {\nlet item;\nreturn ${text};\n}`);
    return name;
  }

  function bodyOf(schema: ZodMiniType): string {
    const { type, shape = {}, catchall, element, keyType, valueType } = definitionOf(schema);
    if (type === "array") {
      return `Array.isArray(value) && value.every((item) => ${test(known(element), "item")})`;
    }
    if (type === "record" && definitionOf(known(keyType)).type === "string") {
      const fits = test(known(valueType), "item");
      return `isObject(value)${fits === "true" ? "" : ` && Object.values(value).every((item) => ${fits})`}`;
    }
    if (type !== "object" || catchall === undefined) throw unknown(type);
    if (definitionOf(catchall).type !== "unknown") throw unknown("catchall");
    const fields = Object.entries(shape).flatMap(([key, field]) => {
      const fits = test(field, "item");
      if (fits === "true") return [];
      return `((item = value[${JSON.stringify(key)}]), ${fits})`;
    });
    return ["isObject(value)", ...fields].join(" && ");
  }

  return { test, functions: () => functions };
}

/** Whether a field accepts every value, `null` too. */
function isAnything({ type, innerType }: Definition): boolean {
  return (
    type === "unknown" || (type === "nullable" && definitionOf(known(innerType)).type === "unknown")
  );
}

function definitionOf(schema: ZodMiniType): Definition {
  return schema._zod.def as unknown as Definition;
}

function known(schema: ZodMiniType | undefined): ZodMiniType {
  if (schema === undefined) throw unknown("a schema without its part");
  return schema;
}

function unknown(what: string): Error {
  return new Error(`build/answer-checks.ts cannot write a check for ${what}`);
}
