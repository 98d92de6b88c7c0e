import { defineCommand, flag } from "../../cli/define.ts";
import { routingJsonSchema } from "../../notify/file/schema.ts";

export default defineCommand({
  description:
    'Editors with yaml-language-server complete and check a routing file that begins with the comment "# yaml-language-server: $schema=routing.schema.json".',
  options: { tests: flag("print the schema of test cases for amp notify test") },
  printsJson: true,
  examples: [
    "amp notify schema > routing.schema.json",
    "amp notify schema --tests > cases.schema.json",
  ],
  run: async ({ options, write }) => {
    const schema = options.tests
      ? (await import("../../notify/cases/schema.ts")).casesJsonSchema()
      : routingJsonSchema();
    await write(`${JSON.stringify(schema, undefined, 2)}\n`);
  },
});
