import { MAX_REPEAT } from "../api/catalogue/events.ts";
import type { Triggered } from "../api/schemas/sandbox-event.ts";
import {
  defineCommand,
  flag,
  inputFile,
  integer,
  needing,
  pair,
  record,
  required,
  several,
  text,
  value,
  written,
} from "../cli/define.ts";
import { UsageError } from "../errors.ts";
import { webhookBody } from "../events/message.ts";
import { parseSecretFrom, readHttpUrl } from "../events/receiver-options.ts";
import { type SearchContext, searchInstallations } from "../inspect/installation-search.ts";
import { assertKnownType, changedData, TRIGGERS } from "../trigger/payload.ts";
import { isSent, type SentTest, sendTo, sentPage } from "../trigger/send-to.ts";
import { eventIdsOf, sampleOf, trigger, triggeredPage } from "../trigger/trigger.ts";
import { derived } from "../values/derived.ts";
import { suggest } from "../values/suggested-command.ts";

export default defineCommand({
  description:
    "The sandbox delivers the event to each destination that it is routed to. --set and --unset change fields of data; a value that is valid JSON, such as true or 5, is sent as JSON. The payload is created from an installation of the sandbox; read.message and subscribe.message are sent to the destination that the installation's reads name. With --to, the signed event is sent to one URL, without a sandbox; with --print, it is only printed. Both use sample data unless you add --installation. --to needs --secret, the signing secret of the receiver, or several during a rotation.",
  args: {
    event: required(text("event type or data message", { suggestions: TRIGGERS })),
  },
  options: {
    set: several(pair("set a field: errors.0=expired")),
    unset: several(text("remove a field", { placeholder: "path" })),
    from: inputFile("payload to send; - for standard input"),
    edit: flag("edit the fields in $VISUAL or $EDITOR before they are sent"),
    installation: text("installation that the event is about", { placeholder: "id-or-name" }),
    repeat: integer("number of times to trigger it, 1 to 10000 (default 1)", {
      min: 1,
      max: MAX_REPEAT,
    }),
    to: value("send it to this URL instead", "url", readHttpUrl),
    secret: needing(
      "to",
      several(value("signing secret: env:VARIABLE, @file or -", "from", parseSecretFrom)),
    ),
    print: flag("print the body without sending it"),
  },
  effect: "write",
  writes: ({ options }) => !options.print && options.to === undefined,
  examples: [
    "amp trigger connection.error --profile sandbox",
    "amp trigger installation.updated --set groupName=Acme --unset lastConfig",
    "amp trigger read.message --installation ins_80c1cca5 --repeat 100",
    "amp trigger connection.error --to http://localhost:3000/amp --secret env:WEBHOOK_SECRET",
    { run: "amp trigger write.async.done --print", note: "print the payload" },
  ],
  fields: ["type", "projectId", "eventIds", "reaches", "url", "messages"],
  exits: { check: "with --to: a message was not accepted" },
  run: async (context) => {
    const { args, options, write } = context;
    const { event: type } = args;
    const named = options.installation;
    const { to } = options;
    assertKnownType(context, type);
    const installation =
      named === undefined ? undefined : await installationId(context, type, named);
    if (!options.print && to === undefined) {
      const project = context.requireProject();
      return trigger(context, { ...options, installation, type, project });
    }
    const data = await changedData(context, type, options, async () => {
      if (installation !== undefined) {
        return sampleOf(context, { type, project: context.requireProject(), installation });
      }
      const { builtInSample } = await import("../sandbox/sample.ts");
      return builtInSample(type, context.now());
    });
    if (options.print || to === undefined) {
      await write(`${JSON.stringify(JSON.parse(webhookBody(type, data)), null, 2)}\n`);
      return written();
    }
    if (options.secret.length === 0) {
      throw new UsageError("--to needs the signing secret of the receiver", {
        remedy: "Add --secret env:VARIABLE, @file or -.",
      });
    }
    return sendTo(context, { ...options, type, data, to, secrets: options.secret });
  },
  exit: (result) =>
    isSent(result) && result.messages.some((one) => !one.isDelivered) ? "check" : "ok",
  view: record<Triggered | SentTest>(
    (result) => (isSent(result) ? sentPage(result) : triggeredPage(result)),
    (result) => (isSent(result) ? result.messages.map((one) => one.messageId) : eventIdsOf(result)),
  ),
});

/**
 * The ID of the installation that a text means, an ID or a name of its owner.
 * @throws {NotFoundError} where none matches
 */
async function installationId(
  context: Omit<SearchContext, "project" | "options"> & { readonly requireProject: () => string },
  type: string,
  wanted: string,
): Promise<string> {
  const search = await searchInstallations(
    derived(context, { project: context.requireProject(), options: { integration: undefined } }),
    wanted,
    (name) => suggest("trigger", [type], { installation: name }),
  );
  const { id } = await search.find(wanted, "--installation");
  return id;
}
