import { defineCommand } from "../../cli/define.ts";
import { routingJsonSchema } from "../../notify/file/schema.ts";

export default defineCommand({
  description:
    'An editor with yaml-language-server completes and checks a routing file that names the schema in a comment at its top: "yaml-language-server: $schema=routing.schema.json".',
  examples: ["amp notify schema > routing.schema.json"],
  run: async ({ write }) => write(`${JSON.stringify(routingJsonSchema(), undefined, 2)}\n`),
});
