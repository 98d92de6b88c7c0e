import type { Acted } from "../../api/schemas/sandbox-event.ts";
import {
  type Command,
  defineCommand,
  type Params,
  type RunContext,
  record,
  required,
  row,
  rows,
  text,
  time,
} from "../../cli/define.ts";
import { act } from "../../events/sandbox-control.ts";
import { asList } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

/** Defines a command that does one thing to a running sandbox, whose answer may be odd. */
export function actCommand<
  const A extends Params = Record<never, never>,
  const O extends Params = Record<never, never>,
>(
  title: string,
  command: Pick<Command<A, O>, "description" | "args" | "options" | "examples">,
  request: (input: Pick<RunContext<A, O>, "args" | "options">) => readonly [string, object],
) {
  return defineCommand<A, O, never, Acted>({
    ...command,
    effect: "write",
    fields: RESULT_FIELDS.acted,
    run: (context) => act(context, ...request(context)),
    view: record((acted) => {
      const { now, name, destination, faults } = isJsonObject(acted) ? (acted as Acted) : {};
      const failing = asList(faults).map(
        (one) =>
          `${one.left} to ${one.destination ?? "any destination"}: ${one.status ?? one.kind}`,
      );
      const facts = { Time: time(now), Destination: name, ID: destination, Next: failing };
      return { title, blocks: [rows(Object.entries(facts).flatMap((fact) => row(...fact)))] };
    }),
  });
}

/** The command that pauses or resumes a destination. */
export function sandboxPausing(verb: "pause" | "resume", description: string) {
  const destination = text("name or ID of the destination", { complete: "destination" });
  return actCommand(
    `Destination ${verb}d`,
    {
      description,
      args: { destination: required(destination) },
      examples: [`amp sandbox ${verb} ops-webhook --profile sandbox`],
    },
    ({ args }) => ["pause", { destination: args.destination, paused: verb === "pause" }],
  );
}
