import type { Answers, DestinationAnswer, TopicAnswer } from "./answers.ts";
import type { DestinationContent } from "./destination-input.ts";
import { existingById } from "./existing.ts";
import type { SetupOptions } from "./setup-options.ts";
import type { Survey } from "./survey.ts";

/**
 * The answers that complete options give.
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
  return {
    kind: "new",
    name: given(destinationName),
    type: given(destinationType),
    ...content,
  };
}

function topicFrom({ topic, topicId }: SetupOptions, { topics }: Survey): TopicAnswer {
  if (topicId !== undefined) return existingById("topic", topics, topicId);
  return { kind: "new", name: given(topic) };
}

/** What is missing has been named before. */
function given(value: string | undefined): string {
  if (value === undefined) throw new Error("an option is missing");
  return value;
}
