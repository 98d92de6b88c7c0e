import type { CommandContext } from "../context/command-context.ts";
import { othersText } from "./engine/receipt.ts";
import { createSingle } from "./engine/single.ts";
import { type Address, addressOf } from "./model/address.ts";
import { createResource } from "./model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "./model/resource.ts";
import type { Resource, ResourceBody } from "./model/routing.ts";
import { enginePorts, type SessionContext } from "./session.ts";
import { openState, type StateOptions } from "./state/open-backend.ts";

/**
 * Creates one resource, and saves in the state what was sent and what became of it.
 * @param typed what the user typed for each field of its key: the address of a route has names
 * @throws {PartialError} where it is unknown whether it was created
 */
export async function createNamed(
  context: SessionContext & Pick<CommandContext, "dryRun">,
  kind: ResourceKind,
  body: ResourceBody,
  options: StateOptions & { readonly typed?: Readonly<Record<string, string | undefined>> } = {},
): Promise<LiveRecord> {
  if (context.dryRun) return createResource(context, kind, body);
  const { secrets = {}, ...fields } = body;
  const { key } = RESOURCES[kind];
  const names = key.map(({ field }) => options.typed?.[field] ?? String(fields[field] ?? ""));
  const ids = new Map(
    key.flatMap(({ field, references }, at): [Address, string][] =>
      references === undefined
        ? []
        : [[addressOf(references, names[at] ?? ""), String(fields[field])]],
    ),
  );
  const content = Object.entries(fields).filter(([name]) =>
    key.every(({ field }) => field !== name),
  );
  const resource: Resource = {
    kind,
    address: addressOf(kind, ...names),
    names,
    content: Object.fromEntries(content),
    secrets,
  };
  const opened = await openState(context, options);
  const ports = enginePorts(opened, context, options, reportWaits(context));
  const { id, record, isListed } = await createSingle(ports, resource, ids);
  if (!isListed && ids.size > 0) {
    context.report.warn(
      "This service has no lists: it is not known whether an equal route existed before.",
    );
  }
  return record ?? { id, ...Object.fromEntries(Object.entries(fields)) };
}

/** Says what a single command waits for, and what an earlier create may have become. */
export function reportWaits({ report }: Pick<SessionContext, "report">) {
  return (event: Parameters<NonNullable<Parameters<typeof enginePorts>[3]>>[0]): void => {
    if (event.type === "settled" && event.settled.others)
      report.warn(...othersText(event.settled, event.settled.others));
    if (event.type !== "waiting") return;
    const { address, why, ms } = event;
    report.notice(`${address}: ${why}; looking again for up to ${Math.ceil(ms / 1000)} s`);
  };
}
