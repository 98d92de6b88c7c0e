import type { BatchSupport, Support } from "../api/schemas/provider-support.ts";
import type { Row } from "../cli/view.ts";
import { joined, row } from "./describe.ts";

/** Name and value of each leaf that tells yes or no, in the order of reading. */
function leaves(support: Support): [name: string, told: boolean | null | undefined][] {
  const { bulkWrite, search, subscribeSupport } = support;
  return [
    ["read", support.read],
    ["write", support.write],
    ["delete", support.delete],
    ["subscribe", support.subscribe],
    ["proxy", support.proxy],
    ["search:equals", search?.operators?.equals],
    ...sub("bulk", bulkWrite),
    ...sub("subscribe", subscribeSupport),
  ];
}

function sub(
  group: string,
  flags: Readonly<Record<string, unknown>> | null | undefined,
): [string, boolean | null | undefined][] {
  return Object.entries(flags ?? {}).map(([name, told]) => [
    `${group}:${name}`,
    typeof told === "boolean" ? told : undefined,
  ]);
}

/** What is supported, and what is said not to be. A leaf that is not told stands in neither line. */
export function supportRows(support: Support): Row[] {
  const all = leaves(support);
  const yes = all.filter(([, told]) => told === true).map(([name]) => name);
  const no = all.filter(([, told]) => told === false).map(([name]) => name);
  return [
    ...row("Supports", yes.length === 0 ? "nothing yet" : yes.join(", ")),
    ...row("Does not", no.length === 0 ? undefined : { text: no.join(", "), tone: "dim" }),
  ];
}

/** The record limits of batch writes (spec part 8). */
export function batchRows(label: string, batch: Support["batchWrite"]): Row[] {
  const operations = ["create", "update", "upsert", "delete"] as const;
  return row(
    label,
    operations.flatMap((operation) => {
      const told = batch?.[operation];
      return told ? [`${operation} ${limits(told)}`] : [];
    }),
  );
}

function limits(batch: BatchSupport): string {
  if (batch.supported === false) return "not supported";
  const exceptions = Object.entries(batch.objectRecordLimits ?? {}).map(
    ([name, limit]) => `${name} ${limit}`,
  );
  const most = batch.defaultRecordLimit ? `${batch.defaultRecordLimit} records` : "supported";
  return joined([most, exceptions.length > 0 && `(${exceptions.join(", ")})`], " ") ?? most;
}
