import {
  defineCommand,
  file,
  type RunContext,
  record,
  required,
  several,
  value,
} from "../../cli/define.ts";
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
  run: async (context) => {
    const { args, options, files, now } = context;
    assertOneInput(args.request, options);
    const secrets = await readSigningSecrets(options.secret, context);
    const { source, captures } = await readCaptures(files, args.request, options);
    const messages = captures.map((one) => {
      const signature = examineSignature(one, { secrets, now: now() });
      return deliveryDocument({ ...one, signature });
    });
    const valid = messages.every(({ signature }) => signature?.valid);
    return { source, valid, messages };
  },
  exit: ({ valid }) => (valid ? "ok" : "check"),
  view: record<VerifiedCapture>(verifiedPage, ({ messages }) =>
    messages.flatMap(({ id, signature }) => (signature?.valid || id === undefined ? [] : [id])),
  ),
});

/** The two files of a request whose headers and body were saved apart. */
interface Halves {
  readonly headers: string | undefined;
  readonly body: string | undefined;
}

async function readCaptures(
  files: RunContext["files"],
  request = "-",
  { headers, body }: Halves,
): Promise<{ source: string; captures: readonly Delivery[] }> {
  const name = (path: string) => (path === "-" ? "standard input" : path);
  if (headers === undefined || body === undefined) {
    const source = name(request);
    return { source, captures: parseCaptures(await files.readBytes(request), source) };
  }
  const one = deliveryOf({
    headers: parseHeaders(await files.read(headers), name(headers)),
    body: await files.readBytes(body),
  });
  return { source: name(body), captures: [one] };
}

function assertOneInput(
  request: string | undefined,
  { headers, body, secret }: Halves & { readonly secret: readonly SecretFrom[] },
): void {
  if (request !== undefined && headers !== undefined) throw eventErrors.request_twice();
  if ((headers === undefined) !== (body === undefined)) throw eventErrors.request_halved();
  const whole = headers === undefined ? [request ?? "-"] : [headers, body];
  const readers = [...whole, ...secret.map(({ from }) => (from === "stdin" ? "-" : ""))];
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
