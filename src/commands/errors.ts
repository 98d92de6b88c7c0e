import { errorTable, UNSENT } from "../errors.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";

/** The errors of what is typed for one command, whose words nobody else has. */
export const commandErrors = errorTable({
  usage: {
    event_invalid: (typed: string, problem: string, suggestion?: SuggestedCommand) => ({
      text: `${typed === "" ? "the value" : JSON.stringify(typed)} ${problem}`,
      suggestion,
    }),
    event_not_one: (typed: string, problem: string, event: readonly string[] | string) => ({
      text: `--event: ${JSON.stringify(typed)} ${problem}`,
      remedy: "A route has one event type. amp notify setup creates routes for several.",
      suggestion: suggest("notify setup", [], { event }),
    }),
    unset_without_setting: () => ({
      text: "--unset needs a setting, and no value",
      done: "Nothing was changed.",
    }),
    allow_invalid: (words: readonly string[]) =>
      `must be ${words.join(", ")}, env:NAME or file:PATH`,
    update_empty: () => ({
      text: "Nothing to update",
      remedy: "Pass --name, --url, --metadata or --secret.",
    }),
    out_of_several: () => ({
      text: "--out saves the plan of one file",
      remedy: "Pass one -f.",
      done: UNSENT,
    }),
    resolve_choice: () => "Use either --id or --not-created",
    export_format: (format: string) => ({
      text: `A routing file cannot be written as ${format}`,
      remedy: "Use --output yaml (the default) or json; apply reads both.",
    }),
    route_missing: () => ({
      text: "A route must be given",
      remedy: "Add its ID, or --topic with --event or --destination.",
    }),
    route_end_missing: () => ({
      text: "--event or --destination is required",
      remedy: "Add the event that the topic receives, or the destination that receives the topic.",
    }),
    path_not_last: () => ({
      text: "The path is followed by another argument",
      remedy: "Send a body with --field key=value or --input FILE; -d means --debug.",
      done: UNSENT,
    }),
    method_twice: () => ({
      text: "The HTTP method is given twice",
      remedy:
        "Leave out --method, or the method before the path. Send a body with --field key=value or --input FILE; -d means --debug.",
      done: UNSENT,
    }),
    path_missing: (method: string) => ({ text: `amp api ${method} needs a path`, done: UNSENT }),
    key_invalid: (path: string) => ({
      text: `${path} is not a key of pseudonyms`,
      remedy: "Restore it, or move it aside: then all pseudonyms change.",
    }),
    trust_list_alone: () => "--list cannot be combined with a file or --revoke",
    report_invalid: (typed: string, forms: string) => `${JSON.stringify(typed)} must be ${forms}`,
    version_choice: () => ({
      text: "--check and --licences cannot be combined",
      remedy: "Use one of them.",
    }),
    registry_invalid: () => ({
      text: "No npm registry is set that amp can use",
      remedy: "Set AMP_REGISTRY to an http or https URL without user name and password.",
      done: UNSENT,
    }),
  },
  "not-found": {
    registry_without_amp: (host: string) => ({
      text: `The npm registry ${host} does not have amp-admin`,
      remedy: "Set AMP_REGISTRY to the registry that has it.",
    }),
  },
  service: {
    registry_answer_invalid: (host: string) => ({
      text: `The npm registry ${host} did not name a version of amp-admin`,
      remedy: "Set AMP_REGISTRY to the URL of an npm registry.",
    }),
  },
});
