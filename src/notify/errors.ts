import { type AmpError, type ErrorFacts, errorTable, UNSENT } from "../errors.ts";
import { counted, firstNames, uncapitalised } from "../values/counted.ts";
import { quote } from "../values/shell.ts";
import { type SuggestedCommand, type Suggestion, suggest } from "../values/suggested-command.ts";

const UNSENT_TO_SERVICE = "Nothing was sent to the service.";
const UNCHANGED = "Nothing was changed.";
const UNCREATED = "Nothing was created.";
const STATE_KEPT = "The state was not changed, and nothing was sent.";
const LOCK_KEPT = "The lock was not removed.";
const USED_TWICE =
  "Two runs could create every resource twice. Choose another location with --state.";
/** The folder that amp keeps beside a local state. */
const besideState = (location: string) => `.amp-admin/${location.split(/[/\\]/u).at(-1)}`;
const restore = (location: string) =>
  location.includes("://")
    ? "Restore a good copy."
    : `Restore a good copy. If amp has saved it before, the previous state is ${besideState(location)}/backup, next to it.`;
const COMPARE = "Compare the two states; add --force to replace the saved one.";
const CUT_OFF = "The server did not answer in time after the command was stopped.";
const OTHER_RUN =
  "Another run may be in progress: check its changes before you run the command again.";
const forget = (address: string) => suggest("notify state forget", [address]);
const unlock = (id: string | undefined) =>
  id === undefined ? undefined : suggest("notify state unlock", [id]);
const history = () => suggest("notify state history");
const applyFile = () => suggest("notify apply", [], { f: "routing.yaml" });

type Held = ErrorFacts & { readonly data: { readonly holder: { readonly id?: string } } };
type Data = NonNullable<ErrorFacts["data"]>;

/** The errors of routing: its files, plans, runs and states. */
export const routingErrors = errorTable({
  usage: {
    apply_unconfirmed: (command: string, done = UNCREATED) => ({
      text: `${command} needs confirmation`,
      remedy: "Add --yes.",
      done,
    }),
    routing_file_needed: (f: string) => ({
      text: "apply --yes needs -f without a terminal",
      remedy: "Pass the routing file with -f.",
      suggestion: suggest("notify apply", [], { f }).asCorrection(),
    }),
    routing_of_plan_needed: (file: string) => ({
      text: `apply --plan needs the routing file, and ./${file} does not exist`,
      remedy: "Pass the file that the plan was made from with -f.",
      suggestion: suggest("notify apply", [], { f: { placeholder: "file" } }).asCorrection(),
    }),
    routing_file_wrong: (mistakes: string, facts: ErrorFacts, detail?: string) => ({
      ...facts,
      text: mistakes,
      detail,
    }),
    routing_file_utf16: (path: string) => ({
      text: `${path} is written in UTF-16`,
      remedy: "Save it as UTF-8.",
    }),
    routing_of_another_project: (path: string, named: string, project: string, by: string) => ({
      text: `${path} belongs to project ${named}, not ${project}`,
      detail: `The project ${project} is set by: ${by}.`,
      remedy: `Add --project ${named}, or remove the line from the file.`,
      done: UNSENT,
    }),
    test_cases_not_found: (path: string, when: string, to: string, cause: unknown) => ({
      text: `Test cases not found: ${path} does not exist`,
      remedy: `Write ${path}, for example:\ncases:\n  - when: ${when}\n    then: [{ reaches: ${to} }]`,
      cause,
    }),
    test_cases_missing: () => ({
      text: "A routing from standard input needs a file of test cases",
      remedy: "Pass it: amp notify test -f - cases.yaml",
    }),
    test_stdin_twice: () => "standard input can hold one file only: the routing or the cases",
    routing_refused: (does: string, detail: string) => ({
      text: `The platform refuses to ${does}`,
      detail,
      remedy: "Correct the routing file.",
      done: UNSENT,
    }),
    event_means_several: (event: string) => ({
      text: `${JSON.stringify(event)} means several event types`,
      remedy: "Pass one event type. Without one, amp notify graph shows all of them.",
      suggestion: suggest("notify events"),
    }),
    prune_without_name: (file: string, line: string) => ({
      text: `--prune needs a name, and ${file} has none`,
      remedy: `Add a line such as this to the file: ${line}`,
      done: UNSENT,
    }),
    plan_over_routing_file: (out: string) => ({
      text: `--out ${out} is the routing file`,
      remedy: "Save the plan to another file.",
      done: UNSENT,
    }),
    plan_empty: (name: string, suggestion: SuggestedCommand) => ({
      text: `${name} is empty`,
      remedy: "Get the plan again, or make a new one.",
      suggestion,
      done: UNSENT,
    }),
    plan_of_other_version: (name: string, suggestion: SuggestedCommand) => ({
      text: `${name} is not a plan that this version of amp can apply`,
      remedy: "Make a new plan.",
      suggestion,
      done: UNSENT,
    }),
    plan_not_saved: (name: string, f: string) => ({
      text: `${name} is not a saved plan`,
      remedy: "Apply a routing file with -f.",
      suggestion: suggest("notify apply", [], { f }),
      done: UNSENT,
    }),
    address_invalid: (typed: string, forms: string) => ({
      text: `${JSON.stringify(typed)} is not a valid address`,
      remedy: `An address is one of: ${forms}.`,
    }),
    secret_stdin_twice: () => "--secret: standard input can hold one secret only",
    secret_twice: (name: string) => `--secret ${name} was passed twice`,
    secret_form: () => ({
      text: "--secret must have the form name=@file, name=env:VARIABLE or name=-",
      remedy: "Never pass the secret itself: other users of this machine can read arguments.",
    }),
    secret_variable_unset: (place: string, variable: string) =>
      `${place}: the variable ${variable} is not set`,
    secret_of_webhooks_only: (name: string, type: string) => ({
      text: `The destination ${name} is of type ${type}, not webhook`,
      detail: "Only webhooks have a signing secret.",
    }),
    metadata_invalid: (key: string, problem: string) => `metadata ${key}: ${problem}`,
    metadata_file_reference: (key: string) => ({
      text: `metadata ${key}: file: is not read in metadata`,
      remedy: "Use env:NAME.",
    }),
    metadata_header_empty: (option: string) => ({
      text: `${option} is empty`,
      remedy: "If the value is in a variable, set it, or write env:NAME.",
    }),
    metadata_not_flag: (option: string) => `${option} must be true or false`,
    metadata_key_part: (key: string) => `${JSON.stringify(key)} has an empty part`,
    metadata_key_deep: (most: number) => `--metadata: a key has more than ${most} parts`,
    setup_options_conflict: (what: string, flags: string) => ({
      text: `${what} and cannot be combined with ${flags}`,
      remedy: "Use one or the other.",
    }),
    setup_options_missing: (options: readonly string[], ci: boolean) => ({
      text: `Missing ${options.length === 1 ? "option" : "options"} ${options.join(", ")}`,
      remedy: `Not interactive${ci ? ", because CI is set" : ""}: pass all of these options.`,
    }),
    setup_name_invalid: (flag: string, value: string, rule: string, near: string | undefined) => ({
      text: `${flag} ${JSON.stringify(value)}: ${rule}`,
      remedy: near && `Use another name, for example ${near}.`,
    }),
    setup_options_invalid: (issues: NonNullable<ErrorFacts["issues"]>) => ({
      text: `${issues.length} options are not valid`,
      issues,
    }),
    resource_without_name: (kind: string, id: string) => `The ${kind} ${id} has no name`,
    id_unusable: () => "The ID must not be empty, or have spaces around it",
    state_location_unknown: (source: string, scheme: string) => ({
      text: `${source}: a state cannot be stored at ${scheme}://`,
      remedy: "Use a file, an https:// URL, gitlab, or s3://BUCKET/KEY.",
    }),
    state_location_mistyped: (source: string, named: string, meant: string | undefined) => ({
      text: `${source}: ${named} is not the location of a state`,
      remedy: `${meant === undefined ? "" : `Did you mean ${meant}? `}For a file, write ./${named}.`,
      done: UNSENT,
    }),
    state_in_cache: (path: string) => ({
      text: `${path} is in a cache folder, which may be deleted or restored to an older version`,
      remedy: "Store the state in a permanent folder, or on a server: --state https://… or gitlab.",
      done: UNSENT,
    }),
    state_foreign: (location: string) => ({
      text: `${location} is not an amp routing state`,
      remedy: restore(location),
      done: STATE_KEPT,
    }),
    state_empty: (location: string) => ({
      text: `${location} is empty`,
      remedy: restore(location),
      done: STATE_KEPT,
    }),
    state_not_json: (location: string) => ({
      text: `${location} is not valid JSON: it was truncated or edited by hand`,
      remedy: restore(location),
      done: STATE_KEPT,
    }),
    state_damaged: (location: string, why: string) => ({
      text: `${location} is damaged: ${why}`,
      remedy: restore(location),
      done: STATE_KEPT,
    }),
    state_of_another_version: (location: string, version: unknown, own: number) => ({
      text: `${location} has version ${JSON.stringify(version)} of the state format`,
      remedy: `This version of amp reads only version ${own}: use the version of amp that wrote it.`,
      done: STATE_KEPT,
    }),
    journal_unreadable: (location: string, problem: string) => ({
      text: `The journal of ${location} is ${problem}`,
      detail: "An interrupted run left its last results in the journal.",
      remedy: `Restore good copies of ${location} and of its journal (${besideState(location)}/journal next to it), both from the same time.`,
      done: STATE_KEPT,
    }),
    state_link_broken: (path: string) => `${path} is a symbolic link to a file that does not exist`,
    state_below_link: (path: string, real: string, checkout: string, direct: string) => ({
      text: `${path} is below a link to ${real}, outside ${checkout}`,
      detail:
        "A checkout could contain such a link. amp writes the state, its lock and backup there.",
      remedy: `If this is your folder, name it directly: --state ${quote(direct)}`,
      done: UNSENT,
    }),
    state_link_outside: (path: string, file: string) => ({
      text: `${path} is a link to ${file}, outside its folder`,
      detail: "amp keeps the lock, journal and backup beside the file itself.",
      remedy: `If this is your state, name it directly: --state ${quote(file)}`,
      done: UNSENT,
    }),
    state_linked_twice: (file: string) => ({
      text: `${file} has a second hard link`,
      detail: "A run that uses the other name would not see the lock and the changes of this one.",
      remedy: `Remove the other name. To find it: find / -xdev -samefile ${quote(file)}`,
      done: UNSENT,
    }),
    state_folder_not_folder: (folder: string, file: string) => ({
      text: `${folder} is not a folder`,
      detail: `amp keeps the lock, journal and backup of ${file} there, and does not follow links.`,
      remedy: "Move it away, or choose another location with --state.",
      done: UNSENT,
    }),
    state_user_colon: () => "AMP_STATE_USERNAME must not contain a colon",
    state_method_invalid: (variable: string, standard: string) =>
      `${variable} is not a valid HTTP method, for example ${standard} or POST`,
    state_url_user_info: (source: string) => ({
      text: `${source} must not contain a user name or password`,
      remedy: "Remove them from the URL, and set AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
    }),
    state_url_invalid: (source: string) =>
      `${source} is not a valid URL, for example https://state.example.com/routing`,
    state_url_not_encrypted: (source: string, url: string) => ({
      text: `${source} must use https: ${url}`,
      detail: "A credential sent over http is not encrypted.",
      remedy: "Use https; http is only allowed for this machine.",
    }),
    gitlab_variables_missing: (missing: readonly string[]) => ({
      text: `--state gitlab requires ${missing.join(", ")} (set by GitLab CI)`,
      remedy:
        "Outside GitLab CI, set CI_API_V4_URL and CI_PROJECT_ID, and a user name and an access token in AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
      done: UNSENT,
    }),
    state_s3_url_invalid: (url: string, form: string, detail?: string) => ({
      text: `${JSON.stringify(url)} is not a valid S3 URL`,
      detail,
      remedy: `Use ${form}; region and endpoint are optional.`,
    }),
    state_s3_region_missing: (bucket: string, form: string) => ({
      text: `The region of bucket ${bucket} is not set`,
      remedy: `Set AWS_REGION, or use ${form}.`,
    }),
    state_s3_credential_missing: () => ({
      text: "--state s3://… requires AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      remedy: "If the AWS CLI is logged in, run: aws configure export-credentials --format env",
      done: UNSENT,
    }),
    lock_not_exclusive: (location: string) => ({
      text: `The server of ${location} grants its lock to several runs at once`,
      detail: "It granted the lock to a second ID while this run held it.",
      remedy: USED_TWICE,
      done: UNSENT_TO_SERVICE,
    }),
    writes_not_conditional: (location: string) => ({
      text: `The storage of ${location} does not support conditional writes`,
      detail: "The server ignored the If-None-Match condition.",
      remedy: USED_TWICE,
      done: UNSENT_TO_SERVICE,
    }),
  },
  check: {
    own_rules_broken: (
      path: string,
      lines: readonly string[],
      remedy: string,
      problems: readonly object[],
    ) => ({
      text: lines.length === 1 ? `${lines[0]}` : `${path} breaks ${lines.length} of its own rules`,
      detail: lines.length === 1 ? undefined : lines.join("\n"),
      remedy:
        lines.length === 1 ? remedy : "Change the routing, or require and forbid in the file.",
      done: UNSENT,
      data: { problems },
    }),
  },
  "not-found": {
    routing_not_listed: (so: string, remedy: string) => ({
      text: `The service cannot list its routing${so}`,
      remedy,
      suggestion: suggest("notify state list"),
    }),
    options_not_listed: (one: AmpError, other: AmpError) => ({
      text: `${one.message}; ${uncapitalised(other.message)}`,
      suggestion: [one, other].flatMap(({ facts }) => facts.suggestion ?? []),
    }),
    resource_gone: (address: string, id: string, facts: ErrorFacts, list?: SuggestedCommand) => ({
      ...facts,
      text: `${address} is ${id}, which the service no longer has`,
      // A single command has no such option.
      remedy: list ? undefined : "If it was deleted, run the command again with --accept recreate.",
      suggestion: list,
    }),
    id_not_listed: (
      noun: string,
      id: string,
      meant: string | undefined,
      suggestion: SuggestedCommand,
      found: NonNullable<ErrorFacts["candidates"]>,
    ) => ({
      text: `The service does not list ${noun} ${id}`,
      remedy: meant && `Did you mean ${meant}?`,
      candidates: found.length > 0 ? found : undefined,
      done: "Nothing was saved.",
      suggestion,
    }),
    address_not_found: (
      typed: string,
      problem: string,
      meant: string | undefined,
      isEmpty: boolean,
    ) => ({
      text: `${JSON.stringify(typed)} ${problem}`,
      remedy: meant && `Did you mean ${meant}?`,
      detail: isEmpty ? "There are none." : undefined,
    }),
    state_not_found: (location: string) => ({
      text: `No state found at ${location}`,
      suggestion: applyFile(),
    }),
    state_not_locked: (location: string) => `${location} is not locked`,
    undo_without_run: (hasRuns: boolean) => ({
      text: "The state has no run that could be undone",
      done: UNSENT,
      suggestion: hasRuns ? history() : undefined,
    }),
    undo_of_old_run: (run: string, oldest: string) => ({
      text: `Run ${run} is no longer in the history; the oldest is ${oldest}`,
      done: UNSENT,
      suggestion: history(),
    }),
    undo_of_unknown_run: (run: string, hasRuns: boolean) => ({
      text: `The state has no run ${JSON.stringify(run)}`,
      done: UNSENT,
      suggestion: hasRuns ? history() : undefined,
    }),
  },
  auth: {
    state_server_denied: (action: string, status: number, facts: ErrorFacts) => ({
      ...facts,
      text: `Could not ${action}: the server answered ${status}`,
    }),
  },
  conflict: {
    plan_blocked: (
      conflicts: readonly { readonly address: string }[],
      changes: boolean,
      remedy: string,
      suggestion: Suggestion,
    ) => ({
      text: `Conflict: ${firstNames(conflicts.map(({ address }) => address))}`,
      remedy,
      done: changes ? UNCHANGED : UNCREATED,
      suggestion,
      data: { conflicts },
    }),
    plan_outdated: (
      time: string,
      why: string,
      suggestion: SuggestedCommand | undefined,
      remedy = "Make a new plan and review it.",
    ) => ({
      text: `The plan of ${time} cannot be applied: ${why}`,
      remedy,
      suggestion,
      done: UNSENT,
    }),
    listed_without_id: (count: number, noun: string) => ({
      text: `The service listed ${counted(count, noun)} without an ID`,
      remedy: "What they connect is unknown. Report this to the service.",
    }),
    record_without_id: (nouns: string, key: string) => ({
      text: `The list of ${nouns} has a record without an ID of its own: ${key}`,
      remedy:
        "amp cannot determine whether it is the resource in the file. Correct the record at the service.",
    }),
    lists_incomplete: (noun: string, id: string, kind: string, route: string) => ({
      text: `The lists are incomplete: ${noun} ${id} of ${kind.replace("-", " ")} ${route} is not listed`,
      remedy: `Run the command again. If the ${noun} was deleted, delete its ${kind.replace("-", " ")}s:`,
      suggestion: suggest("notify routes delete", [route]),
    }),
    resource_in_use: (
      what: string,
      be: string,
      detail: string,
      change: string,
      facts: ErrorFacts,
    ) => ({
      detail,
      remedy: `Add --accept references to ${change} anyway.`,
      ...facts,
      text: `${what} ${be} in use`,
    }),
    route_exists: (address: string, id: string) => ({
      text: `${address} exists already, with ID ${id}`,
      done: UNCREATED,
      suggestion: suggest("notify routes list"),
      data: { id },
    }),
    created_earlier_otherwise: (
      address: string,
      id: string,
      fields: readonly string[],
      suggestion: SuggestedCommand,
    ) => ({
      text: `An earlier command has created ${address} with other values of ${fields.join(", ")}`,
      remedy: "Set the values that you want:",
      done: `${address} exists, with ID ${id}. Nothing was sent.`,
      suggestion,
      data: { id },
    }),
    resource_name_taken: (name: string, id: string) => ({
      text: `The name ${name} is taken: ${id} has it`,
      remedy: "Choose another name, or rename or delete that one first.",
    }),
    resource_listed_twice: (
      refusal: string,
      ids: readonly string[],
      facts: ErrorFacts,
      cause: unknown,
    ) => ({
      ...facts,
      text: `${refusal}; ${ids.length} of them exist`,
      detail: ids.join(", "),
      data: { ...facts.data, ids },
      cause,
    }),
    create_answered_otherwise: (
      address: string,
      which: string,
      detail: string | undefined,
      suggestion: Suggestion | undefined,
      requestId: string | undefined,
      answered: object,
    ) => ({
      text: `The service answered the create of ${address} with ${which}`,
      detail,
      remedy: `Check at the service whether it created ${address}; the next run looks it up first.`,
      suggestion,
      requestId,
      data: { answered },
    }),
    secret_name_not_unique: (id: string, name: string | null | undefined, count: number) => ({
      text: name
        ? `${count} destinations are named ${JSON.stringify(name)}`
        : `The destination ${id} has no name`,
      detail: "The service looks up the destination of a secret by name.",
      remedy: "Give it a unique name.",
      done: UNSENT,
    }),
    secret_of_another_destination: (id: string) => ({
      text: `The service returned another destination: ${id}`,
      remedy: "Check the destinations of this name.",
    }),
    address_in_state: (address: string, id: string) => ({
      text: `${address} is already in the state, with ID ${id}`,
      remedy: "If that ID is wrong, remove it from the state first; the resource is not deleted.",
      suggestion: forget(address),
      data: { address, id },
    }),
    id_in_state: (id: string, address: string) => ({
      text: `ID ${id} is already in the state, as ${address}`,
      remedy:
        "If that address is wrong, remove it from the state first; the resource is not deleted.",
      suggestion: forget(address),
      data: { address, id },
    }),
    create_unresolved: (address: string, suggestion: Suggestion) => ({
      text: `The outcome of creating ${address} is unknown`,
      remedy: "Check at the service whether it exists, then record the result.",
      suggestion,
    }),
    write_unresolved: (address: string, op: "update" | "delete") => ({
      text: `The outcome of the ${op} of ${address} is unknown`,
      remedy: "Run the command that began it again: it looks up what became of it.",
      done: "Nothing was saved.",
    }),
    state_push_older: (saved: number, pushed: number, data: Data) => ({
      text: `The saved state (serial ${saved}) is not older than the pushed one (serial ${pushed})`,
      remedy: COMPARE,
      suggestion: suggest("notify state pull"),
      data,
    }),
    state_push_unrelated: (data: Data) => ({
      text: "The saved state has another lineage than the pushed one",
      remedy: COMPARE,
      suggestion: suggest("notify state pull"),
      data,
    }),
    state_of_earlier_sandbox: () => ({
      text: "The pushed state belongs to earlier data of the sandbox",
      detail: "The sandbox was reset or restarted since, and has none of its resources.",
      remedy: "Apply the routing file: this creates a new state for the sandbox.",
      done: "Nothing was saved.",
      suggestion: applyFile(),
    }),
    state_of_another_target: (own: string, given: string, data: Data) => ({
      text: `The state belongs to ${own}`,
      detail: `This command targets ${given}.`,
      remedy: "Choose another state with --state, or the profile and project of this state.",
      done: UNSENT,
      data,
    }),
    project_name_moved: (
      name: string,
      detail: string,
      remedy: string,
      suggestion: SuggestedCommand,
      data: Data,
    ) => ({
      text: `The name ${name} now belongs to another project`,
      detail,
      remedy,
      done: UNCHANGED,
      suggestion,
      data,
    }),
    project_with_two_states: (project: string, one: string, other: string) => ({
      text: `Project ${project} has two states: ${one} and ${other}`,
      detail: "One was created for the project's ID, the other for its name.",
      remedy: "Compare them, then move one away, or choose one with --state.",
      done: UNSENT,
    }),
    state_locked: (location: string, held: ErrorFacts, remedy: string, id?: string) => ({
      ...held,
      text: `${location} is locked by another run`,
      remedy,
      suggestion: unlock(id),
    }),
    state_lock_alive: (location: string, held: ErrorFacts) => ({
      ...held,
      text: `The run that has locked ${location} is still running`,
      remedy:
        "Wait for it to finish, or end it. --force removes the lock anyway: that run then stops, and the result of its last request may be lost.",
      done: LOCK_KEPT,
    }),
    state_lock_different: (location: string, id: string, held: Held) => ({
      ...held,
      text: `The lock ID ${id} does not match the lock of ${location}`,
      remedy: "If the run that holds it is no longer running, remove its lock.",
      suggestion: unlock(held.data.holder.id),
      done: LOCK_KEPT,
    }),
    state_changed: (location: string) => ({
      text: `${location} was changed by another run while it was locked`,
      remedy: OTHER_RUN,
    }),
    undo_of_begun_run: (run: string) => ({
      text: `It is not known yet what the last run, ${run}, has done`,
      done: UNSENT,
      remedy: "To take it back:",
      suggestion: suggest("notify undo", [run]),
    }),
    undo_too_large: (run: string) => ({
      text: `Run ${run} made more changes than the state keeps`,
      remedy:
        "Remove what it created from the routing file and apply it with --prune, or delete it.",
    }),
    undo_without_creates: (run: string, stays: string, remedy: string) => ({
      text: `Run ${run} created nothing that could be deleted`,
      detail: `It ${stays}.`,
      remedy,
      suggestion: suggest("notify state history"),
    }),
    undo_without_deletes: (run: string) => ({
      text: `Nothing that run ${run} created can be deleted`,
      done: "Nothing was deleted.",
    }),
  },
  rejected: {
    updates_missing: (many: string, facts: ErrorFacts, remedy: string, mayBeGone?: string) => ({
      ...facts,
      text: `This service does not update ${many}${mayBeGone ? `, or has no ${mayBeGone} any more` : ""}`,
      remedy: mayBeGone ? "If it does not exist, remove it from the state." : remedy,
      suggestion: mayBeGone ? forget(mayBeGone) : undefined,
      done: UNCHANGED,
    }),
    deletes_missing: (reason: string, address: string) => ({
      text: reason,
      remedy: `Run apply without --prune to keep ${address}, or remove it from the state.`,
      suggestion: forget(address),
    }),
    state_server_refused: (action: string, status: number, facts: ErrorFacts) => ({
      ...facts,
      text: `Could not ${action}: the server answered ${status}`,
    }),
  },
  service: {
    lists_outdated: () => ({
      text: "The service does not list yet what amp did",
      remedy: "Run the command again later.",
      done: UNSENT,
    }),
    lists_gone: () => ({
      text: "The service no longer lists its routing",
      remedy: "Try again later. Without lists, existing resources could be created twice.",
      done: UNCREATED,
    }),
    lists_of_another_project: (project: string, own: string, other: string) => ({
      text: `The service lists resources of another project as those of ${project}`,
      detail: `The state belongs to project ${own}; the listed resources belong to project ${other}.`,
      done: UNCHANGED,
      suggestion: suggest("projects list"),
    }),
    write_not_done: (
      address: string,
      write: string,
      reason: string,
      facts: ErrorFacts,
      cause: unknown,
    ) => ({ ...facts, text: `${address} was not ${write}d: ${reason}`, cause }),
    state_server_failed: (action: string, status: number, facts: ErrorFacts) => ({
      ...facts,
      text: `Could not ${action}: the server answered ${status}`,
      remedy: "Run the command again later.",
    }),
    state_server_silent: (
      action: string,
      detail: string,
      retryable: boolean,
      remedy: string | undefined,
      cause: unknown,
    ) => ({ text: `Could not ${action}`, detail, retryable, remedy, cause }),
    state_server_page: (action: string) => ({
      text: `Could not ${action}: the server answered with a web page`,
      remedy:
        "Check the address of the state, and whether a login page or proxy answers in its place.",
    }),
    state_save_lost: (location: string) => ({
      text: `${location} does not have what was saved`,
      detail: "The server reported success, but the saved state could not be read back.",
      remedy: "Choose another location with --state.",
      retryable: false,
    }),
  },
  interrupted: {
    state_request_interrupted: (action: string) => ({
      text: `Could not ${action}`,
      detail: CUT_OFF,
    }),
  },
  terminated: {
    state_request_terminated: (action: string) => ({
      text: `Could not ${action}`,
      detail: CUT_OFF,
    }),
  },
  partial: {
    run_incomplete: (
      inPlace: number,
      total: number,
      unclear: string,
      why: string,
      facts: ErrorFacts,
      cause: unknown,
    ) => ({
      ...facts,
      text: `${inPlace} of ${total} in place, ${unclear}: ${why}`,
      cause,
    }),
    create_not_shown: (
      address: string,
      id: string,
      fields: readonly string[],
      suggestion: SuggestedCommand,
    ) => ({
      text: `It is unknown whether the service stored what was sent of ${address}: no list shows ${fields.join(", ")}`,
      remedy: "If it is yours, set these values again:",
      done: `${address} exists, with ID ${id}. The request was not sent again.`,
      suggestion,
      data: { id },
    }),
    undo_incomplete: (isDone: boolean, before?: SuggestedCommand) => ({
      text: `The run ${isDone ? "was" : "can be"} undone only in part`,
      done: isDone ? "Everything that the run created and nobody else uses is deleted." : UNSENT,
      remedy: before && "To undo the run before it:",
      suggestion: before,
    }),
    secret_not_returned: (suggestion: SuggestedCommand) => ({
      text: "The secret was rotated, but the response does not contain it",
      remedy: "Read the new secret.",
      suggestion,
    }),
  },
});
