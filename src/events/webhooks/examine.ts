import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { CommandContext } from "../../context/command-context.ts";
import type { ShownReceiverTest } from "../../documents/events.ts";
import { stops } from "../../errors.ts";
import { confirm } from "../../questions/confirm.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { Secret } from "../../secrets/secret.ts";
import { workingLine } from "../../values/batches.ts";
import { inputErrors } from "../../values/errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { parseCaptures } from "../capture.ts";
import { deliveryOf } from "../delivery.ts";
import { eventErrors } from "../errors.ts";
import {
  newSigningSecret,
  readHttpUrl,
  readSigningSecrets,
  type SecretFrom,
  secretOption,
} from "../receiver-options.ts";
import type { BaseMessage } from "./messages.ts";
import { type ReceiverTest, testReceiver } from "./test-receiver.ts";

interface ExamineOptions {
  readonly url: string;
  readonly secret: SecretFrom | undefined;
  /** The event types to send; none for all. */
  readonly events: readonly string[];
  readonly checks: readonly string[];
  readonly header: readonly (readonly [name: string, value: string])[];
  readonly seed: string | undefined;
  readonly from: string | undefined;
}

type ExamineContext = Pick<
  CommandContext,
  "files" | "prompt" | "interactive" | "yes" | "report" | "environment" | "signal" | "now"
>;

/**
 * Examines the receiver that the command line names.
 * @throws {UsageError} where something is missing; nothing is then sent
 * @throws {ServiceError} where the receiver cannot be reached
 */
export async function examineReceiver(
  context: ExamineContext,
  options: ExamineOptions,
): Promise<ShownReceiverTest> {
  const { files, report, environment, signal, now } = context;
  const url = readReceiverUrl(options.url);
  const headers = headersOf(options.header);
  const base = options.from === undefined ? undefined : await baseFrom(options.from, files);
  if (!context.yes && !(await isPrivateReceiver(url))) {
    const foreign = `${url.host} is neither this machine nor in a private network`;
    await confirm(context, {
      message: `${foreign}. Send the messages?`,
      needed: foreign,
      remedy: "Add --yes to send the messages anyway.",
      done: "Nothing was sent.",
    });
  }
  const given = options.secret === undefined ? [] : [options.secret];
  const [typed] = await readSigningSecrets(given, context);
  const secret = typed ?? (await makeSecret(context));
  const { insecureTls } = environment;
  if (insecureTls && url.protocol === "https:") {
    report.warn("The certificate of the receiver is not verified (--insecure-tls).");
  }
  const line = workingLine(report);
  try {
    const result = await testReceiver({
      receiver: { url, headers, insecureTls, unusedProxy: proxyVariable(url, environment.env) },
      checks: options.checks,
      events: options.events,
      seed: options.seed ?? randomBytes(2).toString("hex"),
      secret,
      base,
      now,
      signal,
      onAnswer: ({ message, attempt }) =>
        report.debug(
          `POST ${url.origin}${url.pathname} ${message.id} (${message.event}): ${attempt.status ?? attempt.error} in ${attempt.durationMs} ms`,
        ),
      onCheck: (name, number) => line.show(`Check ${number} of ${options.checks.length}: ${name}`),
    });
    return withAgain(result, options);
  } finally {
    line.end();
  }
}

function proxyVariable(
  { protocol }: URL,
  env: ExamineContext["environment"]["env"],
): string | undefined {
  const name = protocol.replace(":", "_proxy");
  return [name, name.toUpperCase()].find((one) => env[one]);
}

/**
 * The result with the command that makes the checks again that did not pass. The value of a header
 * may be a credential, and without it the command would find something else.
 */
function withAgain(result: ReceiverTest, { secret, header }: ExamineOptions): ShownReceiverTest {
  const check = result.checks.flatMap(({ name, outcome }) =>
    outcome === "fail" || outcome === "warn" ? [name] : [],
  );
  if (check.length === 0 || header.length > 0) return result;
  const options = { secret: secretOption(secret), check };
  return { ...result, again: suggest("webhooks test", [result.url], options) };
}

function headersOf(pairs: ExamineOptions["header"]): Record<string, string> {
  for (const [name, value] of pairs) {
    if (!/^[!#$%&'*+.^`|~\w-]+$/u.test(name) || /[^\t\x20-\x7e\x80-\xff]/u.test(value))
      throw eventErrors.header_invalid(name);
    // A header of a gateway is a credential as a rule, and answers may repeat it.
    void new Secret(value);
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * The message of a captured request, or of a file that has the body alone.
 * @throws {UsageError} where it is not a message
 */
async function baseFrom(path: string, files: ExamineContext["files"]): Promise<BaseMessage> {
  const body = Buffer.from(await files.read(path));
  const alone = deliveryOf({ headers: [], body });
  const [message] = alone.event === undefined ? parseCaptures(body, path) : [alone];
  if (message?.event !== undefined) {
    return { event: message.event, body: Buffer.from(message.body).toString("utf8") };
  }
  throw eventErrors.message_file_foreign(path);
}

/**
 * Makes a secret, shows it and waits until the receiver has it.
 * @throws {UsageError} without an interactive terminal
 */
async function makeSecret({ interactive, report, prompt }: ExamineContext): Promise<string> {
  if (!interactive) {
    throw inputErrors.param_missing(
      "--secret",
      "Add --secret env:VARIABLE, @file or -, with the signing secret of the receiver.",
      "Nothing was sent.",
    );
  }
  const made = newSigningSecret();
  report.page(
    {
      title: "A signing secret for this test",
      blocks: [{ kind: "command", lines: [made] }],
    },
    { isWarning: true },
  );
  const question = { message: "Does the receiver have this secret?", flag: "--secret" };
  if (!(await prompt.confirm({ ...question, default: true })))
    throw stops.cancelled("Nothing was sent.");
  return new Secret(made).reveal();
}

/**
 * The address of a receiver.
 * @throws {UsageError} for what is not an address of HTTP, or has a password in it
 */
function readReceiverUrl(typed: string): URL {
  const url = readHttpUrl(typed);
  if (url.username !== "" || url.password !== "") throw eventErrors.receiver_url_user_info();
  url.hash = "";
  return url;
}

/** The private addresses (RFC 1918, RFC 4193) and those of this machine. */
const OWN_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  OWN_ADDRESSES.addSubnet(network, prefix, "ipv4");
}
OWN_ADDRESSES.addAddress("::1", "ipv6");
OWN_ADDRESSES.addSubnet("fc00::", 7, "ipv6");

/**
 * Whether a receiver is on this machine or in a private network. A name counts as private if all of
 * its addresses are; one that cannot be resolved does, since nothing can then be sent to it.
 */
async function isPrivateReceiver({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/gu, "");
  if (isLoopback(hostname) || host.endsWith(".localhost")) return true;
  if (isIP(host) > 0) return isOwnAddress(host);
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.every(({ address }) => isOwnAddress(address));
}

function isOwnAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return OWN_ADDRESSES.check(mapped, "ipv4");
  return OWN_ADDRESSES.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
