import { ConflictError } from "../errors.ts";
import type { Answers, DestinationAnswer, TopicAnswer } from "./answers.ts";
import type { DestinationContent } from "./destination-input.ts";
import { existingById } from "./existing.ts";
import type { Named } from "./names.ts";
import type { SetupOptions } from "./setup-options.ts";
import type { Survey } from "./survey.ts";

/**
 * The answers that complete options give, checked against what the service lists before anything is
 * created.
 * @throws {ConflictError} for the name of something that exists
 * @throws {NotFoundError} for the id of something that does not
 */
export function answersFrom(
  options: SetupOptions,
  content: DestinationContent,
  survey: Survey,
): Answers {
  return {
    destination: destinationFrom(options, content, survey),
    topic: topicFrom(options, survey),
    events: [...new Set(options.event)],
  };
}

function destinationFrom(
  { destinationId, destinationName, destinationType }: SetupOptions,
  content: DestinationContent,
  { destinations }: Survey,
): DestinationAnswer {
  if (destinationId !== undefined) return existingById("destination", destinations, destinationId);
  const name = free("destination", given(destinationName), destinations);
  return { kind: "new", name, type: given(destinationType), ...content };
}

function topicFrom({ topic, topicId }: SetupOptions, { topics }: Survey): TopicAnswer {
  if (topicId !== undefined) return existingById("topic", topics, topicId);
  return { kind: "new", name: free("topic", given(topic), topics) };
}

/** What is missing has been named before. */
function given(value: string | undefined): string {
  if (value === undefined) throw new Error("an option is missing");
  return value;
}

function free(
  what: Named,
  name: string,
  listed: readonly { readonly id: string; readonly name?: string | null | undefined }[] = [],
): string {
  const taken = listed.find((one) => one.name === name);
  if (taken === undefined) return name;
  throw new ConflictError(`A ${what} named ${JSON.stringify(name)} exists already`, {
    remedy: `To use it, give --${what}-id ${taken.id} in place of its name.`,
    done: "Nothing was created.",
    data: { existing: { id: taken.id, name } },
  });
}
