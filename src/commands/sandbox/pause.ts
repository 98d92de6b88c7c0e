import { sandboxPausing } from "./act-command.ts";

export default sandboxPausing(
  "pause",
  "Messages to the destination wait until amp sandbox resume.",
);
