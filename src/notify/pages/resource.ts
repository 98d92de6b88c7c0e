import type { SuggestedCommand } from "../../values/suggested-command.ts";
import {
  id,
  nextBlock,
  type Page,
  type PageRow,
  row,
  rows,
  time,
  valueRow,
} from "../../view/view.ts";
import { metadataValues } from "../model/metadata.ts";
import { type LiveRecord, RESOURCES, type ResourceKind, shownKey } from "../model/resource.ts";

/** The rows of a resource: its ID, its key, and what its kind shows beyond it. */
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
 * @param ends the rows of a route's ends, in place of their IDs
 * @param blocks what it is connected with
 */
export function resourcePage(
  kind: ResourceKind,
  record: LiveRecord,
  {
    title,
    ends = [],
    blocks,
  }: Pick<Page, "blocks"> & {
    readonly title: string | null | undefined;
    readonly ends?: readonly PageRow[];
  },
): Page {
  const known = new Set(["Name", ...ends.map(([label]) => label)]);
  const shown = resourceRows(kind, record).filter(([label]) => !known.has(label));
  const [own, ...more] = shown.flatMap(([label, value]) => row(label, value));
  const metadata = metadataValues(record.metadata ?? {}).flatMap(({ path, value }) =>
    valueRow(path.join("."), value),
  );
  const { updateTime } = record as { readonly updateTime?: string | null };
  return {
    title: title || record.id,
    aside: record.id,
    blocks: [
      rows([...(own ? [own] : []), ...ends, ...more, ...row("Updated", time(updateTime))]),
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
