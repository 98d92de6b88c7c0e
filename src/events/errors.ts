import { type ErrorFacts, errorTable, UNSENT } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";

const ONE_REQUEST = "Pass one file with the whole request, or --headers FILE and --body FILE.";
const WHOLE_REQUEST = "Write a request line, the headers, an empty line and the unchanged body.";

/** The errors of messages that are captured, sent, received or examined. */
export const eventErrors = errorTable({
  usage: {
    sandbox_not_own: (origin: string) => ({
      text: `You run no sandbox at ${origin}`,
      remedy: "Start one with amp sandbox start, and add --profile sandbox or its --base-url.",
      done: UNSENT,
    }),
    fault_invalid: (typed: string) =>
      `${JSON.stringify(typed)} must be a status from 300 to 599, timeout or reset`,
    event_of_file: (file: string, named: string, typed: string) => ({
      text: `${file} has the event ${JSON.stringify(named)}, not ${typed}`,
      remedy: "Pass the event type of the file, or leave it out.",
    }),
    routing_secret_fixed: () => ({
      text: "The temporary routing has its own signing secret, not that of --secret",
      remedy:
        "Omit --secret, add --forward-to to sign what is forwarded with it, or add --local to listen without routing.",
      done: UNSENT,
    }),
    forward_to_itself: (origin: string, port: number) => ({
      text: `--forward-to ${origin} is this listener`,
      remedy: `Pass the URL of your application; if it uses port ${port}, add --port 0 to listen on another port.`,
      done: UNSENT,
    }),
    public_url_not_https: () =>
      "the URL must begin with https://: the platform delivers only to https",
    checks_none: () => ({
      text: "--check and --skip leave no check to run",
      remedy: "amp webhooks test --list lists them.",
    }),
    seed_invalid: (typed: string) => `${JSON.stringify(typed)} is not a seed such as 7f3a`,
    request_twice: () => ({ text: "A request file and --headers conflict", remedy: ONE_REQUEST }),
    request_halved: () => ({ text: "--headers and --body are used together", remedy: ONE_REQUEST }),
    saved_messages_need_url: () => ({
      text: "Saved messages need --to",
      remedy: "Add --to URL and --secret FROM, or name a delivery of the sandbox by its ID.",
      done: UNSENT,
    }),
    receiver_url_invalid: (remedy: string) => ({
      text: "The URL must begin with http:// or https://",
      remedy,
    }),
    receiver_url_user_info: () => ({
      text: "The URL of the receiver must not contain a user name or password",
      remedy: "Remove them from the URL; --header sends a header such as Authorization.",
    }),
    signing_secret_form: () => ({
      text: "the value must be env:VARIABLE, @file or - (standard input)",
      remedy: "Never pass the secret itself: other users of this machine can read arguments.",
    }),
    signing_secret_invalid: (problem: string) => ({
      text: `--secret: ${problem}`,
      remedy: "Copy it again: amp notify destinations secret shows the secret of a destination.",
    }),
    signing_secret_unset: (variable: string) => `--secret: the variable ${variable} is not set`,
    signing_secret_missing: () => ({
      text: "--to needs the signing secret of the receiver",
      remedy: "Add --secret env:VARIABLE, @file or -.",
    }),
    capture_not_request: (place: string) => ({
      text: `${place}: not a captured request with headers`,
      remedy: WHOLE_REQUEST,
    }),
    capture_body: (place: string) => ({
      text: `${place}: body must be a string`,
      detail: "The signature covers the bytes of the body, which parsed JSON does not preserve.",
      remedy: "Capture the body before it is parsed.",
    }),
    capture_header: (source: string, line: string) => ({
      text: `${source}: ${JSON.stringify(line)} is not a header`,
      remedy: WHOLE_REQUEST,
    }),
    capture_body_not_utf8: (source: string, id: string) =>
      `${source}: the body of ${id} is not valid UTF-8, and cannot be signed`,
    capture_without_message: (source: string, event: string | undefined) => ({
      text: `${source} has no message${event === undefined ? "" : ` of ${event}`}`,
      done: UNSENT,
    }),
    edit_not_interactive: () => ({
      text: "--edit needs an interactive terminal",
      remedy: "Use --set, --unset or --from.",
      done: UNSENT,
    }),
    editor_failed: (editor: string, code: number | string) => ({
      text: `The editor ${editor} ended with ${code}`,
      remedy: "Set EDITOR to an editor that is installed on this machine.",
      done: UNSENT,
    }),
    header_invalid: (name: string) => `--header ${JSON.stringify(name)} is not a valid header`,
    message_file_foreign: (path: string) => ({
      text: `${path} does not contain a message of the platform`,
      remedy: "Pass a file that amp listen --save wrote, or one with the body of a message.",
    }),
    payload_too_deep: (levels: number) => ({
      text: `The payload has more than ${levels} levels of nesting`,
      done: UNSENT,
    }),
    payload_not_object: (name: string) => `${name} is not a JSON object`,
    set_path_empty: (path: string) => `--set ${path}: the path has an empty part`,
    set_index: (path: string, key: string, last: number) =>
      `--set ${path}: ${key} is not an index from 0 to ${last}`,
    set_into_value: (path: string, key: string, value: string) =>
      `--set ${path}: ${key} would be a field of ${value}`,
    unset_field_unknown: (path: string, near?: string) => ({
      text: `--unset ${path}: the event has no such field`,
      remedy: near && `Did you mean ${near}?`,
    }),
  },
  rejected: {
    listen_routing_refused: (text: string, facts: ErrorFacts, cause: Error) => ({
      text,
      ...facts,
      cause,
    }),
  },
  service: {
    receiver_unreachable: (
      origin: string,
      reason: string,
      detail: string | undefined,
      remedy: string,
    ) => ({
      text: `Could not reach ${origin}: ${reason}`,
      detail,
      remedy,
      done: "No message was delivered.",
    }),
  },
  check: {
    messages_not_accepted: (count: number, expected: string) =>
      `${count} of ${expected} ${count === 1 ? "was" : "were"} not accepted by the application`,
  },
  partial: {
    listen_routing_left: (name: string, facts: ErrorFacts) => ({
      text: `The temporary routing ${name} is still at the service`,
      ...facts,
      remedy: "When the service is reachable again, remove it:",
      suggestion: suggest("listen", [], { clean: true }),
    }),
  },
  timeout: {
    listen_routing_expired: (detail: string | undefined) => ({
      text: "The temporary routing has expired",
      detail,
      remedy: "Start amp listen again.",
    }),
    messages_late: (text: string) => ({
      text,
      remedy: "Allow more time with --within, or check the deliveries of the sender.",
    }),
  },
  interrupted: { listen_stopped: () => "amp listen was stopped" },
});
