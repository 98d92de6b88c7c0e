import { defineCommand, integer, text, value, withDefault } from "../../cli/define.ts";
import { eventErrors } from "../../events/errors.ts";
import { act } from "../../events/sandbox-control.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { actedView } from "./acted-view.ts";

export default defineCommand({
  description:
    "The next deliveries fail at once, without being sent; the sandbox tries again as usual.",
  args: {
    destination: text("name or ID of the destination; default: all", { complete: "destination" }),
  },
  options: {
    next: integer("number of deliveries (default 1)", { min: 1, max: 10_000 }),
    with: withDefault(value("a status, timeout or reset", "answer", readFault), "503"),
  },
  effect: "write",
  examples: [
    "amp sandbox fail ops-webhook --next 2 --profile sandbox",
    "amp sandbox fail --with timeout --profile sandbox",
  ],
  fields: RESULT_FIELDS.acted,
  run: (context) => {
    const { args, options } = context;
    const { next, with: fault } = options;
    return act(context, "faults", { destination: args.destination, next, ...fault });
  },
  view: actedView("The next deliveries will fail"),
});

/** @throws {UsageError} */
function readFault(typed: string) {
  if (typed === "timeout" || typed === "reset") return { kind: typed };
  if (/^[345]\d\d$/u.test(typed)) return { kind: "status", status: Number(typed) };
  throw eventErrors.fault_invalid(typed);
}
