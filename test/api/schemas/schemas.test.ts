import { describe, expect, test } from "vitest";
import type { ZodMiniType } from "zod/mini";
import { installation } from "../../../src/api/schemas/installation.ts";
import {
  createDestinationBody,
  createDestinationRouteBody,
  createEventRouteBody,
  createTopicBody,
  destination,
  eventRoute,
} from "../../../src/api/schemas/notification.ts";
import { invite } from "../../../src/api/schemas/project.ts";
import { provider, providers } from "../../../src/api/schemas/provider.ts";
import { catalogueText } from "../../provider-catalogue.ts";
import { SAMPLES } from "./spec-samples.ts";

const NAMES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];

/** The places of a value that the schema complains about. */
function places(schema: ZodMiniType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path }) => path.join("."));
}

describe.each(NAMES)("%s", (name) => {
  const { schema, required, value } = SAMPLES[name] as {
    schema: ZodMiniType;
    required: string[];
    value: Record<string, unknown>;
  };

  test("accepts everything that the spec names", () => {
    expect(places(schema, value)).toEqual([]);
  });

  test("accepts the required fields alone, and misses each of them", () => {
    const least = Object.fromEntries(required.map((field) => [field, value[field]]));
    expect(places(schema, least)).toEqual([]);
    expect(places(schema, {}).sort()).toEqual([...required].sort());
  });

  test("accepts null in every optional field", () => {
    const nulls = Object.fromEntries(
      Object.entries(value).map(([field, item]) => [field, required.includes(field) ? item : null]),
    );
    expect(places(schema, nulls)).toEqual([]);
  });

  test("keeps unknown fields", () => {
    const more = { ...value, tomorrow: { deep: [null, 1] } };
    expect(schema.parse(more)).toEqual(more);
  });

  test("refuses what is not an object", () => {
    for (const other of [null, "text", 1, [value]]) expect(places(schema, other)).toEqual([""]);
  });
});

describe("unknown values", () => {
  test.each([
    [installation, { ...SAMPLES.installation.value, healthStatus: "on fire" }],
    [installation, { ...SAMPLES.installation.value, lastOperationStatus: "queued" }],
    [installation, { ...SAMPLES.installation.value, connection: { status: "new", x: 1 } }],
    [installation, { ...SAMPLES.installation.value, createdBy: "builder:1", createTime: "then" }],
    [provider, { ...SAMPLES.provider.value, authType: "quantum" }],
    [invite, { id: "i", status: "lost" }],
    [destination, { id: "d", type: "carrier-pigeon" }],
    [eventRoute, { id: "r", eventType: "moon.full" }],
  ])("pass (%#)", (schema, value) => {
    expect(places(schema as ZodMiniType, value)).toEqual([]);
  });

  test("deep inside are kept as well", () => {
    const value = structuredClone(SAMPLES.installation.value) as Record<string, unknown>;
    const connection = { ...SAMPLES.installation.value.connection, group: { zone: 7 }, x: null };
    expect(installation.parse({ ...value, connection })).toEqual({ ...value, connection });
  });
});

test("nulls deep inside pass, as a service in Go sends them", () => {
  const value = {
    ...SAMPLES.installation.value,
    connection: { group: null, consumer: { consumerName: null }, status: null },
    config: { content: { read: { objects: { contacts: { selectedFields: null } } } } },
  };
  expect(places(installation, value)).toEqual([]);
});

describe("a request body", () => {
  test.each<[string, ZodMiniType, Record<string, unknown>, string[]]>([
    [
      "destination",
      createDestinationBody,
      { name: "a", type: "webhook", metadata: {} },
      ["secrets"],
    ],
    ["topic", createTopicBody, { name: "a" }, []],
    ["event route", createEventRouteBody, { topicId: "t", eventType: "x.y" }, []],
    ["destination route", createDestinationRouteBody, { topicId: "t", destinationId: "d" }, []],
  ])("for a %s takes what the spec names and nothing else", (_, schema, body, optional) => {
    expect(places(schema, body)).toEqual([]);
    expect(places(schema, { ...body, projectId: "p" })).toEqual([""]);
    for (const field of Object.keys(body)) {
      expect(places(schema, { ...body, [field]: undefined })).toEqual([field]);
      expect(places(schema, { ...body, [field]: "" })).toEqual([field]);
    }
    for (const field of optional) expect(places(schema, { ...body, [field]: {} })).toEqual([]);
  });
});

test.skipIf(catalogueText === undefined)(
  "the real catalogue is read in full (where AMP_TEST_CATALOGUE names it)",
  () => {
    const { catalog } = JSON.parse(catalogueText ?? "");
    expect(Object.keys(catalog).length).toBeGreaterThan(200);
    expect(places(providers, catalog)).toEqual([]);
    expect(providers.parse(catalog)).toEqual(catalog);
  },
);
