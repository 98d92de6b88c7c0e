import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerChecks } from "../../build/answer-checks.ts";
import { kindOfSchema } from "../../src/api/answer/check.ts";
import type { CompiledCheck } from "../../src/api/answer/compiled-checks.ts";
import type { Endpoint } from "../../src/api/operations/endpoint.ts";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import { listedConnection } from "../../src/api/schemas/installation.ts";
import { destinationSecrets } from "../../src/api/schemas/notification.ts";
import { backfillProgress, logEntry, operation } from "../../src/api/schemas/operation.ts";
import {
  acted,
  deliveryAttempt,
  samplePayload,
  triggered,
} from "../../src/api/schemas/sandbox-event.ts";
import { anyObject } from "../../src/api/schemas/shape.ts";
import { ODD_VALUES, pathsOf, spoilt } from "../api/schemas/odd-values.ts";
import { SAMPLES } from "../api/schemas/spec-samples.ts";
import { anyValue, nearRecord } from "../fuzz/answers.ts";

const url = `data:text/javascript,${encodeURIComponent(await answerChecks())}`;
const { compiledChecks } = (await import(url)) as {
  compiledChecks: Readonly<Record<string, CompiledCheck>>;
};

// Operations that differ in their query alone have one check, and so one schema: see below.
const operations = [
  ...new Map(
    (Object.values(endpoints) as Endpoint[]).flatMap(({ method, path, answer }) =>
      answer ? [[`${method} ${path}`, answer] as const] : [],
    ),
  ),
].map(([name, load]) => ({ name, load }));

/** Valid answers of operations that the specification has no sample of. */
const FURTHER_SAMPLES: readonly { readonly schema: unknown; readonly value: object }[] = [
  {
    schema: listedConnection,
    value: {
      ...{ id: "con_1", projectId: "prj_1", provider: "salesforce", status: "working" },
      group: { groupRef: "g1", groupName: "Acme" },
      consumer: { consumerRef: "c1", consumerName: "Ada" },
      ...{ authScheme: "apiKey", createTime: "2026-01-02T03:04:05Z", providerApp: { id: "app_1" } },
    },
  },
  {
    schema: destinationSecrets,
    value: { id: "dst_1", name: "ops", secrets: { webhookSigningKey: "whsec_1" } },
  },
  {
    schema: operation,
    value: {
      ...{ id: "op_1", actionType: "read", status: "failure", result: "[contact] No new data" },
      metadata: {
        objects: ["contact"],
        retry: { attempts: 2, lastAttempt: "2026-01-02T03:04:05Z" },
        progress: { objectName: "contact", recordsProcessed: 5, recordsEstimatedTotal: 10 },
      },
    },
  },
  {
    schema: logEntry,
    value: {
      ...{ timestamp: "2026-01-02T03:04:05Z", severity: "error" },
      message: { msg: "failed", error: "no", operation_id: "op_1", details: { status: "400" } },
    },
  },
  {
    schema: triggered,
    value: {
      ...{ type: "connection.error", projectId: "prj_1", eventIds: ["evt_1"] },
      reaches: [{ destinationId: "dst_1", destinationName: "ops", destinationType: "webhook" }],
    },
  },
  { schema: samplePayload, value: { type: "connection.error", data: { projectId: "prj_1" } } },
  {
    schema: deliveryAttempt,
    value: {
      ...{ sequence: 1, projectId: "prj_1", messageId: "msg_1", eventId: "evt_1" },
      ...{ eventType: "connection.error", destinationId: "dst_1", attempt: 1, durationMs: 4 },
      ...{ time: "2026-01-02T03:04:05Z", outcome: "failed", status: 500 },
    },
  },
  {
    schema: acted,
    value: { now: "2026-01-02T03:04:05Z", faults: [{ kind: "status", status: 503, left: 2 }] },
  },
  // A world may have anything.
  { schema: anyObject._zod.def.valueType, value: { sequence: 1 } },
  {
    schema: backfillProgress,
    value: { installationId: "ins_1", objectName: "contact", recordsProcessed: 5 },
  },
];

/** The schema of an operation, its compiled check, and a valid answer with one record in it. */
async function subjectOf({ name, load }: (typeof operations)[number]) {
  const schema = await load();
  const check = compiledChecks[name];
  if (check === undefined) throw new Error(`${name} has no check`);
  const { element, valueType } = schema._zod.def as { element?: unknown; valueType?: unknown };
  const part = element ?? valueType ?? schema;
  const samples = [...Object.values(SAMPLES), ...FURTHER_SAMPLES];
  const sample = samples.find((one) => one.schema === part);
  if (sample === undefined) throw new Error(`${name} has no sample`);
  const around = { list: (one: unknown) => [one], map: (one: unknown) => ({ one }) };
  const { kind } = check;
  const answerOf = (record: unknown) => (kind === "record" ? record : around[kind](record));
  return { schema, check, record: sample.value, answerOf };
}

it("has a check of each operation with an answer, and of no other", () => {
  expect(Object.keys(compiledChecks).sort()).toEqual(operations.map(({ name }) => name).sort());
});

it("has operations of the same method and path only with the same schema", async () => {
  for (const { method, path, answer } of Object.values(endpoints) as Endpoint[]) {
    const one = operations.find(({ name }) => name === `${method} ${path}`);
    expect(await one?.load(), path).toBe(await answer?.());
  }
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
