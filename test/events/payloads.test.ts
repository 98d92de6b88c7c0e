import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import type { Installation } from "../../src/api/schemas/installation.ts";
import {
  DATA_MESSAGES,
  dataMessage,
  destinationOfData,
  eventData,
  fitData,
  MAX_BODY_BYTES,
  webhookBody,
} from "../../src/events/message/payloads.ts";
import { SEED_WORLD } from "../../src/sandbox/seed/world.ts";
import { dataSchema, messageSchema, notificationSchema } from "./schemas.ts";

const ajv = new Ajv({ allErrors: true, formats: { "date-time": (text) => text.endsWith("Z") } });
const time = new Date("2026-09-02T08:30:00.000Z");
const subjectOf = (installation: Installation) => ({
  installation,
  integrationName: "crm-sync",
  time,
});

const problems = (schema: object, data: unknown) => {
  ajv.validate(schema, data);
  return ajv.errorsText(ajv.errors);
};

describe("the fields of an event", () => {
  it.each(EVENT_TYPES)("%s has those of the platform, for every installation", (type) => {
    for (const installation of SEED_WORLD.installations) {
      const data = eventData(type, subjectOf(installation));
      expect(problems(dataSchema(type), data), installation.id).toBe("No errors");
    }
  });

  it("come to a webhook destination below their type, unlike a data message", () => {
    for (const type of EVENT_TYPES) {
      const body = webhookBody(type, eventData(type, firstSubject()));
      expect(problems(notificationSchema(type), JSON.parse(body))).toBe("No errors");
    }
    const body = webhookBody("read.message", dataMessage("read.message", firstSubject()));
    expect(problems(messageSchema("read.message"), JSON.parse(body))).toBe("No errors");
  });

  it("are refused by the schema if one is missing", () => {
    const { projectId, ...rest } = eventData("connection.error", firstSubject());
    expect(projectId).toBe("prj_acme0a1b");
    expect(problems(dataSchema("connection.error"), rest)).toContain("projectId");
  });

  it("have no credential of the connection", () => {
    const subject = firstSubject();
    expect(JSON.stringify(subject.installation)).toContain("sandbox-access-token-of");
    const all = [
      ...EVENT_TYPES.map((type) => eventData(type, subject)),
      dataMessage("read.message", subject),
    ];
    expect(JSON.stringify(all)).not.toContain("-token-of");
  });

  it("of an unknown type are the identifiers", () => {
    expect(Object.keys(eventData("report.ready", firstSubject()))).toEqual([
      ...["projectId", "provider", "integrationId", "integrationName", "installationId"],
      ...["connectionId", "groupRef", "groupName", "consumerRef", "consumerName"],
    ]);
    expect(eventData("constructor", firstSubject())).toHaveProperty("installationId");
  });

  it("leave out what an installation with the required fields alone does not have", () => {
    const bare = { ...firstSubject().installation, group: undefined, connection: {}, config: {} };
    expect(eventData("installation.created", subjectOf(bare as Installation))).toEqual({
      projectId: bare.projectId,
      integrationId: bare.integrationId,
      integrationName: "crm-sync",
      installationId: bare.id,
      config: {},
    });
  });
});

function firstSubject() {
  return subjectOf(SEED_WORLD.installations[0] as Installation);
}

describe("a body that is too long", () => {
  const padding = (length: number) => ({ read: { padding: "x".repeat(length) } });
  const address = (field: string) => `http://sandbox.test/${field}`;
  const fitted = (config: object, lastConfig: object) =>
    fitData("installation.updated", { id: 1, config, lastConfig }, address);

  it("has addresses in place of configs, as many as it needs", () => {
    const [long, short] = [padding(MAX_BODY_BYTES), padding(1)];
    expect(fitted(short, short)).toEqual({ id: 1, config: short, lastConfig: short });
    expect(fitted(long, short)).toEqual({ id: 1, configURL: address("config"), lastConfig: short });
    expect(Object.keys(fitted(short, long))).toEqual(["id", "configURL", "lastConfigURL"]);
    expect(Object.keys(fitted(long, long))).toEqual(["id", "configURL", "lastConfigURL"]);
  });

  it("is longer than 300 KB, in bytes of UTF-8", () => {
    const empty = JSON.stringify({
      notificationType: "installation.created",
      data: { config: "" },
    });
    const room = MAX_BODY_BYTES - empty.length;
    const fieldOf = (config: string) =>
      Object.keys(fitData("installation.created", { config }, address))[0];
    expect(fieldOf("x".repeat(room))).toBe("config");
    expect(fieldOf("x".repeat(room + 1))).toBe("configURL");
    expect(fieldOf("é".repeat(room / 2 + 1))).toBe("configURL");
  });
});

describe("data messages", () => {
  it.each(Object.keys(DATA_MESSAGES) as (keyof typeof DATA_MESSAGES)[])(
    "%s has the fields of the platform, for every installation",
    (type) => {
      for (const installation of SEED_WORLD.installations) {
        const message = dataMessage(type, subjectOf(installation));
        expect(problems(messageSchema(type), message), installation.id).toBe("No errors");
      }
    },
  );

  it("have the selected fields of the object, also under the mapped names", () => {
    const { result } = dataMessage("read.message", firstSubject());
    expect(JSON.stringify(result).match(/"lifecyclestage":/gu)).toHaveLength(2);
    expect(result).toMatchObject([
      {
        fields: expect.objectContaining({ email: "person1@customer.example" }),
        mappedFields: { contactsName: "person1@customer.example" },
        raw: expect.objectContaining({ id: "1001", email: "person1@customer.example" }),
      },
      { raw: { id: "1002" } },
    ]);
  });

  it("go to the destination that the read of the object names", () => {
    expect(destinationOfData(firstSubject())).toBe("acme-webhook");
    expect(destinationOfData({ ...firstSubject(), objectName: "nothing" })).toBeUndefined();
  });
});
