import type { CommandContext } from "../../context/command-context.ts";
import type { RoutingGraph, RoutingSource } from "../../documents/notify.ts";
import { defined } from "../../values/json.ts";
import { routingErrors } from "../errors.ts";
import { quoted } from "../file/issues.ts";
import { namesInFile, sortedById, type Warn } from "../file/live-names.ts";
import {
  type FileContext,
  type FileOptions,
  type OfflineRouting,
  readRoutingOffline,
  STANDARD_INPUT,
} from "../file/read.ts";
import type { RoutingModel } from "../model/routing.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { type GraphParts, graphOf } from "./graph.ts";

/** A routing as a graph, with the place that it comes from. */
export interface LoadedGraph {
  readonly graph: RoutingGraph;
  readonly source: RoutingSource;
  /** The content of the file, where it comes from one. */
  readonly content?: OfflineRouting;
  /** The names of the listed destinations, also those that several of them have. */
  readonly listedNames?: ReadonlySet<string>;
}

/** The words for where a routing comes from, for titles and messages. */
export function sourceText({ file, project }: RoutingSource): string {
  return file ?? `project ${project}`;
}

/** The options of a suggested command that reads the same routing; a pipe cannot be read again. */
export function sourceOptions({ file }: RoutingSource): { readonly f?: string } {
  return file === undefined || file === STANDARD_INPUT ? {} : { f: file };
}

/** The part of a command's context that loading a routing uses. */
type GraphContext = Omit<FileContext, "project"> &
  Pick<CommandContext, "api"> & {
    /** @throws {UsageError} where no project is set */
    readonly requireProject: () => string;
  };

/** The options of the commands that explain a routing. */
type GraphOptions = Omit<FileOptions, "file"> & { readonly file: string | undefined };

/**
 * Loads the routing of a file, without login and network, or else that which the service lists.
 * @throws {NotFoundError} where there is no file, and the service has no lists
 */
export async function loadGraph(
  context: GraphContext,
  { file, ...options }: GraphOptions,
): Promise<LoadedGraph> {
  if (file !== undefined) {
    const routing = await readRoutingOffline(context, { ...options, file });
    const graph = graphOf(partsOfModel(routing.model));
    return { graph, source: { file: routing.file }, content: routing };
  }
  const project = context.requireProject();
  const live = await listRouting({ api: context.api, project });
  if (live === undefined) {
    throw routingErrors.routing_not_listed("", "Add -f FILE to read a routing file instead.");
  }
  const graph = graphOf(partsOfLists(live, (warning) => context.report.warn(warning)));
  const listedNames = new Set(live.destination.flatMap(({ name }) => name || []));
  return { graph, source: { project }, listedNames };
}

/** The parts of the graph of a routing file. */
export function partsOfModel({ topics, destinations }: RoutingModel): GraphParts {
  return {
    topics: [...topics].map(([name, topic]) => ({ name, ...topic })),
    destinations: [...destinations].map(([name, part]) => ({
      name,
      ...(part.kind === "existing" ? { id: part.id } : {}),
      ...defined({ type: part.type }),
    })),
  };
}

/**
 * The parts of the graph of a live routing. A record without a name has its ID for a name.
 * @param warn receives the routes and records that a graph cannot show
 */
export function partsOfLists(live: LiveRouting, warn: Warn): GraphParts {
  const destinationNames = namesInFile("destination", live.destination, warn);
  const topicNames = namesInFile("topic", live.topic, warn);
  const topics = new Map(
    [...topicNames.values()].map(({ record: { id }, key }) => [
      id,
      {
        name: key,
        id,
        events: [] as string[],
        destinations: [] as string[],
        unlisted: [] as string[],
      },
    ]),
  );
  const lost = (id: string) =>
    warn(`Route ${quoted(id)} refers to a resource that is not listed; left out.`);
  for (const { id, topicId, eventType } of sortedById(live["event-route"])) {
    const topic = topics.get(topicId ?? "");
    if (topic === undefined || !eventType) lost(id);
    else topic.events.push(eventType);
  }
  for (const { id, topicId, destinationId } of sortedById(live["destination-route"])) {
    const topic = topics.get(topicId ?? "");
    const destination = destinationNames.get(destinationId ?? "");
    if (destination === undefined && destinationId) topic?.unlisted.push(destinationId);
    if (topic === undefined || destination === undefined) lost(id);
    else topic.destinations.push(destination.key);
  }
  return {
    topics: [...topics.values()].map(({ unlisted, ...topic }) =>
      unlisted.length === 0 ? topic : { ...topic, unlisted },
    ),
    destinations: [...destinationNames.values()].map(({ record: { id, type }, key }) => ({
      name: key,
      id,
      ...(type ? { type } : {}),
    })),
  };
}
