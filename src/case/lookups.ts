import {
  getBackfillProgress,
  getProvider,
  listConnections,
  listInvites,
  listProjects,
  listProviderApps,
  listProviders,
} from "../api/operations/endpoints.ts";
import type { Installation, ListedConnection } from "../api/schemas/installation.ts";
import type { ProviderApp } from "../api/schemas/project.ts";
import type { CommandContext } from "../context/command-context.ts";
import { groupOf, installationPath } from "../inspect/installations.ts";
import { batchesOf } from "../values/batches.ts";
import { originalOf } from "../values/odd-fields.ts";
import { readNames } from "./facts.ts";
import type { Recorder } from "./recorder.ts";

type LookupContext = Pick<CommandContext, "api" | "settings"> & { readonly project: string };

/** A part that only the reader of a case looks up. */
function lookup(what: string, role: "lookup" | "catalogue" = "lookup") {
  return { role, what, mayLack: true };
}

/** The maximum number of connections in a case; of a longer list it keeps those of the group. */
const MAX_CONNECTIONS = 2_000;
/** The maximum number of requests for the providers, or for the objects of one installation. */
const MAX_SINGLES = 20;

/**
 * Records what no rule judges, so that the commands which only read find it in the saved case:
 * projects, provider apps, providers, connections, invites, and reads of all records. What the
 * service does not have, or not for this credential, is recorded as such and need not be reported.
 */
export async function recordLookups(
  context: LookupContext,
  installation: Installation,
  recorder: Recorder,
): Promise<void> {
  const { project, settings } = context;
  const path = { projectIdOrName: project };
  const orgId = settings.get("org")?.value;
  const [apps, providers] = await Promise.all([
    recorder.call(lookup("provider apps"), listProviderApps, { path }),
    recorder.call(lookup("providers", "catalogue"), listProviders, {}),
    recorder.call(lookup("projects"), listProjects, {}),
    recordConnections(context, installation, recorder),
    orgId && recorder.call(lookup("invites"), listInvites, { path: { orgId } }),
    recordBackfills(context, installation, recorder),
  ]);
  if (providers === undefined) await recordProviders(apps ?? [], installation, recorder);
}

async function recordConnections(
  { api, project }: LookupContext,
  installation: Installation,
  recorder: Recorder,
): Promise<void> {
  const path = { projectIdOrName: project };
  const groupRef = groupOf(installation)?.groupRef || undefined;
  const isOfGroup = ({ id, group }: ListedConnection) =>
    id === installation.connection.id || (groupRef !== undefined && group?.groupRef === groupRef);
  await recorder.ask(lookup("connections"), listConnections, { path }, async () => {
    let kept: ListedConnection[] = [];
    let total = 0;
    for await (const batch of batchesOf(await api.list(listConnections, { path }))) {
      const isLong = total + batch.length > MAX_CONNECTIONS;
      if (isLong && total <= MAX_CONNECTIONS) kept = kept.filter(isOfGroup);
      total += batch.length;
      kept.push(...(isLong ? batch.filter(isOfGroup) : batch));
    }
    const of = total > MAX_CONNECTIONS ? total : undefined;
    return { records: kept, body: originalOf(kept), of };
  });
}

/** Records each provider that is named, at a service that does not list them. */
async function recordProviders(
  apps: readonly ProviderApp[],
  { config, connection }: Installation,
  recorder: Recorder,
): Promise<void> {
  const own = config.content?.provider ?? connection.provider;
  const names = new Set([own, ...apps.map(({ provider }) => provider)].filter(Boolean));
  await Promise.all(
    [...names].slice(0, MAX_SINGLES).map((name) => {
      const path = { provider: String(name) };
      return recorder.call(lookup(`provider ${name}`, "catalogue"), getProvider, { path });
    }),
  );
}

/** Records how far the reads of all records have come; most objects have none. */
async function recordBackfills(
  { project }: LookupContext,
  installation: Installation,
  recorder: Recorder,
): Promise<void> {
  const names = [...new Set(readNames(installation))];
  await Promise.all(
    names.slice(0, MAX_SINGLES).map((objectName) => {
      const path = { ...installationPath(project, installation), objectName };
      return recorder.call(lookup(`progress of ${objectName}`), getBackfillProgress, { path });
    }),
  );
}
