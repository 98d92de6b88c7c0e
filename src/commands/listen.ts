import { EVENT_TYPES } from "../api/catalogue/events.ts";
import {
  defineCommand,
  duration,
  file,
  flag,
  integer,
  list,
  needing,
  several,
  text,
  value,
  withDefault,
  written,
} from "../cli/define.ts";
import { eventErrors } from "../events/errors.ts";
import { type RoutingChoice, routedTo } from "../events/listen/target.ts";
import { DATA_MESSAGES } from "../events/message/payloads.ts";
import { parseSecretFrom, readHttpUrl } from "../events/receiver-options.ts";
import { eventProblem } from "../notify/model/names.ts";
import { isLoopback, SANDBOX_PORT } from "../runtime/loopback.ts";
import { inputErrors } from "../values/errors.ts";
import { commandErrors } from "./errors.ts";
import { stateOptions } from "./notify/options.ts";
import { allowOf } from "./report-options.ts";

export default defineCommand({
  description:
    "Receives webhooks on this machine, checks their signatures and shows them. With a sandbox on this machine, it creates temporary routing, so that events arrive without further setup; with --public-url, it does so at any service. The routing is removed at the end; amp listen --clean removes routing that a killed listener left. Prints one line for each message. The signing secret of a listener is kept for each profile, so that your application needs it once.",
  options: {
    port: withDefault(
      integer("port to listen on; 0 for any free port", { min: 0, max: 65_535 }),
      String(SANDBOX_PORT + 1),
    ),
    host: withDefault(
      text("address to listen on; any but a loopback address is open to the network", {
        placeholder: "address",
      }),
      "127.0.0.1",
    ),
    forwardTo: value(
      "forward each message to this URL, signed with the listener's own secret or --secret; the rest stays unchanged, but for a header amp-listen",
      "url",
      readHttpUrl,
    ),
    event: list(
      value(
        "event types to receive, also connection.* and read.message (default: all)",
        "event",
        readEventType,
        {
          short: "-e",
          suggestions: [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)],
        },
      ),
    ),
    secret: several(
      value(
        "signing secret of what is forwarded, or, without temporary routing, of what arrives: env:VARIABLE, @file or - (default: the listener's own)",
        "from",
        parseSecretFrom,
      ),
    ),
    printSecret: flag("print the signing secret first"),
    respond: integer("return this status for every message, such as 500", { min: 200, max: 599 }),
    save: file("append each message to this file, for amp webhooks verify and amp trigger --from"),
    verbose: { ...flag("show the body of each message"), short: "-v" },
    expect: integer(
      "exit after this many messages with a valid signature; no time limit without --within",
      {
        min: 1,
        max: 1_000_000,
      },
    ),
    within: needing("expect", duration("exit with code 124 if they have not arrived in this time")),
    publicUrl: value(
      "https URL of a tunnel to this machine; creates temporary routing to it",
      "url",
      readPublicUrl,
    ),
    local: flag("do not create routing"),
    allow: allowOf(["unknown"]),
    clean: flag("remove routing that killed listeners left, and exit"),
    ...stateOptions,
  },
  printsJson: true,
  filters: "own",
  effect: "write",
  dryRun: "own",
  writes: ({ options }, { target }) => {
    // Before anything asks for the service.
    assertOneTask(options);
    if (options.clean) return true;
    const routed = routedTo(options, target);
    if (options.forwardTo === undefined) assertNoOwnSecret(options.secret, routed);
    return routed !== undefined;
  },
  examples: [
    "amp listen --profile sandbox",
    {
      note: "pass the messages on, signed with the secret that your application has",
      run: "amp listen --forward-to http://localhost:3000/amp --secret env:WEBHOOK_SECRET",
    },
    {
      note: "in a script: exit code 0 if it arrived, 124 if not",
      run: "amp listen --event connection.error --expect 1 --within 30s -o ndjson",
    },
  ],
  exits: {
    check: "--expect with --forward-to: a message was not accepted",
    conflict: "the port is in use",
    partial: "the temporary routing could not be created or removed (instead of 124 or 130)",
    timeout: "the messages of --expect did not arrive in time",
  },
  run: async (context) => {
    const { runCommand } = await import("../events/listen/command.ts");
    await runCommand(context, context.options);
    return written();
  },
});

function readEventType(typed: string): string {
  if (Object.hasOwn(DATA_MESSAGES, typed)) return typed;
  const problem = eventProblem(typed);
  if (problem === undefined) return typed;
  throw commandErrors.event_invalid(typed, problem);
}

function assertOneTask({ publicUrl, local }: RoutingChoice): void {
  if (publicUrl === undefined || !local) return;
  throw inputErrors.options_conflict("--public-url", "--local", undefined, "Nothing was sent.");
}

/** What arrives is signed with the secret of the temporary routing: to check another has no meaning. */
function assertNoOwnSecret(secrets: readonly unknown[], routed: ReturnType<typeof routedTo>): void {
  if (secrets.length === 0 || routed === undefined) return;
  throw eventErrors.routing_secret_fixed();
}

function readPublicUrl(typed: string): string {
  const { protocol, hostname, href } = readHttpUrl(typed);
  if (protocol === "https:" || isLoopback(hostname)) return href;
  throw eventErrors.public_url_not_https();
}
