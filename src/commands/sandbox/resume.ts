import { sandboxPausing } from "./act-command.ts";

export default sandboxPausing("resume", "Sends the messages that waited, and later ones at once.");
