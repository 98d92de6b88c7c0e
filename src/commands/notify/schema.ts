import { defineCommand } from "../../cli/define.ts";
import { routingSchema } from "../../notify/file/schema.ts";

export default defineCommand({
  description:
    "For editors: begin the file with  # yaml-language-server: $schema=routing.schema.json",
  examples: ["amp notify schema > routing.schema.json"],
  run: async ({ write }) => write(`${JSON.stringify(routingSchema(), undefined, 2)}\n`),
});
