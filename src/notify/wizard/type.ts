import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type KnownDestinationType,
} from "../../api/destination-types.ts";
import type { Choice } from "../../context.ts";
import { notEmpty } from "../names.ts";
import { type Desk, earlierFirst } from "./desk.ts";

/** What stands beside the webhook, which has a choice of its own, grouped by what one does with it. */
const GROUPS: Readonly<Record<Exclude<KnownDestinationType, "webhook">, string>> = {
  slack: "Chat",
  kinesis: "Queues and streams",
  sqs: "Queues and streams",
  pubsub: "Queues and streams",
  rabbitmq: "Queues and streams",
  azureservicebus: "Queues and streams",
  s3: "Storage and databases",
  clickhouse: "Storage and databases",
  snowflake: "Storage and databases",
  bigquery: "Storage and databases",
  redshift: "Storage and databases",
};

/** Asks for a type other than webhook; one that amp does not know is typed. */
export async function askType({ prompt }: Desk, before?: string): Promise<string> {
  const flag = "--destination-type";
  const choice = await prompt.select({ message: "Type", flag, choices: choicesFor(before) });
  if (choice !== undefined) return choice;
  return prompt.input({
    message: "Name of the type",
    flag,
    check: notEmpty,
    ...(before === undefined || Object.hasOwn(DESTINATION_TYPES, before)
      ? {}
      : { default: before }),
  });
}

function choicesFor(before: string | undefined): Choice<string | undefined>[] {
  const known = earlierFirst(
    DESTINATION_TYPE_NAMES.filter((name) => name !== "webhook"),
    (name) => name === before,
  );
  const order = [...new Set(known.map((name) => GROUPS[name]))];
  const grouped = order.flatMap((group) =>
    known
      .filter((name) => GROUPS[name] === group)
      .map(
        (name, at): Choice<string | undefined> => ({
          value: name,
          label: name,
          note: DESTINATION_TYPES[name].summary,
          ...(at === 0 ? { group } : {}),
        }),
      ),
  );
  return [
    ...grouped,
    { value: undefined, label: "another", note: "one that amp does not know yet" },
  ];
}
