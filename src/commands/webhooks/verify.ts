import { defineCommand, file, record, required, several, value } from "../../cli/define.ts";
import { parseSecretFrom } from "../../events/receiver-options.ts";
import { type VerifiedCapture, verifiedPage, verifyCapture } from "../../webhooks/verify.ts";

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
  fields: ["source", "valid", "requests"],
  exits: { check: "a signature is not valid" },
  run: (context) => {
    const { args, options } = context;
    return verifyCapture(context, { ...args, ...options, secrets: options.secret });
  },
  exit: ({ valid }) => (valid ? "ok" : "check"),
  view: record<VerifiedCapture>(verifiedPage, ({ requests }) =>
    requests.flatMap(({ id, valid }) => (valid || id === undefined ? [] : [id])),
  ),
});
