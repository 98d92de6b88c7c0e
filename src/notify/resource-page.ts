import type { FedDestination, FeedingTopic } from "../documents/notify.ts";
import { compareText } from "../values/basics.ts";
import { defined } from "../values/json.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import { id, nextBlock, type Page, type PageRow, row, rows, time, valueRow } from "../view/view.ts";
import type { ListedRouting } from "./find-resource.ts";
import { metadataValues } from "./model/metadata.ts";
import { type LiveRecord, RESOURCES, type ResourceKind, shownKey } from "./model/resource.ts";

function resourceRows(kind: ResourceKind, record: LiveRecord): PageRow[] {
  const { details = {} } = RESOURCES[kind];
  return [
    ["ID", id(record.id)],
    ...shownKey(kind).map(({ label, textOf }): PageRow => [label, textOf(record)]),
    ...Object.entries(details).map(([label, textOf]): PageRow => [label, textOf(record)]),
    ["Created", time(record.createTime)],
  ];
}

/**
 * The page of one resource.
 * @param title its name
 * @param blocks what it is connected with
 */
export function resourcePage(
  kind: ResourceKind,
  record: LiveRecord,
  { title, blocks }: Pick<Page, "blocks"> & { readonly title: string | null | undefined },
): Page {
  const shown = resourceRows(kind, record).filter(([label]) => label !== "Name");
  const metadata = metadataValues(record.metadata ?? {}).flatMap(({ path, value }) =>
    valueRow(path.join("."), value),
  );
  const { updateTime } = record as { readonly updateTime?: string | null };
  return {
    title: title || record.id,
    aside: record.id,
    blocks: [
      rows([
        ...shown.flatMap(([label, value]) => row(label, value)),
        ...row("Updated", time(updateTime)),
      ]),
      ...(metadata.length > 0 ? [rows(metadata, "Metadata")] : []),
      ...blocks,
    ],
  };
}

/** The page of a created record, with the command that usually follows. */
export function createdPage(kind: ResourceKind, record: LiveRecord, next: SuggestedCommand): Page {
  return {
    title: `Created the ${RESOURCES[kind].words[0]}`,
    blocks: [{ kind: "rows", rows: resourceRows(kind, record) }, nextBlock(next)],
  };
}

/** The topics that lead to a destination; undefined where its routes cannot be listed. */
export function topicsInto(
  { id: destination }: LiveRecord,
  listed: ListedRouting,
): readonly FeedingTopic[] | undefined {
  const routes = listed["destination-route"]?.filter(
    ({ destinationId }) => destinationId === destination,
  );
  return routes?.map(({ id: routeId, topicId }) => {
    const id = topicId ?? "";
    const events = eventsInto({ id }, listed);
    return { id, ...named(listed.topic, id), routeId, ...defined({ events }) };
  });
}

/** The event types that are routed to a topic, each once. */
export function eventsInto(
  { id: topic }: LiveRecord,
  listed: ListedRouting,
): readonly string[] | undefined {
  const routes = listed["event-route"]?.filter(({ topicId }) => topicId === topic);
  return (
    routes && [...new Set(routes.flatMap(({ eventType }) => eventType || []))].sort(compareText)
  );
}

/** The destinations of a topic. */
export function destinationsOf(
  { id: topic }: LiveRecord,
  listed: ListedRouting,
): readonly FedDestination[] | undefined {
  const routes = listed["destination-route"]?.filter(({ topicId }) => topicId === topic);
  return routes?.map(({ id: routeId, destinationId }) => {
    const id = destinationId ?? "";
    const { type } = listed.destination?.find((one) => one.id === id) ?? {};
    return { id, ...named(listed.destination, id), ...(type ? { type } : {}), routeId };
  });
}

function named(records: readonly LiveRecord[] | undefined, id: string): { readonly name?: string } {
  const name = records?.find((one) => one.id === id)?.name;
  return name ? { name } : {};
}
