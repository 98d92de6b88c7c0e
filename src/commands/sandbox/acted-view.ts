import type { Acted } from "../../api/schemas/sandbox-event.ts";
import { record, row, rows, time } from "../../cli/define.ts";
import { asList } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";

/** The page of what was done to a sandbox, whose answer may be odd. */
export function actedView(title: string) {
  return record<Acted>((acted) => {
    const { now, destination, faults } = isJsonObject(acted) ? (acted as Acted) : {};
    const failing = asList(faults).map(
      (one) => `${one.left} to ${one.destination ?? "any destination"}: ${one.status ?? one.kind}`,
    );
    return {
      title,
      blocks: [
        rows([
          ...row("Time", time(now)),
          ...row("Destination", destination),
          ...row("Next", failing.join("; ") || undefined),
        ]),
      ],
    };
  });
}
