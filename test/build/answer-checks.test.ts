import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerChecks } from "../../build/answer-checks.ts";
import type { CompiledCheck } from "../../src/api/answer/compiled-checks.ts";
import { kindOfSchema } from "../../src/api/answer/conform.ts";
import type { Endpoint } from "../../src/api/operations/endpoint.ts";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import { ODD_VALUES, pathsOf, spoilt } from "../api/schemas/odd-values.ts";
import { SAMPLES } from "../api/schemas/spec-samples.ts";
import { anyValue, nearRecord } from "../fuzz/answers.ts";

const url = `data:text/javascript,${encodeURIComponent(await answerChecks())}`;
const { compiledChecks } = (await import(url)) as {
  compiledChecks: Readonly<Record<string, CompiledCheck>>;
};

const operations = (Object.values(endpoints) as Endpoint[]).flatMap(({ method, path, answer }) =>
  answer ? [{ name: `${method} ${path}`, load: answer }] : [],
);

/** The schema of an operation, its compiled check, and a valid answer with one record in it. */
async function subjectOf({ name, load }: (typeof operations)[number]) {
  const schema = await load();
  const check = compiledChecks[name];
  if (check === undefined) throw new Error(`${name} has no check`);
  const { element, valueType } = schema._zod.def as { element?: unknown; valueType?: unknown };
  const part = element ?? valueType ?? schema;
  const sample = Object.values(SAMPLES).find((one) => one.schema === part);
  if (sample === undefined) throw new Error(`${name} has no sample`);
  const around = { list: (one: unknown) => [one], map: (one: unknown) => ({ one }) };
  const { kind } = check;
  const answerOf = (record: unknown) => (kind === "record" ? record : around[kind](record));
  return { schema, check, record: sample.value, answerOf };
}

it("has a check of each operation with an answer, and of no other", () => {
  expect(Object.keys(compiledChecks).sort()).toEqual(operations.map(({ name }) => name).sort());
});

describe.each(operations)("the check of $name", (operation) => {
  it("accepts and refuses the same odd answers as the schema", async () => {
    const { schema, check, record, answerOf } = await subjectOf(operation);
    expect(check.kind).toBe(kindOfSchema(schema));
    const counts = { accepted: 0, refused: 0 };
    const differing: unknown[] = [];
    const judge = (answer: unknown) => {
      const { success } = schema.safeParse(answer, { jitless: true });
      counts[success ? "accepted" : "refused"] += 1;
      if (check.fits(answer) !== success) differing.push(answer);
    };
    judge(answerOf(record));
    for (const path of pathsOf(record)) {
      for (const odd of ODD_VALUES) judge(answerOf(spoilt(record, path, odd)));
    }
    for (const odd of ODD_VALUES) judge(odd);
    fc.assert(fc.property(nearRecord, (change) => judge(change(answerOf(record)))));
    fc.assert(fc.property(anyValue, judge));
    expect(differing.slice(0, 5)).toEqual([]);
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(10);
  });
});
