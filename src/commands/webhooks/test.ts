import {
  choice,
  defineCommand,
  file,
  flag,
  list,
  pair,
  record,
  several,
  text,
  value,
} from "../../cli/define.ts";
import type { CheckList, ShownReceiverTest } from "../../documents/events.ts";
import { eventErrors } from "../../events/errors.ts";
import { parseSecretFrom } from "../../events/receiver-options.ts";
import { CHECK_NAMES, checkFacts } from "../../events/webhooks/checks.ts";
import {
  RECEIVER_REPORTS,
  receiverTestPage,
  receiverTestRows,
} from "../../events/webhooks/page.ts";
import { expandEvents } from "../../notify/model/names.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { readEvent } from "../notify/options.ts";
import { reportOptions, writeReports } from "../report-options.ts";

export default defineCommand({
  description:
    "Sends a receiver the messages that receivers most often handle wrongly: large messages, UTF-8 text, unusual white space, unknown types, two signatures, and repeated, tampered, old and unsigned messages. Reports each problem and how to fix it. Messages are sent one at a time, each over a new connection; their IDs begin with msg_amptest_, and their group is amp-webhook-test. --yes is required for a host that is neither this machine nor in a private network.",
  args: { url: text("URL of the receiver", { placeholder: "url" }) },
  options: {
    secret: value(
      "signing secret of the receiver: env:VARIABLE, @file or - (default on a terminal: a new one)",
      "from",
      parseSecretFrom,
    ),
    event: list(
      value("send only these event types (default: all known types)", "event", readEvent),
    ),
    check: list(choice("run only these checks", CHECK_NAMES, { placeholder: "check" })),
    skip: list(choice("do not run these checks", CHECK_NAMES, { placeholder: "check" })),
    list: flag("list the checks without sending anything"),
    header: several(pair("header to send with each message, for example of a gateway")),
    seed: value("send the same messages as the test with this seed", "hex", readSeed),
    from: file("captured message to derive the messages from, as amp listen --save writes it"),
    ...reportOptions("junit", "sarif"),
  },
  takes: ["yes", "insecureTls", "deadline"],
  examples: [
    "amp webhooks test http://localhost:3000/amp --secret env:AMP_WEBHOOK_SECRET",
    {
      note: "run some checks again",
      run: "amp webhooks test http://localhost:3000/amp --secret @secret.txt --check raw-body,300-kb",
    },
    {
      note: "in CI",
      run: "amp webhooks test http://localhost:3000/amp --secret env:SECRET --report junit=receiver.xml --overwrite",
    },
  ],
  fields: RESULT_FIELDS.receiverTest,
  exits: {
    check: "a check failed, or could not be run",
    service: "the receiver cannot be reached",
  },
  run: async (context): Promise<ShownReceiverTest | CheckList> => {
    const { args, options } = context;
    const checks = CHECK_NAMES.filter(
      (name) =>
        (options.check.length === 0 || options.check.includes(name)) &&
        !options.skip.includes(name),
    );
    if (checks.length === 0) throw eventErrors.checks_none();
    if (options.list) return { checks: checkFacts(checks) };
    if (args.url === undefined) {
      throw inputErrors.param_missing(
        "<url>",
        "Enter the URL of the receiver, for example http://localhost:3000/amp",
      );
    }
    const { examineReceiver } = await import("../../events/webhooks/examine.ts");
    const result = await examineReceiver(context, {
      ...options,
      url: args.url,
      events: expandEvents(options.event),
      checks,
    });
    await writeReports(context, (kind) => RECEIVER_REPORTS[kind](result));
    return result;
  },
  exit: (result) => {
    if (!("url" in result)) return "ok";
    const isGood = result.checks.every(({ outcome }) => outcome === "pass" || outcome === "warn");
    return isGood ? "ok" : "check";
  },
  view: record<ShownReceiverTest | CheckList>(
    receiverTestPage,
    (result) =>
      "url" in result
        ? result.checks.flatMap(({ name, outcome }) => (outcome === "fail" ? [name] : []))
        : result.checks.map(({ name }) => name),
    receiverTestRows,
  ),
});

/**
 * The seed of an earlier test.
 * @throws {UsageError} for anything but a few hexadecimal digits
 */
function readSeed(typed: string): string {
  if (/^[\da-f]{1,16}$/iu.test(typed)) return typed.toLowerCase();
  throw eventErrors.seed_invalid(typed);
}
