import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DESTINATION_TYPES } from "../../../src/api/catalogue/destination-types.ts";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { MISTAKE_WORDS } from "../../../src/api/catalogue/mistakes.ts";
import { routingJsonSchema } from "../../../src/notify/file/schema.ts";
import { errorsIn } from "./reading.ts";

/** It comes with another package, and is not a dependency of this one. */
const VALIDATOR = "ajv/dist/2020.js";

/** As an editor does it. */
function validator(): (file: unknown) => boolean {
  const require = createRequire(createRequire(import.meta.url).resolve("conf"));
  const { Ajv2020 } = require(VALIDATOR) as {
    Ajv2020: new (options: object) => { compile(schema: object): (file: unknown) => boolean };
  };
  return new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
  }).compile(routingJsonSchema());
}

const accepts = validator();

/** Whether the reader takes it; secrets that are not there are another matter. */
async function isRead(text: string): Promise<boolean> {
  const env = { A: "v" };
  return (
    (await errorsIn(text, { env, files: { "k.pem": "v", "x y": "v" }, allow: MISTAKE_WORDS })) ===
    ""
  );
}

const V = "version: 1\n";

const GOOD = [
  V,
  `${V}project: 12\n$schema: ./routing.schema.json`,
  `${V}destinations:\ntopics:`,
  `${V}destinations: { o: { type: webhook, metadata: { url: "https://a.b", more: [1] } } }`,
  `${V}destinations: { o: { type: webhook } }`,
  `${V}destinations: { o: { type: 12, metadata: , secrets: } }`,
  `${V}destinations: { o: { type: new-one, secrets: { a: env:A, b: file:k.pem, c: "file:x y" } } }`,
  `${V}destinations: { o: { id: 12 } }`,
  `${V}destinations: { o: { type: rabbitmq, metadata: { tls: true }, secrets: { other: env:A } } }`,
  `${V}destinations: { o: { id: x } }\ntopics: { t: { events: [x.y, 1], destinations: [o] } }`,
  `${V}topics: { t: { events: [all, read.triggered.*] } }`,
  `${V}require: [connection.error, my.event, read.*, all]`,
  `${V}require:\nforbid:`,
  `${V}forbid: [{ event: read.*, destination: chat }, { topic: 1, destination: no }]`,
  `${V}topics: { t: , u: { events: , destinations: }, v: { id: x, events: [] } }`,
];

const BAD = [
  "",
  "[]",
  "version: 2",
  'version: "1"',
  `${V}projct: a`,
  `${V}require: connection.error`,
  `${V}require: [""]`,
  `${V}forbid: [{ event: a }]`,
  `${V}forbid: [{ event: a, destinaton: b }]`,
  `${V}forbid: [chat]`,
  `${V}project: ""`,
  `${V}project: " "`,
  `${V}project: [a]`,
  `${V}destinations: [o]`,
  `${V}destinations: { "": { id: x } }`,
  `${V}destinations: { __proto__: { id: x } }`,
  `${V}destinations: { o: webhook }`,
  `${V}destinations: { o: }`,
  `${V}destinations: { o: {} }`,
  `${V}destinations: { o: { type: "" } }`,
  `${V}destinations: { o: { type: x, id: y } }`,
  `${V}destinations: { o: { id: y, metadata: {} } }`,
  `${V}destinations: { o: { id: [] } }`,
  `${V}destinations: { o: { type: x, url: y } }`,
  `${V}destinations: { o: { type: x, metadata: [] } }`,
  `${V}destinations: { o: { type: x, secrets: hunter2 } }`,
  `${V}destinations: { o: { type: x, secrets: { a: hunter2 } } }`,
  `${V}destinations: { o: { type: x, secrets: { a: 12 } } }`,
  `${V}destinations: { o: { type: x, secrets: { a: env:1A } } }`,
  `${V}destinations: { o: { type: x, secrets: { a: "file:" } } }`,
  `${V}topics: { t: x }`,
  `${V}topics: { t: { evnts: [] } }`,
  `${V}topics: { t: { events: x.y } }`,
  `${V}topics: { t: { events: [[x]] } }`,
  `${V}topics: { t: { events: [""] } }`,
  `${V}topics: { t: { destinations: o } }`,
];

describe("the JSON Schema of the routing file", () => {
  it.each(GOOD)("the JSON Schema accepts what the reader accepts: %j", async (text) => {
    expect({ read: await isRead(text), accepted: accepts(parse(text)) }).toEqual({
      read: true,
      accepted: true,
    });
  });

  it.each(BAD)("the JSON Schema refuses what the reader refuses: %j", async (text) => {
    // Of `__proto__` the usual way to make an object would not see anything.
    const value = JSON.parse(JSON.stringify(parse(text)));
    const file = text.includes("__proto__")
      ? JSON.parse('{"version":1,"destinations":{"__proto__":{"id":"x"}}}')
      : value;
    expect({ read: await isRead(text), accepted: accepts(file) }).toEqual({
      read: false,
      accepted: false,
    });
  });

  it("completes every event type, and every destination type with its fields", () => {
    const text = JSON.stringify(routingJsonSchema());
    for (const name of EVENT_TYPES) expect(text).toContain(`"const":"${name}","description":"`);
    for (const [type, { summary, metadata, secrets }] of Object.entries(DESTINATION_TYPES)) {
      expect(text).toContain(`"const":"${type}","description":"${summary}"}`);
      for (const { name, hint } of [...metadata, ...secrets]) {
        expect(text).toContain(`"${name}":{"description":"${hint}`);
      }
    }
  });
});
