import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { createNamed } from "../../../notify/create.ts";
import { nameCheck, withNameAdvice } from "../../../notify/model/names.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { createdPage } from "../../../notify/resource-page.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  args: {
    name: required(
      text("name of the topic: up to 64 letters, digits and dashes", {
        question: "Topic name",
        accepts: nameCheck("topic"),
      }),
    ),
  },
  options: stateOptions,
  needs: ["project"],
  effect: "write",
  examples: ["amp notify topics create customer-lifecycle"],
  fields: RESULT_FIELDS.topic,
  run: (context) => {
    const { name } = context.args;
    return withNameAdvice(createNamed(context, "topic", { name }, context.options), name, (valid) =>
      suggest("notify topics create", [valid]),
    );
  },
  view: record<LiveRecord>((created) =>
    createdPage(
      "topic",
      created,
      suggest("notify routes create", [], {
        topic: created.name || created.id,
        event: { placeholder: "event" },
      }),
    ),
  ),
});
