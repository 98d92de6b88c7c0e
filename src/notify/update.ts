import { isKind } from "../errors.ts";
import { visible } from "../values/safe-data.ts";
import { type ApplyContext, reviewPlan } from "./apply.ts";
import { reportWaits } from "./create.ts";
import { beyondLists } from "./delete.ts";
import { receiptJson } from "./engine/receipt.ts";
import { updateSingle } from "./engine/single.ts";
import { routingErrors } from "./errors.ts";
import { findResource, searchFor, withKnown } from "./find-resource.ts";
import { findReads } from "./in-use.ts";
import { addressOf } from "./model/address.ts";
import type { Metadata } from "./model/metadata.ts";
import { listResources } from "./model/operations.ts";
import type { LiveRecord, NamedKind } from "./model/resource.ts";
import type { Resource } from "./model/routing.ts";
import type { Secrets } from "./model/secrets.ts";
import type { ApplyResult } from "./pages/apply.ts";
import { planPage } from "./pages/plan.ts";
import { compare, isContradicted } from "./plan/compare.ts";
import { assertApplicable } from "./plan/conflicts.ts";
import type { Plan, PlanItem } from "./plan/plan.ts";
import { planJson } from "./plan/plan-document.ts";
import { NO_CHOICES } from "./plan/table.ts";
import { enginePorts, type SessionOptions } from "./session.ts";
import { entriesOfId } from "./state/change.ts";
import { openState, readState } from "./state/open-backend.ts";
import { type Entry, filesOf, type RoutingState } from "./state/state.ts";

/** The changes of a destination or topic: only of the named fields. */
interface NamedChanges {
  readonly name?: string | undefined;
  readonly metadata?: Metadata;
  readonly secrets?: Secrets;
}

/**
 * Changes a destination or topic in place: shows the old and new values, asks, and sends only what
 * differs. The state gets what was sent, and holds nothing against it.
 * @throws {ConflictError} where reads name what is renamed, or another one has the new name
 */
export async function updateNamed(
  ports: ApplyContext,
  kind: NamedKind,
  wanted: string,
  changes: NamedChanges,
  options: SessionOptions,
): Promise<ApplyResult> {
  const opened = await openState(ports, options);
  const state = (await readState(opened))?.state;
  const listed = await listResources(ports, kind).catch((error: unknown) => {
    if (isKind(error, "operation_missing") && state !== undefined) return [];
    throw error;
  });
  const all = withKnown(listed, state, kind);
  const search = { ...searchFor(kind), exact: true };
  const found = await findResource(kind, wanted, { [kind]: all }, search, ports);
  if (!found.name) throw routingErrors.resource_without_name(kind, found.id);
  assertNameIsFree(all, found, changes.name);
  const resource = changedResource(kind, found, changes);
  const address = addressOf(kind, found.name);
  const isYoung = beyondLists(enginePorts(opened, ports, options));
  const behind = (state ? entriesOfId(state, kind, found.id) : []).find(
    (one) =>
      one.pending || (isYoung(address, one) && isContradicted(state?.key ?? "", kind, one, found)),
  );
  const seen = behind ? unlisted(found, behind, changes) : found;
  const { mask, differences } = compare("", resource, undefined, seen);
  const base = { address, kind, id: found.id } as const;
  const renamed = resource.address === address ? {} : { renamedFrom: address };
  const item: PlanItem =
    mask.length === 0
      ? { ...base, action: "in_place" }
      : {
          ...base,
          address: resource.address,
          action: "update",
          fields: mask,
          differences,
          ...renamed,
        };
  const plan = planOf(await withReads(ports, item, found.name, options));
  const warnings = warningsOf(state, base);
  const document = planJson(plan, warnings);
  for (const one of warnings) ports.report.warn(one);
  if (ports.dryRun) return document;
  assertApplicable(plan);
  if (item.action === "in_place") return document;
  await reviewPlan(ports, plan, {
    page: planPage(document),
    consent: { command: `amp notify ${kind}s update` },
  });
  await ports.guard.assertMayWrite();
  const engine = enginePorts(opened, ports, options, reportWaits(ports));
  const { id, name: listedName } = found;
  return receiptJson(
    await updateSingle(engine, { resource, id, mask, listedName, address }),
    warnings,
  );
}

/** A record whose values are not known: its list may be older than what amp sent. */
function unlisted({ id, type, name }: LiveRecord, sent: Entry, changes: NamedChanges): LiveRecord {
  const known = sent.pending?.name ?? sent.key?.[0];
  return { id, type, name: name === changes.name ? known : name };
}

/** Two of one name are one too many for whatever finds them by it. */
function assertNameIsFree(all: readonly LiveRecord[], { id }: LiveRecord, name?: string): void {
  const other = all.find((one) => name !== undefined && one.name === name && one.id !== id);
  if (other === undefined) return;
  throw routingErrors.resource_name_taken(visible(name ?? ""), other.id);
}

function changedResource(
  kind: NamedKind,
  { name: before, type }: LiveRecord,
  { name, metadata = {}, secrets = {} }: NamedChanges,
): Resource {
  const names = [name ?? before ?? ""];
  const address = addressOf(kind, ...names);
  if (kind === "topic") return { kind, address, names, content: {}, secrets: {} };
  return { kind, address, names, content: { ...(type ? { type } : {}), metadata }, secrets };
}

/** An update that takes a name away which reads of customers have is a conflict, unless accepted. */
async function withReads(
  ports: ApplyContext,
  item: PlanItem,
  before: string,
  { accept = [] }: SessionOptions,
): Promise<PlanItem> {
  const isRenamed =
    item.action === "update" && item.kind === "destination" && item.fields.includes("name");
  if (!isRenamed || accept.includes("references")) return item;
  const uses = (await findReads(ports, [before])).get(before);
  if (uses === undefined) return item;
  const { address, kind, id } = item;
  return { address, kind, id, action: "conflict", reason: "in_reads", uses };
}

function planOf(item: PlanItem): Plan {
  return {
    items: [item],
    choices: NO_CHOICES,
    lists: true,
    changes: [],
    waiting: [],
    kept: [],
    others: [],
    removedFromFile: [],
    duplicates: [],
    renamed: [],
    unmanaged: [],
  };
}

/** Which file declares what is changed: its next apply puts it back. */
function warningsOf(
  state: RoutingState | undefined,
  { kind, id }: Pick<PlanItem, "kind"> & { readonly id: string },
): string[] {
  const [file] = state === undefined ? [] : entriesOfId(state, kind, id).flatMap(filesOf);
  return file === undefined ? [] : [`The next apply of ${file} puts it back.`];
}
