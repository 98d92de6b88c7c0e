/** JSON Schemas of what the platform sends, made from its description and from no code of amp. */

const text = { type: "string", minLength: 1 };
const time = { type: "string", format: "date-time" };
const object = { type: "object" };
const texts = { type: "array", items: { type: "string" } };

type Fields = Readonly<Record<string, object>>;

const INSTALLATION = {
  projectId: text,
  provider: text,
  integrationId: text,
  integrationName: text,
  installationId: text,
  connectionId: text,
  groupRef: text,
  groupName: text,
  consumerRef: text,
  consumerName: text,
};
const CONNECTION = {
  projectId: text,
  connectionId: text,
  provider: text,
  groupRef: text,
  consumerRef: text,
  consumerName: text,
};
const READ = { ...INSTALLATION, objectName: text, fromTimestamp: time, untilTimestamp: time };

const FIELDS: Readonly<Record<string, Fields>> = {
  "installation.created": { ...INSTALLATION, config: object },
  "installation.updated": { ...INSTALLATION, config: object, lastConfig: object },
  "installation.deleted": { ...INSTALLATION, config: object },
  "read.backfill.done": READ,
  "read.schedule.paused": { ...READ, error: text },
  "read.triggered.done": READ,
  "read.triggered.error": { ...READ, error: text },
  "write.async.done": {
    objectName: text,
    success: { type: "boolean" },
    successfulRecordIds: texts,
    errors: { type: "array" },
  },
  "connection.created": CONNECTION,
  "connection.updated": CONNECTION,
  "connection.refreshed": CONNECTION,
  "connection.deleted": CONNECTION,
  "connection.error": { ...CONNECTION, errors: { ...texts, minItems: 1 } },
  "destination.webhook.disabled": {
    projectId: text,
    destinationId: text,
    destinationName: text,
    url: text,
  },
  "subscribe.create.error": INSTALLATION,
};

/** The schema of the fields of an event. */
export function dataSchema(type: string) {
  const properties = FIELDS[type];
  if (properties === undefined) throw new Error(`there is no schema of ${type}`);
  return { type: "object", properties, required: Object.keys(properties) };
}

/** The schema of the body that a webhook destination receives. */
export function notificationSchema(type: string) {
  return {
    type: "object",
    properties: { notificationType: { const: type }, data: dataSchema(type) },
    required: ["notificationType", "data"],
    additionalProperties: false,
  };
}

const record = {
  type: "object",
  properties: { fields: object, mappedFields: object, raw: object, associations: object },
  required: ["fields", "mappedFields", "raw"],
};

/** The schema of a data message. */
export function messageSchema(type: string) {
  const properties = {
    action: { const: type === "read.message" ? "read" : "subscribe" },
    projectId: text,
    provider: text,
    groupRef: text,
    groupName: text,
    installationId: text,
    installationUpdateTime: time,
    objectName: text,
    consumerRef: text,
    consumerName: text,
    resultInfo: {
      type: "object",
      properties: { type: { enum: ["inline", "url"] }, numRecords: { type: "integer" } },
      required: ["type", "numRecords"],
    },
  };
  const more = {
    rawObjectName: text,
    operationId: text,
    operationTime: time,
    readType: { enum: ["backfill", "scheduled", "triggered"] },
    workspace: text,
    result: { type: "array", items: record },
  };
  return {
    type: "object",
    properties: { ...properties, ...more },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
