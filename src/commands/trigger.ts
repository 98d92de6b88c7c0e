import { EVENTS, MAX_REPEAT } from "../api/catalogue/events.ts";
import type { Triggered } from "../api/schemas/sandbox-event.ts";
import {
  defineCommand,
  flag,
  inputFile,
  integer,
  needing,
  pair,
  record,
  several,
  text,
  value,
  written,
} from "../cli/define.ts";
import type { SentMessages } from "../documents/events.ts";
import { redeliverMessage } from "../events/deliveries.ts";
import { isDelivered } from "../events/delivery.ts";
import { eventErrors } from "../events/errors.ts";
import { assertKnownEvents, MESSAGE_NAMES } from "../events/known-events.ts";
import { DATA_MESSAGES, webhookBody } from "../events/message/payloads.ts";
import { sentRows } from "../events/page.ts";
import { parseSecretFrom, readHttpUrl } from "../events/receiver-options.ts";
import {
  changedData,
  eventIdsOf,
  fileName,
  isSent,
  newMessages,
  readFrom,
  sampleOf,
  savedMessages,
  sendTo,
  sentAgain,
  sentPage,
  trigger,
  triggeredPage,
  triggeredRows,
} from "../events/trigger.ts";
import { type SearchContext, searchInstallations } from "../inspect/find-installation.ts";
import { derived } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { allowOf } from "./report-options.ts";

export default defineCommand({
  description:
    "The sandbox delivers the event to each destination that it is routed to. --set and --unset change fields of data; a value that is valid JSON, such as true or 5, is sent as JSON. The payload is created from an installation of the sandbox; read.message and subscribe.message are sent to the destination that the installation's reads name. With --to, the signed event is sent to one URL, without a sandbox; with --print, it is only printed. Both use sample data unless you add --installation. --to needs --secret, the signing secret of the receiver, or several during a rotation. --from is a payload, or messages to send again with the same IDs and new signatures: a file of amp listen --save with --to, or the ID of a message or event of amp sandbox deliveries, which the sandbox delivers again; a successful delivery enables a disabled destination.",
  args: {
    event: text("event type or data message; required unless --from has it", {
      suggestions: MESSAGE_NAMES,
    }),
  },
  options: {
    set: several(pair("set a field: errors.0=expired")),
    unset: several(text("remove a field", { placeholder: "path" })),
    from: inputFile("payload, saved messages or a delivery to send; - for standard input"),
    edit: flag("edit the fields in $VISUAL or $EDITOR before they are sent"),
    installation: text("installation that the event is about", {
      placeholder: "id-or-name",
      complete: "customer",
    }),
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
    allow: allowOf(["unknown"]),
  },
  effect: "write",
  writes: ({ options }) => !options.print && options.to === undefined,
  examples: [
    "amp trigger connection.error --profile sandbox",
    "amp trigger installation.updated --set groupName=Acme --unset lastConfig",
    "amp trigger read.message --installation ins_80c1cca5 --repeat 100",
    "amp trigger connection.error --to http://localhost:3000/amp --secret env:WEBHOOK_SECRET",
    { run: "amp trigger write.async.done --print", note: "print the payload" },
    { run: "amp trigger --from msg_6dd07a6fd5c54e4e2b3a8ff1", note: "deliver a message again" },
    {
      run: "amp trigger --from messages.ndjson --to http://localhost:3000/amp --secret @secret.txt",
      note: "send what amp listen saved",
    },
  ],
  fields: RESULT_FIELDS.shownEvent,
  exits: { check: "with --to, or a delivery: a message was not accepted" },
  run: async (context) => {
    const { args, options, write } = context;
    const { from, to, secret: secrets } = options;
    if (options.print && options.repeat !== undefined) {
      throw inputErrors.option_idle(["--repeat"], "with --print", "One body is printed.");
    }
    if (from !== undefined && DELIVERY.test(from)) {
      assertUnused({ ...changesIn(options), "<event>": args.event, "--to": to }, from);
      const project = context.requireProject();
      return sentAgain(await redeliverMessage(context, project, from));
    }
    if (from === "-" && secrets.some((one) => one.from === "stdin"))
      throw inputErrors.stdin_twice("Put the messages or the secret in a file.");
    const content = from === undefined ? undefined : await readFrom(context, from);
    if (from !== undefined && content?.saved !== undefined) {
      assertUnused(changesIn(options), from);
      const messages = savedMessages(content.saved, args.event, fileName(from));
      if (to !== undefined) return sendTo(context, { url: to, secrets }, messages);
      throw eventErrors.saved_messages_need_url();
    }
    const type = eventOf(
      args.event ?? (await askEvent(context, content?.type)),
      from,
      content?.type,
    );
    assertKnownEvents(context, [type], options.allow);
    const named = options.installation;
    const installation =
      named === undefined ? undefined : await installationId(context, type, named);
    const given = content?.data;
    if (!options.print && to === undefined) {
      const project = context.requireProject();
      return trigger(context, { ...options, given, installation, type, project });
    }
    const data = await changedData(context, { ...options, given }, async () => {
      if (installation !== undefined) {
        return sampleOf(context, { type, project: context.requireProject(), installation });
      }
      const { builtInSample } = await import("../sandbox/events/occurrences.ts");
      return builtInSample(type, context.now());
    });
    const body = webhookBody(type, data);
    if (to !== undefined && !options.print) {
      return sendTo(context, { url: to, secrets }, newMessages(body, options.repeat));
    }
    await write(`${JSON.stringify(JSON.parse(body), null, 2)}\n`);
    return written();
  },
  exit: (result) => (isSent(result) && !result.messages.every(isDelivered) ? "check" : "ok"),
  view: record<Triggered | SentMessages>(
    (result) => (isSent(result) ? sentPage(result) : triggeredPage(result)),
    (result) => (isSent(result) ? result.messages.map(({ id = "" }) => id) : eventIdsOf(result)),
    (result) => (isSent(result) ? sentRows(result) : triggeredRows(result)),
  ),
});

/** The IDs of messages and events of a sandbox; a file of such a name is `./msg_1`. */
const DELIVERY = /^(?:msg|evt)_\w*$/u;

/** The options that have no effect on messages that are sent again. */
function changesIn(options: Readonly<Record<string, unknown>>) {
  const names = ["set", "unset", "edit", "installation", "repeat", "print"];
  return Object.fromEntries(names.map((name) => [`--${name}`, options[name]]));
}

/** @throws {UsageError} for typed options without effect */
function assertUnused(typed: Readonly<Record<string, unknown>>, from: string): void {
  const isTyped = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const used = Object.keys(typed).filter((name) => isTyped(typed[name]));
  if (used.length === 0) return;
  throw inputErrors.option_idle(
    used,
    `with --from ${from}`,
    "A message is sent again as it was. Leave it out.",
    "Nothing was sent.",
  );
}

/** The event that a person chooses of a list; a file may have it already. */
async function askEvent(
  { interactive, prompt }: Pick<SearchContext, "interactive" | "prompt">,
  named: string | undefined,
): Promise<string | undefined> {
  if (named !== undefined || !interactive) return undefined;
  const known = [...Object.entries(EVENTS), ...Object.entries(DATA_MESSAGES)];
  const choices = known.map(([value, facts]) => ({
    value,
    label: value,
    note: typeof facts === "string" ? facts : facts.fires,
  }));
  return prompt.select({ message: "Event", flag: "<event>", choices, isSearched: true });
}

function eventOf(typed: string | undefined, from: string | undefined, named: string | undefined) {
  const type = typed ?? named;
  if (type === undefined) {
    throw inputErrors.param_missing(
      "<event>",
      `Choose one of: ${MESSAGE_NAMES.join(", ")}.`,
      "Nothing was triggered.",
    );
  }
  if (named === undefined || named === type) return type;
  throw eventErrors.event_of_file(fileName(from ?? ""), named, type);
}

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
