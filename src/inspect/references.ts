import type { Api } from "../api/operations/endpoint.ts";
import {
  listInstallations,
  listIntegrations,
  listProjectInstallations,
} from "../api/operations/endpoints.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { assertFailure, isKind } from "../errors.ts";
import { batchesOf, countedBatches } from "../values/batches.ts";
import { counted, numberText } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { type Block, type Cell, dimBlock, joined, row, rows } from "../view/view.ts";
import { readsOf } from "./config-blocks.ts";
import { groupName, integrationNames } from "./installations.ts";

interface ReadingInstallation {
  readonly id: string;
  /** The customer's group by name or ref; absent where the installation has none. */
  readonly group?: string;
  /** The first objects whose records go to the destination. */
  readonly objects: readonly string[];
}

/** The installations of one integration that read into a destination. */
export interface IntegrationReads {
  readonly integrationId: string;
  /** The name; absent where the service does not say it. */
  readonly integrationName?: string;
  /** The number of all of its installations that read into the destination. */
  readonly installations: number;
  /** The first of them, in the order of the service. */
  readonly first: readonly ReadingInstallation[];
}

/** The reads that name a destination. A customer's data goes nowhere if it does not exist. */
interface DestinationReads {
  readonly installations: number;
  /** The number of objects that are read into it, over all installations. */
  readonly objects: number;
  /** The reads by integration, the one with the most installations first. */
  readonly integrations: readonly IntegrationReads[];
}

/** The reads of a project by the name of their destination, or why they are not known. */
type References =
  | {
      readonly checked: true;
      /** The number of installations that were searched. */
      readonly searched: number;
      readonly reads: ReadonlyMap<string, DestinationReads>;
    }
  | { readonly checked: false; readonly why: string };

/** The part of a command's context that the search uses. */
export type ReferenceContext = Pick<CommandContext, "api" | "report"> & {
  readonly project: string;
};

/** The counts that are kept of a destination, however many installations name it. */
const FIRST_INSTALLATIONS = 3;
const FIRST_OBJECTS = 5;

/**
 * Finds the reads of the project's installations that name a destination. The list is read as it
 * arrives, in memory that depends on the number of destinations and integrations alone.
 * @param wanted the names of the destinations; absent: every name that a read has
 * @returns `checked: false` where the installations cannot be listed, which does not mean no reads
 */
export async function findReferences(
  { api, report, project }: ReferenceContext,
  wanted?: ReadonlySet<string>,
): Promise<References> {
  const found = new Map<string, Map<string, CountedReads>>();
  let searched = 0;
  const list = allInstallations(api, project);
  try {
    for await (const batch of countedBatches(
      list,
      report,
      "Searching the installations for reads",
    )) {
      for (const installation of batch) count(installation, found, wanted);
      searched += batch.length;
    }
  } catch (error) {
    assertFailure(error);
    return { checked: false, why: error.message };
  }
  const names = found.size > 0 ? await integrationNames(api, project) : new Map();
  const reads = [...found].map(([name, counted]) => [name, readsIn(counted, names)] as const);
  return { checked: true, searched, reads: new Map(reads) };
}

/** The installations of every integration; one after another where the service lists them so. */
export async function* allInstallations(
  api: Api,
  project: string,
): AsyncGenerator<readonly Installation[]> {
  const projectIdOrName = project;
  try {
    yield* batchesOf(await api.list(listProjectInstallations, { path: { projectIdOrName } }));
    return;
  } catch (error) {
    if (!isKind(error, "operation_missing")) throw error;
  }
  const integrations = await api.call(listIntegrations, { path: { projectIdOrName } });
  for (const { id: integrationId } of integrations) {
    const path = { projectIdOrName, integrationId };
    yield* batchesOf(await api.list(listInstallations, { path }));
  }
}

/** The reads of one integration into one destination while they are counted. */
interface CountedReads {
  installations: number;
  objects: number;
  readonly first: ReadingInstallation[];
}

function count(
  installation: Installation,
  found: Map<string, Map<string, CountedReads>>,
  wanted: ReadonlySet<string> | undefined,
): void {
  const reads = readsOf(installation.config);
  const byDestination = Map.groupBy(reads, ([, { destination }]) => destination || undefined);
  for (const [destination, objects] of byDestination) {
    if (destination === undefined || wanted?.has(destination) === false) continue;
    const integrations = found.get(destination) ?? new Map<string, CountedReads>();
    found.set(destination, integrations);
    const { integrationId, id } = installation;
    const counted = integrations.get(integrationId) ?? { installations: 0, objects: 0, first: [] };
    integrations.set(integrationId, counted);
    counted.installations += 1;
    counted.objects += objects.length;
    if (counted.first.length >= FIRST_INSTALLATIONS) continue;
    const names = objects.slice(0, FIRST_OBJECTS).map(([key, one]) => one.objectName || key);
    counted.first.push(defined({ id, group: groupName(installation), objects: names }));
  }
}

function readsIn(
  counted: ReadonlyMap<string, CountedReads>,
  names: ReadonlyMap<string, string>,
): DestinationReads {
  const integrations = [...counted]
    .map(([integrationId, { installations, first }]) => {
      const integrationName = names.get(integrationId);
      return defined({ integrationId, integrationName, installations, first });
    })
    .sort((a, b) => b.installations - a.installations);
  const sum = (field: "installations" | "objects") =>
    [...counted.values()].reduce((total, one) => total + one[field], 0);
  return { installations: sum("installations"), objects: sum("objects"), integrations };
}

/** The reads into one destination, or why they are not known: what JSON output says of it. */
export type ReadsInto =
  | ({ readonly checked: true; readonly searched: number } & DestinationReads)
  | { readonly checked: false; readonly why: string };

/** The references to one destination. */
export function readsInto(references: References, destination: string): ReadsInto {
  if (!references.checked) return references;
  const { searched, reads } = references;
  const found = reads.get(destination) ?? { installations: 0, objects: 0, integrations: [] };
  return { checked: true, searched, ...found };
}

/** The reads into a destination as a part of a page, by integration. */
export function readsBlock(reads: ReadsInto): Block {
  const heading = "Records from";
  if (!reads.checked) return rows([["Could not check", reads.why]], heading);
  if (reads.installations === 0) {
    return dimBlock(
      `No read delivers to it (${counted(reads.searched, "installation")} searched).`,
    );
  }
  return rows(
    reads.integrations.flatMap((one) =>
      row(one.integrationName ?? one.integrationId, integrationLines(one)),
    ),
    heading,
  );
}

function integrationLines({ installations, first }: IntegrationReads): Cell[] {
  const left = installations - first.length;
  return [
    counted(installations, "installation"),
    ...first.map(({ id, group, objects }) =>
      joined([group ?? id, objects.join(", "), group && id]),
    ),
    left > 0 ? `and ${numberText(left)} more` : undefined,
  ].filter((line) => line !== undefined);
}
