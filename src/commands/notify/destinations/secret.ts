import { defineCommand, flag, lines, required, text } from "../../../cli/define.ts";
import type { ShownSecrets } from "../../../documents/notify.ts";
import { rotateSecrets, showSecrets } from "../../../notify/destination-secret.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Prints the secret itself; keep it out of logs. It signs the messages of the webhook. --rotate creates a new one: it asks for confirmation, and sends the request only once. During the rotation, receivers need both secrets. If the outcome is unknown, run the command again without --rotate.",
  args: {
    destination: required(text("name or ID of the destination", { complete: "destination" })),
  },
  options: {
    rotate: flag("create a new signing secret, and print it"),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  writes: ({ options }) => options.rotate,
  examples: [
    "amp notify destinations secret ops",
    "amp notify destinations secret ops --rotate --yes --json --fields secrets",
  ],
  fields: RESULT_FIELDS.destinationSecret,
  exits: {
    conflict: "several destinations have this name",
    partial: "it is unknown whether the secret was rotated",
  },
  run: (context) => {
    const { args, options } = context;
    return options.rotate
      ? rotateSecrets(context, args.destination, options)
      : showSecrets(context, args.destination, options);
  },
  view: lines<ShownSecrets>(
    ({ secrets }) => {
      const [[, only] = [], more] = Object.entries(secrets);
      if (more === undefined) return typeof only === "string" ? only : "";
      return Object.entries(secrets)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join("\n");
    },
    ({ id }) => id,
  ),
});
