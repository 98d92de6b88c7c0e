import { describe, expect, test } from "vitest";
import { destinationProblems } from "../../../src/api/catalogue/destination-problems.ts";

/** The problems as lines; of absent fields with all that would do. */
function lines(type: string, metadata: object, secrets: object = {}): string[] {
  return destinationProblems(type, { metadata: { ...metadata }, secrets: { ...secrets } }).map(
    ({ part, name, detail, missing }) =>
      `${part}.${name} ${detail}${missing ? ` (${missing.map((field) => field.name).join("|")})` : ""}`,
  );
}

describe("destinationProblems", () => {
  test("finds none in content that the type accepts, unknown fields included", () => {
    expect(lines("webhook", { url: "https://a.b", headers: { a: "b" }, other: [1] })).toEqual([]);
    expect(
      lines(
        "rabbitmq",
        { serverUrl: "amqp://a", exchange: "e", tls: true },
        { username: "u", password: "p" },
      ),
    ).toEqual([]);
  });

  test("finds none in a type that is not known", () => {
    expect(lines("new-one", { url: 1 })).toEqual([]);
    expect(lines("toString", {})).toEqual([]);
  });

  test("names absent fields, and all fields of which one is required", () => {
    expect(lines("redshift", { region: "r", dbName: "d" }, { accessKeyId: "a" })).toEqual([
      "metadata.tableName is required (tableName)",
      "metadata.workgroupName one of workgroupName, clusterIdentifier is required (workgroupName|clusterIdentifier)",
      "secrets.secretAccessKey is required (secretAccessKey)",
    ]);
    expect(
      lines("redshift", { region: "r", dbName: "d", tableName: "t", clusterIdentifier: "c" }),
    ).toEqual([
      "secrets.accessKeyId is required (accessKeyId)",
      "secrets.secretAccessKey is required (secretAccessKey)",
    ]);
  });

  test.each([
    ["webhook", { url: 5 }, "metadata.url must be a string"],
    ["webhook", { url: null }, "metadata.url must be a string"],
    ["webhook", { url: "" }, "metadata.url must not be empty"],
    ["webhook", { url: "http://a.b" }, "metadata.url must begin with https://"],
    [
      "webhook",
      { url: "https://a.b", headers: [] },
      "metadata.headers must be an object of strings",
    ],
    [
      "webhook",
      { url: "https://a.b", headers: { a: 1 } },
      "metadata.headers must be an object of strings",
    ],
  ])("checks the values of a %s: %j", (type, metadata, line) => {
    expect(lines(type, metadata)).toEqual([line]);
  });

  test("checks flags and secrets", () => {
    expect(
      lines(
        "rabbitmq",
        { serverUrl: "amqp://a", exchange: "e", tls: "true" },
        { username: "u", password: 1 },
      ),
    ).toEqual(["metadata.tls must be true or false", "secrets.password must be a string"]);
    const place = {
      accountIdentifier: "a",
      userId: "u",
      dbName: "d",
      schemaName: "s",
      tableName: "t",
    };
    expect(lines("snowflake", place, { privateKey: "x" })).toEqual([
      "secrets.privateKey must be a private key in PEM format",
    ]);
  });
});
