import type { ReadObject } from "../api/schemas/installation.ts";
import { defined } from "../values/json.ts";
import { type EventData, type EventSubject, identifiers, objectNameOf } from "./payloads.ts";

/**
 * The data messages, which are no notifications: an installation's reads name their destination.
 */
export const DATA_MESSAGES = {
  "read.message": "records that a read found",
  "subscribe.message": "a record that changed at the provider",
} as const;

/** A key of {@link DATA_MESSAGES}. */
export type DataMessageType = keyof typeof DATA_MESSAGES;

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
