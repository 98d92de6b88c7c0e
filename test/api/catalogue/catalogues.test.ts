import { describe, expect, test } from "vitest";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationField,
  destinationType,
} from "../../../src/api/catalogue/destination-types.ts";
import { EVENT_AREAS, EVENT_TYPES, EVENTS, eventType } from "../../../src/api/catalogue/events.ts";

describe("event types", () => {
  test("are the thirteen of the spec and two of the live platform", () => {
    const platform = EVENT_TYPES.filter((name) => EVENTS[name].source === "platform");
    expect(platform).toEqual(["connection.updated", "subscribe.create.error"]);
    expect(EVENT_TYPES).toHaveLength(15);
  });

  test("are grouped by area, each area named after its events", () => {
    const areas = EVENT_TYPES.map((name) => EVENTS[name].area);
    expect([...new Set(areas)]).toEqual([...EVENT_AREAS]);
    expect(areas.filter((area, at) => area !== areas[at - 1])).toEqual([...EVENT_AREAS]);
    for (const name of EVENT_TYPES) {
      expect(EVENTS[name].area.toLowerCase()).toBe(name.split(".")[0]);
      // Beside the longest name and a mark on a line of 80.
      expect(EVENTS[name].fires.length).toBeLessThanOrEqual(46);
    }
  });

  test("that are unknown are accepted", () => {
    expect(eventType("moon.full")).toBeUndefined();
    expect(eventType("constructor")).toBeUndefined();
    expect(eventType("connection.error")?.area).toBe("Connection");
  });
});

describe("destination types", () => {
  const names = (fields: readonly DestinationField[]) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)).join(" ");
  const table = Object.fromEntries(
    DESTINATION_TYPE_NAMES.map((name) => {
      const { metadata, secrets } = DESTINATION_TYPES[name];
      return [name, [names(metadata), names(secrets)]];
    }),
  );

  test("are those of the live platform", () => {
    const aws = "awsKeyId awsSecretKey awsSessionToken?";
    expect(table).toEqual({
      webhook: ["url headers?", ""],
      slack: ["url", ""],
      kinesis: ["streamName region partitionKeyTemplate? endpointUrl?", aws],
      s3: ["bucket region keyTemplate? storageClass?", aws],
      sqs: ["queueUrl endpointUrl?", aws],
      pubsub: ["projectId topicId", "credentials"],
      rabbitmq: ["serverUrl exchange tls?", "username password"],
      azureservicebus: ["name", "connectionString"],
      clickhouse: ["url username tableName database?", "password"],
      snowflake: ["accountIdentifier userId dbName schemaName tableName", "privateKey"],
      bigquery: ["projectId datasetId tableId", "credentials"],
      redshift: [
        "region dbName tableName workgroupName? clusterIdentifier? schemaName? dbUser?",
        "accessKeyId secretAccessKey",
      ],
    });
    expect(destinationType("redshift")?.oneOf).toEqual([["workgroupName", "clusterIdentifier"]]);
  });

  test("have examples that pass their own check", () => {
    for (const name of DESTINATION_TYPE_NAMES) {
      for (const field of DESTINATION_TYPES[name].metadata) {
        expect([name, field.name, field.check?.(field.example)]).toEqual([
          name,
          field.name,
          undefined,
        ]);
      }
    }
  });

  test("that are unknown are accepted", () => {
    expect(destinationType("log")).toBeUndefined();
    expect(destinationType("toString")).toBeUndefined();
  });

  function check(type: string, field: string, value: string): string | undefined {
    const fields = [
      ...(destinationType(type)?.metadata ?? []),
      ...(destinationType(type)?.secrets ?? []),
    ];
    return fields.find(({ name }) => name === field)?.check?.(value);
  }

  test.each([
    ["webhook", "url", "https://hooks.example.com/amp", "http://hooks.example.com/amp"],
    ["webhook", "url", "HTTPS://example.com", "https://"],
    ["webhook", "url", "http://localhost:8080/in", "http://localhost.evil.example/"],
    ["webhook", "url", "http://127.0.0.1/", "http://127.0.0.1@evil.example/"],
    ["webhook", "url", "HTTP://[::1]:9/x", "http://[::2]/"],
    [
      "slack",
      "url",
      "https://hooks.slack.com/services/x",
      "https://hooks.slack.com.evil.example/x",
    ],
    ["slack", "url", "https://hooks.slack.com/x", "https://hooks.slack.com@evil.example/x"],
    ["rabbitmq", "serverUrl", "amqp://mq", "http://mq"],
    ["clickhouse", "url", "https://ch:8443", "ch:8443"],
    ["snowflake", "privateKey", "-----BEGIN PRIVATE KEY-----\nx", "x"],
  ])("%s %s takes %j and not %j", (type, field, good, bad) => {
    expect(check(type, field, good)).toBeUndefined();
    expect(check(type, field, bad)).toMatch(/^must (?:begin with|be) [^.].*[^.]$/u);
  });
});
