import { errorTable } from "../errors.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";

const UNSENT = "Nothing was sent.";
const ONE_REQUEST = "Pass one file with the whole request, or --headers FILE and --body FILE.";

/** The errors of what is typed for one command, whose words nobody else has. */
export const commandErrors = errorTable({
  usage: {
    event_invalid: (typed: string, problem: string, suggestion?: SuggestedCommand) => ({ text: `${typed === "" ? "the value" : JSON.stringify(typed)} ${problem}`, suggestion }),
    event_not_one: (typed: string, problem: string, event: readonly string[] | string) => ({
      text: `--event: ${JSON.stringify(typed)} ${problem}`,
      remedy: "A route has one event type. amp notify setup creates routes for several.",
      suggestion: suggest("notify setup", [], { event }),
    }),
    event_of_file: (file: string, named: string, typed: string) => ({
      text: `${file} has the event ${JSON.stringify(named)}, not ${typed}`,
      remedy: "Pass the event type of the file, or leave it out.",
    }),
    routing_secret_fixed: () => ({
      text: "The temporary routing has its own signing secret, not that of --secret",
      remedy: "Omit --secret (--print-secret shows the secret of the routing), or add --local to listen without routing.",
      done: UNSENT,
    }),
    public_url_not_https: () => "the URL must begin with https://: the platform delivers only to https",
    unset_without_setting: () => ({ text: "--unset needs a setting, and no value", done: "Nothing was changed." }),
    allow_invalid: (words: readonly string[]) => `must be ${words.join(", ")}, env:NAME or file:PATH`,
    update_empty: () => ({ text: "Nothing to update", remedy: "Pass --name, --url, --metadata or --secret." }),
    resolve_choice: () => "Use either --id or --not-created",
    export_format: (format: string) => ({ text: `A routing file cannot be written as ${format}`, remedy: "Use --output yaml (the default) or json; apply reads both." }),
    route_missing: () => ({ text: "A route must be given", remedy: "Add its ID, or --topic with --event or --destination." }),
    route_end_missing: () => ({ text: "--event or --destination is required", remedy: "Add the event that the topic receives, or the destination that receives the topic." }),
    path_not_last: () => ({ text: "The path is followed by another argument", remedy: "Send a body with --field key=value or --input FILE; -d means --debug.", done: UNSENT }),
    method_twice: () => ({
      text: "The HTTP method is given twice",
      remedy: "Leave out --method, or the method before the path. Send a body with --field key=value or --input FILE; -d means --debug.",
      done: UNSENT,
    }),
    path_missing: (method: string) => ({ text: `amp api ${method} needs a path`, done: UNSENT }),
    trust_list_alone: () => "--list cannot be combined with a file or --revoke",
    pause_too_short: (typed: string) => `${JSON.stringify(typed)} is too short; use at least 1s`,
    comparison_missing: () => ({ text: "Nothing to compare with: <other> or --since is missing", remedy: "Name a second installation, or add --since FILE." }),
    checks_none: () => ({ text: "--check and --skip leave no check to run", remedy: "amp webhooks test --list lists them." }),
    seed_invalid: (typed: string) => `${JSON.stringify(typed)} is not a seed such as 7f3a`,
    request_twice: () => ({ text: "A request file and --headers conflict", remedy: ONE_REQUEST }),
    request_halved: () => ({ text: "--headers and --body are used together", remedy: ONE_REQUEST }),
    report_invalid: (typed: string, forms: string) => `${JSON.stringify(typed)} must be ${forms}`,
    saved_messages_need_url: () => ({ text: "Saved messages need --to", remedy: "Add --to URL and --secret FROM, or name a delivery of the sandbox by its ID.", done: UNSENT }),
  },
  "not-found": {
    installation_gone: (id: string) => ({ text: `Installation ${id} no longer exists`, suggestion: suggest("installations list") }),
  },
});
