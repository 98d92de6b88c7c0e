import { pausingCommand } from "./pausing-command.ts";

export default pausingCommand("resume");
