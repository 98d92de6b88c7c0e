import { defineCommand, flag, lines, required, text } from "../../../cli/define.ts";
import {
  rotateSecrets,
  type ShownSecrets,
  showSecrets,
} from "../../../notify/destination-secret.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Prints the secret itself; keep it out of logs. For a webhook, it is the one that its messages are signed with. --rotate makes a new one: it asks first, sends the request once, and never repeats it. During the rotation receivers need both secrets. If the outcome is unknown, read the secret again.",
  args: { destination: required(text("name or ID of the destination")) },
  options: {
    rotate: flag("make a new signing secret, and print it"),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  writes: ({ options }) => options.rotate,
  examples: [
    "amp notify destinations secret ops",
    "amp notify destinations secret ops --rotate --yes --json --fields secrets",
  ],
  fields: ["id", "name", "rotated", "secrets"],
  exits: {
    conflict: "several destinations have the name",
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
