import type { Prompter } from "../../context.ts";
import type { Sources } from "../destination-input.ts";
import type { ReviewPage } from "../review.ts";
import type { Survey, TopicRoutes } from "../survey.ts";

/** What the questions are asked with. */
export interface Desk {
  readonly prompt: Prompter;
  /** Shows what a question is about. */
  readonly show: (page: ReviewPage) => void;
  /** Says why an answer will not do, where that takes longer than a keystroke. */
  readonly tell: (text: string) => void;
  readonly sources: Sources;
  readonly survey: Survey;
  readonly routesOf: (topicId: string) => Promise<TopicRoutes>;
}

/** The choices, the one that was made before at the top, where Enter takes it. */
export function earlierFirst<Item>(
  choices: readonly Item[],
  wasChosen: (choice: Item) => boolean,
): Item[] {
  return [...choices.filter(wasChosen), ...choices.filter((choice) => !wasChosen(choice))];
}
