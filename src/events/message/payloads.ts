import type { Installation, ReadObject } from "../../api/schemas/installation.ts";
import { defined } from "../../values/json.ts";

/** The subject of an event. */
export interface EventSubject {
  readonly installation: Installation;
  readonly integrationName: string;
  readonly time: Date;
  /** The object that was read or written; default: the first that the installation reads. */
  readonly objectName?: string | undefined;
  /** The config before the change, for `installation.updated`; default: the current one. */
  readonly lastConfig?: Readonly<Record<string, unknown>> | undefined;
  readonly destination?: DisabledDestination | undefined;
}

interface DisabledDestination {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly url: string;
}

/** The fields of an event, which a stream destination receives alone. */
export type EventData = Readonly<Record<string, unknown>>;

/** Bodies are at most this long; beyond, the address of a config replaces the config. */
export const MAX_BODY_BYTES = 300 * 1024;

/** Makes the fields of an event; an unknown type has the identifiers alone. */
export function eventData(type: string, subject: EventSubject): EventData {
  const [area = ""] = type.split(".");
  const make = own(BY_TYPE, type) ?? own(BY_AREA, area) ?? identifiers;
  return defined(make(subject));
}

type Make = (subject: EventSubject) => Readonly<Record<string, unknown>>;

function own(table: Readonly<Record<string, Make>>, key: string): Make | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

const BY_AREA: Readonly<Record<string, Make>> = {
  installation: (subject) => ({ ...identifiers(subject), config: configOf(subject) }),
  read: readFields,
  connection: connectionFields,
};

const BY_TYPE: Readonly<Record<string, Make>> = {
  "installation.updated": (subject) => ({
    ...identifiers(subject),
    config: configOf(subject),
    lastConfig: subject.lastConfig ?? configOf(subject),
  }),
  "read.schedule.paused": (subject) => ({
    ...readFields(subject),
    error: "The provider refused the credentials 5 times in a row.",
  }),
  "read.triggered.error": (subject) => ({
    ...readFields(subject),
    error: "The provider did not answer within 60 s.",
  }),
  "write.async.done": (subject) => ({
    ...identifiers(subject),
    objectName: objectNameOf(subject),
    success: true,
    successfulRecordIds: ["1001", "1002"],
    errors: [],
  }),
  "connection.error": (subject) => ({
    ...connectionFields(subject),
    errors: ["The access token could not be refreshed: invalid_grant"],
  }),
  "destination.webhook.disabled": ({ destination, installation }) => ({
    projectId: destination?.projectId ?? installation.projectId,
    destinationId: destination?.id ?? "dst_00000000",
    destinationName: destination?.name ?? "webhook",
    url: destination?.url ?? "https://hooks.example.com/amp",
  }),
  "subscribe.create.error": (subject) => ({
    ...identifiers(subject),
    objectName: objectNameOf(subject),
    error: "The provider refused the subscription: the app lacks a permission.",
  }),
};

/** The identifiers of the installation; a part of it that is unknown is left out. */
export function identifiers({ installation, integrationName }: EventSubject) {
  const { connection, projectId } = installation;
  const group = installation.group ?? connection.group;
  return defined({
    projectId,
    provider: connection.provider ?? installation.config.content?.provider ?? undefined,
    integrationId: installation.integrationId,
    integrationName,
    installationId: installation.id,
    connectionId: connection.id ?? undefined,
    groupRef: group?.groupRef ?? undefined,
    groupName: group?.groupName ?? undefined,
    consumerRef: connection.consumer?.consumerRef ?? undefined,
    consumerName: connection.consumer?.consumerName ?? undefined,
  });
}

function connectionFields(subject: EventSubject) {
  const { projectId, connectionId, provider, groupRef, consumerRef, consumerName } =
    identifiers(subject);
  return { projectId, connectionId, provider, groupRef, consumerRef, consumerName };
}

function readFields(subject: EventSubject) {
  return {
    ...identifiers(subject),
    objectName: objectNameOf(subject),
    fromTimestamp: new Date(subject.time.getTime() - 3_600_000).toISOString(),
    untilTimestamp: subject.time.toISOString(),
  };
}

function objectNameOf({
  objectName,
  installation,
}: Pick<EventSubject, "objectName" | "installation">): string {
  const [first] = Object.keys(installation.config.content?.read?.objects ?? {});
  return objectName ?? first ?? "contacts";
}

function configOf({ installation }: EventSubject): Readonly<Record<string, unknown>> {
  return installation.config.content ?? {};
}

/**
 * The fields whose value an address replaces in a body that is too long, with the address's field.
 */
const REPLACED = [
  ["config", "configURL"],
  ["lastConfig", "lastConfigURL"],
] as const;

/** A field of an event that an address may replace. */
type ReplacedField = (typeof REPLACED)[number][0];

/**
 * Replaces the configs of an event by their addresses, as many as are necessary for a webhook body
 * of at most {@link MAX_BODY_BYTES}. Other long fields stay.
 */
export function fitData(
  type: string,
  data: EventData,
  addressOf: (field: ReplacedField) => string,
): EventData {
  let fitted = data;
  for (const [field, addressField] of REPLACED) {
    if (byteLength(type, fitted) <= MAX_BODY_BYTES || !(field in fitted)) continue;
    const { [field]: _, ...rest } = fitted;
    fitted = { ...rest, [addressField]: addressOf(field) };
  }
  return fitted;
}

function byteLength(notificationType: string, data: EventData): number {
  return Buffer.byteLength(JSON.stringify({ notificationType, data }));
}

/**
 * The data messages, which are not notifications: an installation's reads name their destination.
 */
export const DATA_MESSAGES = {
  "read.message": "records that a read found",
  "subscribe.message": "a record that changed at the provider",
} as const;

type DataMessageType = keyof typeof DATA_MESSAGES;

/** Whether a name is that of a data message. */
export function isDataMessage(type: string): type is DataMessageType {
  return Object.hasOwn(DATA_MESSAGES, type);
}

/** Whether a receiver took a message, as the platform sees it: with a 2xx response. */
export function isAccepted({ status = 0 }: { readonly status?: number | undefined }): boolean {
  return status >= 200 && status < 300;
}

/**
 * The body that a webhook destination receives: the type and the fields, or the data message alone.
 */
export function webhookBody(type: string, data: EventData): string {
  return JSON.stringify(isDataMessage(type) ? data : { notificationType: type, data });
}

/** Makes a whole data message. It goes to a destination as it is, without `notificationType`. */
export function dataMessage(type: DataMessageType, subject: EventSubject): EventData {
  const { installation, time } = subject;
  const objectName = objectNameOf(subject);
  const { projectId, provider, installationId, groupRef, groupName, consumerRef, consumerName } =
    identifiers(subject);
  const isRead = type === "read.message";
  const numRecords = isRead ? 2 : 1;
  const settings = installation.config.content?.read?.objects?.[objectName];
  return defined({
    action: isRead ? "read" : "subscribe",
    projectId,
    provider,
    groupRef,
    groupName,
    installationId,
    installationUpdateTime: installation.updateTime ?? installation.createTime,
    objectName,
    rawObjectName: objectName,
    operationId: isRead ? `op-${installation.id}-${time.getTime()}` : undefined,
    operationTime: isRead ? time.toISOString() : undefined,
    readType: isRead ? "scheduled" : undefined,
    consumerRef,
    consumerName,
    resultInfo: { type: "inline", numRecords },
    result: Array.from({ length: numRecords }, (_, at) => recordOf(settings, at + 1)),
  });
}

/**
 * The name of the destination that an installation's data goes to; `undefined` if the installation
 * does not read the object.
 */
export function destinationOfData(
  subject: Pick<EventSubject, "installation" | "objectName">,
): string | undefined {
  const { objects } = subject.installation.config.content?.read ?? {};
  return objects?.[objectNameOf(subject)]?.destination ?? undefined;
}

/** A record with the fields that the installation selected, and under the names that it mapped. */
function recordOf(settings: ReadObject | undefined, number: number) {
  const all = Object.entries(settings?.selectedFields ?? { name: true });
  const raw = Object.fromEntries([
    ["id", String(1000 + number)],
    ...all.map(([field]) => [field, sampleValue(field, number)] as const),
  ]);
  const fields = Object.fromEntries(
    all.flatMap(([field, selected]) => (selected ? [[field, raw[field]] as const] : [])),
  );
  const mapped = Object.entries(mappingsOf(settings)).map(
    ([name, field]) => [name, raw[String(field)] ?? null] as const,
  );
  return { fields, mappedFields: Object.fromEntries(mapped), raw };
}

/** A map from a name that the builder chose to a field; the specification has no such field. */
function mappingsOf(settings: object | undefined): Readonly<Record<string, unknown>> {
  const { selectedFieldMappings } = (settings ?? {}) as {
    selectedFieldMappings?: Readonly<Record<string, unknown>> | null;
  };
  return selectedFieldMappings ?? {};
}

function sampleValue(field: string, number: number): string {
  return field === "email" ? `person${number}@customer.example` : `${field} ${number}`;
}

/** The word for the outcome of an attempt: of destinations, the sandbox has only webhooks. */
export function outcomeWord({ outcome, url }: { outcome: string; url?: unknown }): string {
  return outcome === "delivered" && !url ? "simulated" : outcome;
}
