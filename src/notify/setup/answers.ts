import { createHash } from "node:crypto";
import { readdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandContext, RunEnvironment } from "../../context/command-context.ts";
import { readOwnFile } from "../../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { publishNames } from "../../secrets/secret.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { routingFileTexts } from "../file/write.ts";
import { findResource, searchFor } from "../find-resource.ts";
import { namePath, SETUP_PREFIX } from "../model/address.ts";
import type { LiveRecord, NamedKind } from "../model/resource.ts";
import {
  type ExistingDestination,
  mapSecretPaths,
  type NewDestination,
  type RoutingModel,
} from "../model/routing.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { Plan } from "../plan/plan.ts";
import type { StateBackend } from "../state/backend.ts";
import { diskError } from "../state/local/state-file.ts";

/** A resource that exists. `name` is its ID where the service has no name for it. */
export interface ExistingAnswer extends ExistingDestination {
  readonly name: string;
}

/** The destination of a setup. */
export type DestinationAnswer = (NewDestination & { readonly name: string }) | ExistingAnswer;

/** The topic of a setup. */
export type TopicAnswer = { readonly kind: "new"; readonly name: string } | ExistingAnswer;

/** The answers of a setup. */
export interface SetupAnswers {
  readonly destination: DestinationAnswer;
  readonly topic: TopicAnswer;
  readonly events: readonly string[];
}

/**
 * The routing that the answers ask for. Its name has a hash of the event types: a second setup with
 * other ones gets another name, so that neither deletes the routes of the other.
 */
export function modelOfAnswers({ destination, topic, events }: SetupAnswers): RoutingModel {
  const { name, ...part } = destination;
  publishNames([name, topic.name]);
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  const names = namePath(topic.name, name);
  return {
    name: `${SETUP_PREFIX}${names}-${hashOf(events.toSorted().join())}`,
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

/** The answers that ask for this routing; undefined for more than one topic or destination. */
export function answersOfModel({ destinations, topics }: RoutingModel): SetupAnswers | undefined {
  const [destination, ...furtherDestinations] = destinations;
  const [topic, ...furtherTopics] = topics;
  if (!destination || !topic || furtherDestinations.length + furtherTopics.length > 0) {
    return undefined;
  }
  const [topicName, { id, events }] = topic;
  const [name, part] = destination;
  return {
    destination: { ...part, name },
    topic:
      id === undefined
        ? { kind: "new", name: topicName }
        : { kind: "existing", id, name: topicName },
    events,
  };
}

/** A routing file that was written. */
export interface SavedFile {
  readonly savedTo: string;
  /** The command that applies the file. */
  readonly applyCommand: SuggestedCommand;
}

/** The decision of a setup: its routing and what to do with it. */
export interface SetupDecision {
  /** `save`: write the routing file, and create nothing. */
  readonly action: "create" | "save";
  readonly model: RoutingModel;
  /** The file that the wizard asked for and wrote. */
  readonly saved?: SavedFile;
  /** The plan that the user has reviewed; absent if there was no prompt. */
  readonly reviewed?: Plan;
  /** True if options gave every answer: the typed command repeats it. */
  readonly isTyped?: true;
  /** The answers, if there were prompts. */
  readonly answers?: SetupAnswers;
  /** Whether to recreate resources that are no longer listed, where that could be chosen. */
  readonly recreate?: boolean;
}

/** Answers of which a part is to be changed. */
export interface ChangedAnswers {
  readonly answers: SetupAnswers;
  /** The part to prompt for; if absent, the user chooses it. */
  readonly part?: keyof SetupAnswers;
  /** Whether to begin with the review: the user may agree to the answers as they are. */
  readonly isReviewed?: boolean;
  /** The only input that was refused, as the service names it: `metadata.url`. */
  readonly input?: string | undefined;
}

/** A short text that differs for different texts. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** The fields of a destination or topic that its selection needs. */
export type ListedRecord = Pick<LiveRecord, "id" | "name" | "type">;

/**
 * The existing resource with a given ID or name.
 * @param listed undefined where the service has no lists: then any ID is accepted
 * @throws {NotFoundError} where the service lists no such resource
 * @throws {ConflictError} if several have the name, without an interactive terminal
 */
export async function findExisting(
  kind: NamedKind,
  listed: readonly LiveRecord[] | undefined,
  wanted: string,
  asker: Pick<CommandContext, "interactive" | "prompt">,
): Promise<ExistingAnswer> {
  if (listed === undefined) return existingAnswer({ id: wanted });
  const search = { ...searchFor(kind, `--${kind}-id`), exact: true };
  return existingAnswer(await findResource(kind, wanted, { [kind]: listed }, search, asker));
}

/** The only listed resource with a name; undefined where there is none or several. */
export function namedRecord(
  live: LiveRouting | undefined,
  kind: NamedKind,
  name: string | undefined,
): LiveRecord | undefined {
  const [found, another] = live?.[kind].filter((record) => record.name === name) ?? [];
  return another === undefined ? found : undefined;
}

/** A record of the service as an answer. */
export function existingAnswer({ id, name, type }: ListedRecord): ExistingAnswer {
  return { kind: "existing", id, name: name || id, ...(type ? { type } : {}) };
}

/** The answers of a setup that did not finish, as a routing file: they outlive a kill. */
export interface Unfinished {
  readonly path: string;
  readonly text: string;
}

/** An unfinished setup that was found. */
export interface FoundSetup extends Unfinished {
  /** When it was started, in ms. */
  readonly started: number;
}

/**
 * The unfinished setups of a state: files beside a local one; of a remote one, in the default
 * folder.
 */
export function unfinishedSetups(
  { local, location }: Pick<StateBackend, "local" | "location">,
  { stateFolder }: Pick<RunEnvironment, "stateFolder">,
) {
  const base = local ? location : join(stateFolder, `remote_${hashOf(location)}`);
  const folder = dirname(base);
  const read = (path: string) =>
    readOwnFile(path).catch((error: unknown) => {
      throw diskError("read", path, error);
    });
  return {
    /** The last one first. */
    list: async (): Promise<readonly FoundSetup[]> => {
      const names = await readdir(folder).catch((): string[] => []);
      const paths = names.flatMap((name) =>
        name.startsWith(`${basename(base)}.`) && /\.[\da-f]{8}\.setup\.yaml$/u.test(name)
          ? join(folder, name)
          : [],
      );
      const found = await Promise.all(
        paths.map(async (path) => {
          const text = await read(path);
          const started = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
          return text === undefined ? [] : [{ path, text, started }];
        }),
      );
      return found.flat().sort((one, other) => other.started - one.started);
    },
    /**
     * The place of a setup's answers. One of the same name has the same resources, and replaces it.
     */
    of: ({ name = "" }: Pick<RoutingModel, "name">, text: string): Unfinished => ({
      path: `${base}.${hashOf(name)}.setup.yaml`,
      text,
    }),
    /** Saves the answers. Only the holder of the state's lock may call it. */
    save: async ({ path, text }: Unfinished) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    /** Removes these, unless another run has changed them. */
    remove: async (these: readonly Unfinished[]) => {
      for (const { path, text } of these) {
        // A file that cannot be removed is offered again, and its routing found in place.
        const now = await read(path).catch(() => undefined);
        if (now === text) await unlink(path).catch(() => {});
      }
    },
  };
}

/**
 * The text of the file: it has the references of secrets, never their values; credentials in the
 * metadata it has as they are, so that nothing must be typed again. The state beside it belongs to
 * one project, which may be given by ID or name.
 */
export async function unfinishedText(
  model: RoutingModel,
  { cwd }: Pick<RunEnvironment, "cwd">,
): Promise<string> {
  const placed = mapSecretPaths(model, (path) => resolve(cwd, path));
  return (await routingFileTexts(placed, { literal: true })).text;
}
