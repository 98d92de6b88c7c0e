import { actCommand } from "./act-command.ts";

const description =
  "Brings back the data with which the sandbox started, for example between tests: without events, faults and pauses, and with the clock set back.";
const examples = ["amp sandbox reset --profile sandbox"];

export default actCommand("Sandbox reset", { description, examples }, () => ["reset", {}]);
