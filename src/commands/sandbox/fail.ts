import { integer, text, value, withDefault } from "../../cli/define.ts";
import { eventErrors } from "../../events/errors.ts";
import { actCommand } from "./act-command.ts";

export default actCommand(
  "The next deliveries will fail",
  {
    description:
      "The next deliveries fail at once, without being sent; the sandbox tries again as usual.",
    args: {
      destination: text("name or ID of the destination; default: all", { complete: "destination" }),
    },
    options: {
      next: integer("number of deliveries (default 1)", { min: 1, max: 10_000 }),
      with: withDefault(value("a status, timeout or reset", "answer", readFault), "503"),
    },
    examples: [
      "amp sandbox fail ops-webhook --next 2 --profile sandbox",
      "amp sandbox fail --with timeout --profile sandbox",
    ],
  },
  ({ args: { destination }, options: { next, with: fault } }) => [
    "faults",
    { destination, next, ...fault },
  ],
);

/** @throws {UsageError} */
function readFault(typed: string) {
  if (typed === "timeout" || typed === "reset") return { kind: typed };
  if (/^[345]\d\d$/u.test(typed)) return { kind: "status", status: Number(typed) };
  throw eventErrors.fault_invalid(typed);
}
