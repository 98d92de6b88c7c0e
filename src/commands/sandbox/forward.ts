import { duration, required } from "../../cli/define.ts";
import { actCommand } from "./act-command.ts";

export default actCommand(
  "Clock set forward",
  {
    description:
      "Sets the clock of the sandbox forward. Attempts to deliver that are due meanwhile are made, each at its own time.",
    args: { duration: required(duration("how far, such as 5m, 10h or 3d")) },
    examples: ["amp sandbox forward 1h --profile sandbox"],
  },
  ({ args }) => ["clock", { forward: `${args.duration}ms` }],
);
