import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import { defineCommand, required, table, text } from "../../cli/define.ts";
import {
  ATTEMPT_COLUMNS,
  ATTEMPT_FIELDS,
  redeliverMessage,
  SPARE_COLUMNS,
} from "../../trigger/deliveries.ts";

/** An outcome that this version does not know may be a success. */
const FAILED: ReadonlySet<string> = new Set(["failed", "aborted", "not_sent"]);

export default defineCommand({
  description:
    "Sends a message again immediately, whatever its state is, with the same ID and a new signature. An event ID selects all messages of the event. A successful delivery enables a disabled destination.",
  args: {
    message: required(
      text("message or event ID, or its beginning as amp sandbox deliveries shows it"),
    ),
  },
  needs: ["project"],
  effect: "write",
  examples: ["amp sandbox redeliver msg_6dd07a6fd5c54e4e2b3a8ff1"],
  fields: ATTEMPT_FIELDS,
  exits: { check: "a message was not delivered" },
  run: ({ api, project, args }) => redeliverMessage({ api }, project, args.message),
  exit: (attempts) => {
    // In a dry run there are none.
    const isFailed = Array.isArray(attempts) && attempts.some((one) => FAILED.has(one?.outcome));
    return isFailed ? "check" : "ok";
  },
  view: table<DeliveryAttempt>(["attempt", "attempts"], ATTEMPT_COLUMNS, {
    id: ({ messageId }) => messageId,
    spare: SPARE_COLUMNS,
  }),
});
