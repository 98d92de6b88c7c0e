import { defineCommand, file, record, required, several, value } from "../../cli/define.ts";
import type { VerifiedCapture } from "../../documents/events.ts";
import { parseCaptures, parseHeaders } from "../../events/capture.ts";
import { type Delivery, deliveryDocument, deliveryOf } from "../../events/delivery.ts";
import { eventErrors } from "../../events/errors.ts";
import { examineSignature } from "../../events/examine.ts";
import { deliveryBlocks } from "../../events/page.ts";
import {
  parseSecretFrom,
  readSigningSecrets,
  type SecretFrom,
  type SecretPlaces,
} from "../../events/receiver-options.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { type Page, toned } from "../../view/view.ts";

export default defineCommand({
  description:
    "Checks the signature of a captured request. If it is not valid, amp tries common mistakes of senders and receivers, such as a body that is serialised again or a secret that is not decoded, and reports which one matches. The request is a file, or standard input, with headers, an empty line and the unchanged body; or a file that amp listen --save wrote.",
  args: {
    request: file("captured request; - or nothing for standard input"),
  },
  options: {
    headers: file("read the headers from this file, and the body from --body"),
    body: file("read the body from this file, byte for byte"),
    secret: required(
      several(
        value(
          "signing secret, or several during a rotation: env:VARIABLE, @file or - (standard input)",
          "from",
          parseSecretFrom,
        ),
      ),
    ),
  },
  examples: [
    "amp webhooks verify request.http --secret env:WEBHOOK_SECRET",
    {
      note: "a file that amp listen --save wrote",
      run: "amp webhooks verify messages.ndjson --secret @secret.txt --json",
    },
  ],
  fields: RESULT_FIELDS.verifiedCapture,
  exits: { check: "a signature is not valid" },
  run: (context) => {
    const { args, options } = context;
    return verifyCapture(context, { ...args, ...options, secrets: options.secret });
  },
  exit: ({ valid }) => (valid ? "ok" : "check"),
  view: record<VerifiedCapture>(verifiedPage, ({ messages }) =>
    messages.flatMap(({ id, signature }) => (signature?.valid || id === undefined ? [] : [id])),
  ),
});

interface VerifyInput {
  /** The file of the request; absent: standard input, or the two files. */
  readonly request?: string | undefined;
  readonly headers?: string | undefined;
  readonly body?: string | undefined;
  readonly secrets: readonly SecretFrom[];
}

interface CaptureFiles {
  read(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
}

const STANDARD_INPUT = "standard input";

/**
 * Examines the signatures of captured requests.
 * @throws {UsageError} where the request or the secret cannot be read
 */
async function verifyCapture(
  context: SecretPlaces & { readonly files: CaptureFiles; readonly now: () => Date },
  input: VerifyInput,
): Promise<VerifiedCapture> {
  const { files, now } = context;
  assertOneInput(input);
  const secrets = await readSigningSecrets(input.secrets, context);
  const { source, captures } = await readCaptures(files, input);
  const messages = captures.map((one) => {
    const signature = examineSignature(one, { secrets, now: now() });
    return deliveryDocument({ ...one, signature });
  });
  const valid = messages.every(({ signature }) => signature?.valid);
  return { source, valid, messages };
}

async function readCaptures(
  files: CaptureFiles,
  { request = "-", headers, body }: VerifyInput,
): Promise<{ source: string; captures: readonly Delivery[] }> {
  if (headers !== undefined && body !== undefined) {
    const name = (path: string) => (path === "-" ? STANDARD_INPUT : path);
    const one = deliveryOf({
      headers: parseHeaders(await files.read(headers), name(headers)),
      body: await files.readBytes(body),
    });
    return { source: name(body), captures: [one] };
  }
  const source = request === "-" ? STANDARD_INPUT : request;
  return { source, captures: parseCaptures(await files.readBytes(request), source) };
}

function assertOneInput({ request, headers, body, secrets }: VerifyInput): void {
  if (request !== undefined && headers !== undefined) throw eventErrors.request_twice();
  if ((headers === undefined) !== (body === undefined)) throw eventErrors.request_halved();
  const whole = headers === undefined ? [request ?? "-"] : [headers, body];
  const readers = [...whole, ...secrets.map(({ from }) => (from === "stdin" ? "-" : ""))];
  if (readers.filter((one) => one === "-").length > 1) {
    throw inputErrors.stdin_twice(
      "Put the request or the secret in a file, or the secret in a variable.",
    );
  }
}

function verifiedPage({ source, valid, messages }: VerifiedCapture): Page {
  const failed = messages.filter(({ signature }) => !signature?.valid).length;
  const one = valid ? "The signature is valid" : "The signature is not valid";
  const all = valid
    ? `All ${messages.length} signatures are valid`
    : `${failed} of ${messages.length} signatures are not valid`;
  return {
    title: toned(valid ? "good" : "bad", messages.length === 1 ? one : all),
    aside: source,
    blocks: deliveryBlocks(messages),
  };
}
