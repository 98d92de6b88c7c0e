import { destinationType } from "../../../api/catalogue/destination-types.ts";
import type { NamedKind } from "../../model/resource.ts";
import type { DestinationAnswer, TopicAnswer } from "../answers.ts";
import { askName, type WizardContext } from "./context.ts";
import { askField } from "./fields.ts";

/**
 * Asks again for the one value of a new destination that the service refused.
 * @param input as the service names it
 * @returns undefined where no single question has this value
 */
export async function correctDestination(
  context: WizardContext,
  destination: DestinationAnswer,
  input: string | undefined,
): Promise<DestinationAnswer | undefined> {
  if (destination.kind !== "new") return undefined;
  if (input === "name") {
    return { ...destination, name: await correctName(context, "destination", destination.name) };
  }
  const field = destinationType(destination.type)?.metadata.find(
    ({ name, shape }) => shape !== "map" && input === `metadata.${name}`,
  );
  if (field === undefined) return undefined;
  const { [field.name]: before, ...rest } = destination.metadata;
  const value = await askField(context, field, undefined, before);
  const metadata = value === undefined ? rest : { ...rest, [field.name]: value };
  return { ...destination, metadata };
}

/** Asks again for the name of a new topic, if the service refused only that. */
export async function correctTopic(
  context: WizardContext,
  topic: TopicAnswer,
  input: string | undefined,
): Promise<TopicAnswer | undefined> {
  if (topic.kind !== "new" || input !== "name") return undefined;
  return { kind: "new", name: await correctName(context, "topic", topic.name) };
}

function correctName(context: WizardContext, kind: NamedKind, before: string): Promise<string> {
  const flag = kind === "topic" ? "--topic" : "--destination-name";
  return askName(context, kind, flag, { given: undefined, before, suggested: before });
}
