import { defineCommand } from "../../cli/define.ts";
import { routingJsonSchema } from "../../notify/file/schema.ts";

export default defineCommand({
  description:
    'Editors with yaml-language-server complete and check a routing file that begins with the comment "# yaml-language-server: $schema=routing.schema.json".',
  printsJson: true,
  examples: ["amp notify schema > routing.schema.json"],
  run: async ({ write }) => write(`${JSON.stringify(routingJsonSchema(), undefined, 2)}\n`),
});
