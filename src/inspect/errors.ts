import { type ErrorFacts, errorTable } from "../errors.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";

/** The errors of records that are looked for, compared, watched and changed one by one. */
export const inspectErrors = errorTable({
  usage: {
    pause_too_short: (typed: string) => `${JSON.stringify(typed)} is too short; use at least 1s`,
    comparison_missing: () => ({
      text: "Nothing to compare with: <other> or --since is missing",
      remedy: "Name a second installation, or add --since FILE.",
    }),
    integration_not_uuid: (argument: string, typed: string) => ({
      text: `${argument}: ${JSON.stringify(typed)} is not a valid UUID`,
      remedy:
        "This service does not list integrations, so names cannot be looked up. The payload of an event has the ID of its integration, as integrationId.",
    }),
    integration_required: (flag: string, remedy: string) => ({
      text: `Missing ${flag}: this service lists installations only by integration`,
      remedy,
    }),
    installations_same: (id: string) => ({
      text: `Both arguments match the installation ${id}`,
      remedy:
        "Pass two different installations, or compare one with a saved list: add --since FILE.",
    }),
    installation_too_large: (id: string, values: number) =>
      `Installation ${id} has more than ${values} values to compare`,
    saved_list_invalid: (file: string, detail: string) => ({
      text: `${file} is not a saved list of installations`,
      detail,
      remedy: "Save one as JSON, for example with > monday.json after this command.",
      suggestion: suggest("installations list", [], { json: true }),
    }),
    since_invalid: (typed: string, problem: string, remedy: string) => ({
      text: `--since: ${JSON.stringify(typed)} ${problem}`,
      remedy,
      done: "Nothing was sent.",
    }),
    wait_for_many: (count: number, most: number) => ({
      text: `${count} installations meet the filters, at most ${most} can be waited for`,
      remedy: "Add a --filter.",
    }),
    condition_impossible: (place: string, problem: string, remedy: string, field: string) => ({
      text: `${place}: ${problem}`,
      remedy,
      suggestion: suggest("explain", [field]),
      done: "Nothing was sent.",
    }),
    provider_unknown: (text: string, wanted: string, near: string | undefined) => ({
      text: `--filter ${text}: neither an installation nor the catalogue has the provider ${JSON.stringify(wanted)}`,
      remedy: `${near ? `Did you mean ${near}? ` : ""}To use another value, quote it: 'provider="${wanted}"'.`,
      suggestion: suggest("providers list"),
      done: "Nothing was checked.",
    }),
    conditions_conflict: (text: string) => ({
      text,
      remedy: "Use one of them, not both.",
      done: "Nothing was sent.",
    }),
    condition_unclear: (text: string, hint: string | undefined) => ({
      text,
      remedy:
        hint ??
        "If the name is correct but no installation has the field yet, quote it: '\"a.b\"=value'.",
      suggestion: suggest("explain", ["installation"], { recursive: true }),
      done: "Nothing was checked.",
    }),
    filter_field_unknown: (place: string, name: string, remedy: string, parent: string) => ({
      text: `${place}: unknown field ${name}`,
      remedy,
      suggestion: suggest("explain", [parent]),
    }),
    event_not_json: (cause: unknown) => ({
      text: "The event is not valid JSON",
      remedy: "Save it to a file, and add < FILE to the command.",
      cause,
    }),
    event_without_ids: () => "The event has no installationId, connectionId or groupRef",
    auth_type_unknown: (typed: string, known: readonly string[]) => ({
      text: `--auth-type: no provider has the type ${JSON.stringify(typed)}`,
      choices: { typed, known },
    }),
    reads_none: (id: string, unknown: string | undefined) => ({
      text: unknown
        ? `It is unknown what installation ${id} reads`
        : `Installation ${id} reads nothing`,
      detail: unknown,
    }),
    object_not_read: (name: string, known: readonly string[], near: string | undefined) => ({
      text: `--object ${name}: the installation does not read it`,
      detail: `It reads ${known.join(", ")}.`,
      remedy: near && `Did you mean ${near}?`,
    }),
  },
  "not-found": {
    wait_for_none: (filters: readonly string[]) => ({
      text: `No installation meets ${filters.join(" and ")}`,
      suggestion: suggest("installations list"),
    }),
    installation_gone: (id: string) => ({
      text: `Installation ${id} no longer exists`,
      suggestion: suggest("installations list"),
    }),
    field_not_found: (wanted: string, parent: string) => ({
      text: `No field matches ${JSON.stringify(wanted)}`,
      detail: `The contents of ${parent} vary, and are not described.`,
      suggestion: suggest("explain", [parent]),
    }),
    id_not_operation: (typed: string, what: string) => ({
      text: `${JSON.stringify(typed)} is ${what}, not an operation`,
      remedy: "List the operations of the installation first.",
      suggestion: suggest("installations operations", [typed]),
      done: "Nothing was sent.",
    }),
  },
  conflict: {
    invite_over: (id: string, isAccepted: boolean, facts: ErrorFacts, cause: unknown) => ({
      text: `Invite ${id} ${isAccepted ? "was already accepted" : "has expired"}, and cannot be revoked`,
      ...facts,
      remedy: isAccepted
        ? "The person may be a member now: remove them from the organisation instead."
        : "Nobody can accept it any more: there is nothing to do.",
      cause,
    }),
  },
  service: {
    health_unknown: (ids: number, of: string, names: string) => ({
      text: `The health of ${ids} of ${of} is missing or unknown: ${names}`,
      remedy:
        "Report this to the service. To accept another value, add a filter that names it in quotes.",
      done: "Nothing was checked.",
    }),
    config_gone: () => ({
      text: "The service no longer shows the config of these objects",
      detail: "It has secrets, which the update must repeat.",
      remedy: "Run the command again.",
    }),
  },
  partial: {
    pausing_unseen: (done: string, facts: ErrorFacts) => ({
      text: `It is unknown whether the reads were ${done}`,
      detail: "The service answered with success, but does not show the change.",
      ...facts,
    }),
    revocation_unseen: (id: string, facts: ErrorFacts) => ({
      text: `It is unknown whether the invite ${id} was revoked`,
      ...facts,
      detail: "The service accepted the request (202), but does not list it as revoked.",
      remedy: "Run the same command again: revoking it again is safe.",
    }),
    revocations_partly: (
      revoked: number,
      all: number,
      facts: ErrorFacts,
      suggestion: SuggestedCommand,
    ) => ({ text: `${revoked} of ${all} invites revoked`, ...facts, suggestion }),
  },
});
