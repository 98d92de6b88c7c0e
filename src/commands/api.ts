import { answerHead, fillPlaceholders, rawRequest } from "../api/operations/raw.ts";
import { defineCommand, file, flag, pair, required, several, text, uuid } from "../cli/define.ts";

export default defineCommand({
  description:
    "The path is relative to the base URL; {project}, {org} and {integration} are replaced. The response body is written to stdout unchanged, whatever its status, including any secrets in it. An error status also sets the exit code.",
  args: {
    method: required(text("HTTP method, for example GET")),
    path: required(text("path relative to the base URL, for example /projects/{project}/topics")),
  },
  options: {
    field: several(
      pair(
        "field of the query (GET, DELETE, or with --input), otherwise of the JSON body; key:=5 for a JSON value, key[]=a for an item of a list",
      ),
    ),
    input: file("file to send as the body; - for standard input"),
    include: flag("print the status line and headers before the body"),
    org: text("organisation ID for {org}", { placeholder: "id", setting: "org" }),
    integration: uuid("integration ID for {integration}", { setting: "integration" }),
  },
  effect: "write",
  writes: ({ args }) => !/^(get|head)$/iu.test(args.method),
  examples: [
    "amp api GET /projects/{project}/topics",
    "amp api GET /projects/{project}/installations --field groupRef=acme --include",
    "amp api POST /projects/{project}/topics --field name=lifecycle",
    "amp api POST /path --field count:=5 --field 'ids[]=a' --field 'ids[]=b'",
  ],
  run: async ({ api, args, options, settings, files, write }) => {
    const method = args.method.toUpperCase();
    const filled = fillPlaceholders(args.path, {
      project: settings.get("project")?.value,
      org: options.org,
      integration: options.integration,
    });
    const body = options.input === undefined ? undefined : await files.read(options.input);
    const answer = await api.raw(rawRequest(method, filled, options.field, body));
    if (options.include) await write(answerHead(answer));
    if (answer.body) for await (const chunk of answer.body) await write(chunk);
    if (answer.error) throw answer.error;
  },
});
