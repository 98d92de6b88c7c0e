import type { Installation } from "../../api/schemas/installation.ts";
import { eventData } from "../../events/payloads.ts";
import type { World } from "../world.ts";

/** An event that a change of the world causes, before its configs are fitted into a message. */
export interface CausedEvent {
  readonly projectId: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events that a change fires by itself: of installations and of their connections. */
export function eventsOf(before: World, after: World, time: Date): readonly CausedEvent[] {
  if (before.installations === after.installations) return [];
  const old = byId(before.installations);
  const current = byId(after.installations);
  const make = (type: string, installation: Installation, lastConfig?: object) => ({
    projectId: installation.projectId,
    type,
    data: eventData(type, {
      installation,
      time,
      integrationName: integrationName(after, installation),
      lastConfig: lastConfig as Readonly<Record<string, unknown>> | undefined,
    }),
  });
  const caused: CausedEvent[] = [];
  for (const installation of after.installations) {
    const last = old.get(installation.id);
    if (last === installation) continue;
    const types =
      last === undefined
        ? ["connection.created", "installation.created"]
        : changedTypes(last, installation);
    for (const type of types) caused.push(make(type, installation, last?.config.content ?? {}));
  }
  for (const installation of before.installations) {
    if (current.has(installation.id)) continue;
    caused.push(make("installation.deleted", installation));
    const { id } = installation.connection;
    const isShared = after.installations.some(({ connection }) => connection.id === id);
    if (!isShared) caused.push(make("connection.deleted", installation));
  }
  return caused;
}

function changedTypes(last: Installation, now: Installation): readonly string[] {
  return [
    ...(isSame(last.config.content, now.config.content) ? [] : ["installation.updated"]),
    ...connectionTypes(last.connection, now.connection),
  ];
}

function connectionTypes(
  last: Installation["connection"],
  now: Installation["connection"],
): readonly string[] {
  if (isSame(last, now)) return [];
  if (last.id !== now.id) return ["connection.created"];
  const hasFailed = now.status === "bad_credentials" && last.status !== now.status;
  return [hasFailed ? "connection.error" : "connection.updated"];
}

/** The name of the integration of an installation; its ID where there is none. */
export function integrationName({ integrations }: World, installation: Installation): string {
  const { integrationId } = installation;
  return integrations.find(({ id }) => id === integrationId)?.name ?? integrationId;
}

function byId(installations: World["installations"]): ReadonlyMap<string, Installation> {
  return new Map(installations.map((each) => [each.id, each]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
