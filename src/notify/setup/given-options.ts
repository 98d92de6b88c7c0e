import { UsageError } from "../../errors.ts";
import { mistypedName } from "../../values/nearest.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import { nameCheck, nearestEvent, nearestName } from "../model/names.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { SetupOptions } from "./answers.ts";

/** The options that are missing, for each of which the wizard would ask. */
export function missingOptions(options: SetupOptions, content: DestinationContent): string[] {
  const { destinationId, destinationName, destinationType: type } = options;
  const isNew = destinationId === undefined;
  const url = content.metadata.url;
  return [
    isNew && destinationName === undefined && "--destination-name (or --destination-id)",
    isNew && type === undefined && "--destination-type",
    // The specification shows only this type, with this field.
    isNew && (type ?? "webhook") === "webhook" && (url === undefined || url === "") && "--url",
    options.topic === undefined && options.topicId === undefined && "--topic (or --topic-id)",
    options.event.length === 0 && "--event",
  ].filter((flag) => flag !== false);
}

/**
 * Refuses mistyped event types, also with `--yes`, which a setup without questions always has.
 * @throws {UsageError} where a known event type has nearly this name
 */
export function assertEvents(events: readonly string[]): void {
  for (const event of events) {
    const near = nearestEvent(event);
    if (near === undefined) continue;
    throw mistypedName(`Unknown event type ${JSON.stringify(event)}`, {
      near,
      anyway: "add its route with amp notify event-routes create",
      done: "Nothing was sent.",
    });
  }
}

/**
 * Refuses names that the live platform refuses, which it would do after the first create. What exists
 * may have any name, and of a service without lists no rule is known.
 * @param live lists the routing; called only for such a name
 * @throws {UsageError} naming the option
 */
export async function assertNames(
  { destinationName, topic }: Pick<SetupOptions, "destinationName" | "topic">,
  live: () => Promise<LiveRouting | undefined>,
): Promise<void> {
  const given = [
    ["destination", "--destination-name", destinationName],
    ["topic", "--topic", topic],
  ] as const;
  for (const [kind, flag, name] of given) {
    const problem = name === undefined || nameCheck(kind, [])(name);
    if (name === undefined || problem === true) continue;
    const listed = (await live())?.[kind];
    if (listed === undefined || listed.some((record) => record.name === name)) continue;
    const near = nearestName(name);
    throw new UsageError(
      `${flag} ${JSON.stringify(name)}: ${problem.charAt(0).toLowerCase()}${problem.slice(1)}`,
      near === undefined ? {} : { remedy: `Use another name, for example ${near}.` },
    );
  }
}

/** The options, which select a destination that exists where they give nothing but its name. */
export async function withExistingDestination(
  options: SetupOptions,
  content: DestinationContent,
  live: () => Promise<LiveRouting | undefined>,
): Promise<SetupOptions> {
  const { destinationName: name, destinationType: type } = options;
  const selecting = {
    ...options,
    destinationName: undefined,
    destinationType: undefined,
    destinationId: name,
  };
  const isOnlyNamed =
    Object.keys(content.metadata).length + Object.keys(content.secrets).length === 0 &&
    missingOptions(options, content).length > 0 &&
    missingOptions(selecting, content).length === 0;
  if (name === undefined || !isOnlyNamed) return options;
  const isMeant = (one: { name?: unknown; type?: unknown }) =>
    one.name === name && [undefined, one.type].includes(type);
  return (await live())?.destination.some(isMeant) ? selecting : options;
}
