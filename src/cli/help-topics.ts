import { Help } from "commander";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  metadataWords,
} from "../api/catalogue/destination-types.ts";
import { EXIT, type ExitName } from "../errors.ts";
import { kebabCase, optionOf, SETTINGS, type SettingName, settingOf } from "../settings.ts";
import { formatFacts, OUTPUT_FORMATS } from "../values/setting.ts";
import {
  describeParam,
  type HeadingStyle,
  type Item,
  itemLines,
  LISTED_TOPICS,
  MIN_WRAPPED_WIDTH,
  type TopicName,
} from "./help.ts";
import { globalOptions, shownOptions } from "./tree.ts";

/** A part of a topic: a paragraph, a line to copy (indented), or terms with explanations. */
type HelpPart = string | readonly (readonly [term: string, explanation: string])[];

/** The topics of `amp help <topic>`: those in prose, and those that follow from tables. */
const TOPICS: Readonly<Record<TopicName, () => readonly HelpPart[]>> = {
  accessibility: () => [
    "Screen readers and plain terminals",
    "Set ACCESSIBLE=1 if a screen reader or a braille display reads your terminal. Nothing that was printed is then changed: no cursor movement, no spinner, no pager.",
    [
      ["questions", "a list is numbered: type a number, or for several 1,3 or 2-4 or all"],
      ["yes or no", "type y or n; Enter takes the answer that the question names"],
      ["back", "type < where the question says so; Ctrl-C ends the command"],
      ["long lists", "type a part of a name to list only the choices that have it"],
      ["secrets", "what you type is hidden"],
      ["lists", "a record for each item: a line for each value, an empty line between records"],
      ["marks", "words: ok, failed, create, update, delete; a routing is read as sentences"],
      ["waits", "a line every 30 s, and not a spinner"],
      ["colours", "only the 16 of the terminal, none of them faint"],
    ],
    "To set it for good, save it in the profile, or write accessible: true in a .amp.yaml file:",
    "  amp auth default accessible true",
    "ACCESSIBLE=0 turns it off for one command. It changes only what a terminal shows: pipes, files and --json are as always. With TERM=dumb, questions are typed the same way.",
    "NO_COLOR=1 disables all colours. --no-input never asks: a missing value is an error that names its option. --json prints data without any layout.",
  ],
  agents: () => [
    "Coding agents and scripts",
    "Every command works without a terminal: it asks nothing, and a missing value is an error that names its option. This lists the commands, each with its arguments, options, fields, exit codes and examples, and explains the fields of a record:",
    "  amp commands --json\n  amp explain installation --json",
    "Read results as JSON. stdout has the data; with exit code 0 stderr is empty, otherwise it has one document with error.code, error.message and, where there is one, error.suggestion: the next command. docs/json.schema.json has the schema of each command.",
    "  amp installations list --json --fields id,healthStatus\n  amp installations list --jq '.[].id' --no-input",
    "What to do after each exit code:",
    AGENT_EXITS.map(([names, does]) => [names.map((name) => EXIT[name].code).join(", "), does]),
    "Look before you write: plan changes nothing. apply --plan refuses to do anything but what that plan says, and --expect-project refuses any other project.",
    "  amp notify check -f routing.yaml --json\n  amp notify plan -f routing.yaml --out plan.json --json\n  amp notify apply -f routing.yaml --plan plan.json \\\n    --expect-project acme --yes --json",
    "Give each run an end with --deadline 5m. An apply that was cut off is continued by the same command: nothing is created twice.",
    "Try everything in a sandbox, which needs no account: amp sandbox start runs a local copy of the service, which --profile sandbox uses.",
    "Never write a secret on the command line: amp reads it from AMP_API_KEY, --api-key-file or a login, and secrets of destinations from env:NAME or file:PATH (amp help secrets). Output shows secrets as [redacted].",
  ],
  output: () => [
    "Output formats and fields",
    "Data goes to stdout; notices, prompts and errors go to stderr. On failure stdout is empty, except that a long list is written as it arrives, and a command that has a result in spite of its exit code writes it in full: a check or comparison (8), a partial apply (9), a wait that timed out (124), and a plan with a conflict (5).",
    [
      ["(default)", "a table on a terminal; in a pipe, its columns separated by tabs, no header"],
      ...[...Map.groupBy(OUTPUT_FORMATS, (format) => formatFacts(format).help)].map(
        ([help, formats]) => [formats.join(", "), help] as const,
      ),
    ],
    "In csv, cells that a spreadsheet would read as a formula begin with '. Control sequences for terminals and CI logs are escaped: as \\u{1b} in text and csv, as JSON escapes in json and yaml. csv-raw leaves out the ' and, in a file or pipe, the escapes.",
    'In env, fields are joined to the name (RESULT_COUNTS_CREATE), list items by address, name or ID, else by number, with RESULT_…_COUNT; names that differ only in characters that a variable cannot have get numbers, with a warning. A command that lists writes RESULT_COUNT, and for each field the JSON array of its values (RESULT_ID=["a","b"]), of up to 64 KB. A value that is not one line of plain text, or that begins or ends with a quote or a space, is written as a JSON string. Do not pass the lines to source or eval.',
    "--fields id,group.groupName selects fields or columns; in a table they become the columns. Text formats show an object as the column of the same name, if there is one, such as group; otherwise as text on a terminal and as JSON in a pipe. A list rejects unknown names; put the name of a field that amp does not know in quotes.",
    "amp help filters describes --filter, --sort-by and --limit.",
  ],
  filters: () => [
    "Filters and sorting of lists",
    "Lists accept --filter more than once: of filters of one name with = or ~, an item must meet one, and all others. A name is a column (health, last-op) or the path of a field (connection.status); if the field is a list, one of its values must match.",
    [
      [
        "=  !=",
        "equal, not equal, in any case; a missing field equals an empty one: --filter group.groupRef=",
      ],
      ["~", "contains, in any case: --filter group~acme"],
      [
        "<  <=  >  >=",
        "numbers and times: 'updated>3d' means in the last 3 days, 'updated<3d' earlier (amp help times)",
      ],
      ['"text"', "quote a value to compare it as text, and a name that amp does not know"],
    ],
    "--sort-by health,-updated sorts by several names; - reverses the order of one. Items without a value come last. --limit 10 ends the list and requests no further pages. Without --sort-by a long list is filtered as it arrives.",
  ],
  times: () => [
    "Times and time zones",
    "--since and the filters of a list accept these forms. A time without a zone is UTC.",
    [
      ["2h, 3 days", "counted back from now; also 1w and 1 day 6 h"],
      ["9:00, 9am, noon", "the latest that has passed; also yesterday 21:30 and 9:00 GMT+2"],
      ["monday, last monday", "the latest that has passed; last monday is never today"],
      ["21 Nov, 21.11.", "the latest that has passed; also Nov 21, 21.11.2026 and 21 Nov 9:00"],
      ["2026-09-01", "a day; more precise: 2026-09-01T10:30, 2026-09-01T10:30:00+02:00"],
    ],
    "  amp installations list --filter 'updated>yesterday 18:00'\n  amp installations operations Initech --since 'last monday'",
    "Times that amp prints are accepted too. Pipes and JSON have times in UTC; where a page also has the local time, it is that of the machine, or of TZ.",
  ],
  json: () => [
    "JSON output",
    "--json prints the response of the service: unknown fields are kept, numbers keep their digits, and credentials are replaced by [redacted]. A list is an array, written as it arrives; ndjson is one item per line.",
    "  amp installations list --json | jq '.[].id'",
    "--jq prints the result of a jq program on that JSON; jq is built in. Strings are printed without quotes, other values as JSON, one per line (indented on a terminal). A program that begins with .[] and a pipe is run on each part of a long list as it arrives; any other program is run on the whole list, up to 128 MB. If the program fails, the exit code is 2; if the command wrote something, its whole result is printed instead, and an exit code of its own remains.",
    "  amp installations list \\\n    --jq '.[] | select(.healthStatus == \"unhealthy\").id'",
    "amp <command> --help lists the fields, and amp explain says what each means. A field that does not match the specification is printed as the service sent it.",
    'With --json stderr is empty if the exit code is 0 (on GitHub Actions it may have lines that begin with ::add-mask::, which mask a secret of a file or profile in the log). Otherwise it has exactly one document: {"error": {"code", "message", "exitCode", …}}. It may also contain remedy, suggestion (a command to run), done (what was and was not done), status, requestId, issues and warnings. amp help errors explains them.',
    "amp notify apply accepts --progress json: stderr then has one JSON document per line, for each intent and result as it happens, for warnings, and for the error. The log of a job is kept even if the runner and its state are lost.",
  ],
  errors: () => [
    "Errors, retries and unknown outcomes",
    "An error says what failed, why, what was and was not done, and which command to run next. Quote the request ID when you contact the support of the service.",
    [
      ["retries", "reads are repeated after a network failure or 5xx (amp help network)"],
      ["creates", "a create is sent at most once per run, unless it did not reach the service"],
      ["unknown", "a create with an unknown outcome is looked up in the lists, or reported"],
      ["waits", "429 and Retry-After are obeyed, up to AMP_MAX_WAIT; then exit 7"],
      ["time", "--timeout limits one response, --deadline the whole command (exit 124)"],
    ],
    "After exit code 9, run the same command again: existing resources are found and not created again. Each error has a name, which JSON and --debug show. --debug also logs each request with its timing; secrets are hidden.",
  ],
  support: () => [
    "Find out why a customer's sync stopped",
    "Customers are found by name, ID or pasted text, such as an event or an error. All of these commands only read, but pause and resume.",
    [
      ["amp installations summary", "what fails together, since when and why"],
      ["amp case create <name>", "why one fails, since when, who else, who must act; --save"],
      ["amp installations get <name>", "one installation: its likely cause, connection and reads"],
      [
        "amp installations list",
        "--filter cause~revoked --sort-by=-failing-since (amp help filters)",
      ],
      [
        "amp installations logs <id>",
        "the log of an operation; amp installations operations lists them",
      ],
      [
        "amp installations diff <a> <b>",
        "whether two are configured alike; --since an earlier list",
      ],
      ["amp installations wait <name>", "--for health=healthy, after a fix"],
      ["amp installations pause <name>", "pause and resume reads"],
    ],
    "-o markdown writes a page for a ticket. amp help case has the commands of saved cases.",
  ],
  events: () => [
    "Events and their delivery",
    "The platform sends an event when an installation, a connection or a read changes. Event routes send event types to topics, and destination routes send topics to destinations: one delivery for each topic and destination. The records that reads find are sent directly to the destination that the installation names.",
    [
      ["amp notify events", "the event types"],
      ["amp notify graph <event>", "where an event is delivered"],
      ["amp trigger <event>", "trigger it in a sandbox, or send it to a URL"],
      ["amp sandbox deliveries", "each delivery attempt, with the receiver's response"],
      ["amp listen", "receive events on this machine, check and forward them"],
      ["amp webhooks test <url>", "test a receiver"],
      ["amp webhooks verify", "find out why a signature is not valid"],
    ],
    "A webhook receives a POST with notificationType and data, signed in the headers svix-id, svix-timestamp and svix-signature. It must return a 2xx status within 15 s; redirects are not followed. A failed message is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same svix-id. A webhook to which every delivery has failed for 5 days is disabled. The same message may arrive twice.",
    "A sandbox follows the same rules (amp sandbox start --time-scale 1000 shortens the waits), and delivers only to this machine.",
  ],
  ci: () => [
    "amp in CI",
    "No login is needed: set the target and the credential in the environment. amp never prompts without a terminal, with --no-input, or if CI is set; a missing value is an error that names its option. --yes confirms.",
    "  export AMP_BASE_URL=https://api.example.com/v1\n  export AMP_API_KEY=… AMP_PROJECT=acme AMP_STATE=gitlab\n  amp notify plan -f routing.yaml --exit-code\n  amp notify apply -f routing.yaml --yes --json",
    "If CI is set and no format is asked for, a result that is a page on a terminal is that page on stdout, its answer in the first line: a plan, a receipt, a check. stderr has what stdout does not: what an update changes, waits, warnings, and why a run failed. Use -o tsv or --json in scripts.",
    "check -f checks a file without a login, network access or secrets, for example in a pull request. plan --exit-code exits with 8 if there are changes, also drift, and with 5 if the file cannot be applied. Store the state where the next run can read it (amp help state). If a job is cancelled halfway, run the same command again: the result is exactly the routing in the file.",
    "Set AMP_BASE_URL and AMP_STATE in the job, so that no file in the repository can set them (amp help trust). Do not give credentials to the jobs of unreviewed pull requests. For complete jobs, see docs/cookbook-github.md and docs/cookbook-gitlab.md.",
  ],
  network: () => [
    "Requests, limits and TLS",
    "--timeout limits one response, --deadline the whole command. The other limits are variables:",
    variablesOf("timeout", "deadline", "retries", "maxWait", "maxBody", "auth"),
    "amp auth default saves them, and a timeout, in a profile; a .amp.yaml file cannot set them:",
    "  amp auth default max-body 500MB --profile production",
    "Certificates are checked, and http is refused except on this machine. Two options that no other help lists change that for one run, which then says so on stderr:",
    globalOptions()
      .filter(({ hidden }) => hidden)
      .map(describeParam),
    "HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured; NODE_EXTRA_CA_CERTS adds certificate authorities.",
  ],
  state: () => [
    "State of a routing",
    "The service has no idempotency keys. amp therefore saves what it created, and what it was about to create, before it sends anything. If a run is killed, the next one continues from there.",
    [
      [
        "(default)",
        "a file in $XDG_STATE_HOME/amp-admin, or ~/.local/state/amp-admin, for each project",
      ],
      ["a path", "one file"],
      ["gitlab", "state managed by GitLab; reads the variables of the CI job"],
      ["https://…", "Terraform's HTTP state protocol, with AMP_STATE_USERNAME and _PASSWORD"],
      ["s3://bucket/key", "S3 with conditional writes; ?region=… and ?endpoint=https://…"],
    ],
    "Set the location with --state or AMP_STATE. Only one run at a time can hold the lock of a state: AMP_LOCK_WAIT=5m waits for it, and amp notify state unlock removes the lock of a run that no longer exists.",
    [
      ["state list", "lists what the state has, without asking the service"],
      ["import, forget", "change the state only: add or remove a resource"],
      ["resolve", "records what you found at the service for an unknown outcome"],
      ["state pull, push", "move a state to another location"],
    ],
    "Three variables, or keys of a trusted .amp.yaml (commit-horizon, parallel, lock-wait), tune a run:",
    variablesOf("commitHorizon", "parallel", "lockWait"),
    "A commit horizon below 60s is for tests, and reported on stderr: a create that takes longer to appear may be sent twice.",
    "For one commit horizon after its own create, update or delete, amp does not believe a list that contradicts it: plan and apply wait until the list shows it.",
    "The state contains names, IDs and digests, but no values. If the service provides lists, amp notify apply rebuilds a lost state. docs/state.md says what apply decides in each situation.",
  ],
  secrets: () => [
    "Secrets and credentials",
    "The credential of amp is never an argument: it comes from amp auth login, AMP_API_KEY, AMP_ACCESS_TOKEN or --api-key-file. It is sent only to the origin of its base URL.",
    "Secrets of destinations are written as references: as env:NAME or file:PATH in a routing file, and in options:",
    "  --secret password=env:CLICKHOUSE_PASSWORD\n  --secret credentials=@service-account.json",
    "Metadata can contain env:NAME, too, for example in headers; file: is refused there.",
    "plan and apply list each reference and where it goes. Variables of amp and AWS and tokens of the CI job are refused unless you add --allow env:NAME; if AMP_ALLOW_ENV is set, no other variables can be read. Files must be in the folder of the routing file; --allow file:PATH allows others.",
    "Known secrets in output, including JSON and errors, are replaced by [redacted]. amp auth token, amp api and amp notify destinations secret print secrets.",
  ],
  files: () => [
    "Files that amp reads and writes",
    [
      ["routing.yaml", "the routing that apply creates; amp notify schema prints its JSON Schema"],
      [
        ".amp.yaml",
        "defaults for a folder and all folders below it: project, org, integration, output, accessible, timeout, deadline; base-url, profile, state, commit-horizon, parallel and lock-wait once trusted",
      ],
      [
        "~/.config/amp-admin",
        "profiles, credentials (mode 0600) and trusted files; AMP_CONFIG_DIR or XDG_CONFIG_HOME moves it",
      ],
      ["~/.local/state/amp-admin", "the state of each project; XDG_STATE_HOME moves it"],
      [
        "~/.cache/amp-admin",
        "compiled code of the npm package, which may be deleted; XDG_CACHE_HOME moves it",
      ],
    ],
    "An option overrides the environment, which overrides .amp.yaml, which overrides the profile. Files of another user, symbolic links to credentials, and credentials in .amp.yaml are refused.",
  ],
  trust: () => [
    "Trust in .amp.yaml files",
    "A repository may contain a .amp.yaml that you did not write. Its project, org, integration, output and time-outs apply immediately. base-url, profile and state determine where credentials and records are sent, and commit-horizon, parallel and lock-wait how safely a run writes, so they apply only after you trust the file.",
    [
      ["amp trust", "trust the nearest .amp.yaml, as it is now"],
      ["amp trust --list", "list the trusted files, and whether they have changed"],
      ["amp trust --revoke", "stop trusting it"],
    ],
    "On a terminal, amp shows these settings and asks once whether you trust the file. Elsewhere they are refused: use the option or variable (--base-url, AMP_BASE_URL, AMP_STATE); a profile that is not saved here is ignored if options or variables set the base URL and the credential. Trust applies to one path and one content; after a change, amp asks again. A file that belongs to another user has no effect until it is trusted. For the options, see amp trust --help.",
  ],
  options: () => [
    "Global options",
    shownOptions().map(describeParam),
    "Precedence: option, environment variable, .amp.yaml, profile. amp auth default saves settings in a profile. amp help network has the options of connections without TLS checks.",
  ],
  topics: () => [
    "Help topics",
    LISTED_TOPICS.map((name) => [name, topicSummary(name)]),
    "amp help <topic> shows one. amp help <command> shows the help of a command or group, such as amp help notify apply; so does --help after the command.",
  ],
  environment: () => [
    "Environment variables",
    ...variableGroups(),
    "An amp variable that is set but empty is an error, so that a script does not run with a missing value. An empty AMP_PAGER is allowed.",
    "A setting that a file or profile may also have is taken from the first of these that has it; amp auth status and amp auth default name the place, and those that it overrides:",
    settingPlaces(),
  ],
  "exit-codes": () => [
    "Exit codes",
    exitCodes(),
    "amp <command> --help lists the codes of that command; any command can also exit with 1, 124, 130 or 143.",
  ],
  destinations: () => [
    "Destination types",
    "The fields of each type, optional ones in brackets. Set metadata with --url or --metadata key=value, and secrets with --secret key=env:NAME. A type or field that is not listed is sent unchanged, with a warning.",
    DESTINATION_TYPE_NAMES.map((type) => [
      type,
      [
        metadataWords(type, fieldName).join(", "),
        DESTINATION_TYPES[type].secrets.map(fieldName).join(", "),
      ]
        .filter((fields) => fields !== "")
        .join("; secrets: "),
    ]),
  ],
};

/** The parts of a topic, its title first. */
export function topicParts(topic: TopicName): readonly HelpPart[] {
  return TOPICS[topic]();
}

/** What a script does after the exit codes of a kind. */
const AGENT_EXITS = [
  [["ok"], "go on"],
  [["usage"], "correct the command line, the file or the setting that the error names"],
  [["not-found", "rejected"], "correct the name or value: the same command would fail again"],
  [["auth"], "ask the person to log in or to set a credential (amp auth status)"],
  [["conflict"], "read error.suggestion; if it is a lock, wait and run it again"],
  [["service", "timeout"], "run the same command again later"],
  [["check"], "a result: changes are pending, or a check found something"],
  [["partial"], "run the same command again: it looks up what is unknown and continues"],
  [["interrupted", "terminated"], "somebody stopped it; the same command continues"],
  [["unexpected"], "a bug in amp: run it again with --debug, and report it"],
] as const satisfies readonly (readonly [readonly ExitName[], string])[];

/** The places of each setting that a project file or profile may have, in order of precedence. */
function settingPlaces(): Item[] {
  return (Object.keys(SETTINGS) as SettingName[]).flatMap((name) => {
    const { env, inProjectFile, inProfile } = settingOf(name);
    if (!inProjectFile && !inProfile) return [];
    const file = inProjectFile === "trusted" ? ".amp.yaml once trusted" : ".amp.yaml";
    // An option of the commands that use a state, not a global one.
    const option = name === "state" ? "--state" : optionOf(name);
    const places = [option, env, inProjectFile && file];
    return [[kebabCase(name), [...places, inProfile && "profile"].filter(Boolean).join(", ")]];
  });
}

function variablesOf(...names: readonly SettingName[]): Item[] {
  return names.map(settingOf).map(({ env = "", summary }) => [env, summary]);
}

function fieldName({ name, required }: { name: string; required: boolean }): string {
  return required ? name : `[${name}]`;
}

/** The exit codes, each with its meaning. */
export function exitCodes(): Item[] {
  return Object.values(EXIT).map(({ code, meaning }) => [String(code), meaning]);
}

/** The title of a topic, as a line of a list begins: in lower case, except for an abbreviation. */
export function topicSummary(topic: TopicName): string {
  const title = String(topicParts(topic)[0]);
  return title.replace(/^[A-Z](?=[a-z])/u, (letter) => letter.toLowerCase());
}

/**
 * The text of a topic.
 * @param heading adds weight to its title
 */
export function helpTopic(topic: TopicName, width: number, heading: HeadingStyle): string {
  const helper = new Help();
  helper.minWidthToWrap = MIN_WRAPPED_WIDTH;
  helper.helpWidth = width;
  const [title = "", ...parts] = topicParts(topic).map((part) => {
    if (typeof part !== "string") return itemLines(part, helper).join("\n");
    return part.startsWith(" ") ? part : helper.boxWrap(part, width);
  });
  return `${[heading(title), ...parts].join("\n\n")}\n`;
}

/**
 * The variables that are not settings of amp: those of state servers, CI systems and the machine.
 */
const OTHER_VARIABLES = {
  AMP_REGISTRY: "npm registry for amp version --check (default: npm_config_registry)",
  AMP_STATE_USERNAME: "user name for --state https://… and gitlab",
  AMP_STATE_PASSWORD: "password for --state https://… and gitlab",
  AMP_STATE_LOCK_ADDRESS: "URL of the lock (default: the URL of the state)",
  AMP_STATE_LOCK_METHOD: "HTTP method that locks (default LOCK)",
  AMP_STATE_UNLOCK_ADDRESS: "URL that unlocks (default: the URL of the lock)",
  AMP_STATE_UNLOCK_METHOD: "HTTP method that unlocks (default UNLOCK)",
  CI_API_V4_URL: "set by GitLab CI; for --state gitlab",
  CI_PROJECT_ID: "set by GitLab CI; for --state gitlab",
  CI_JOB_TOKEN: "set by GitLab CI; for --state gitlab without AMP_STATE_PASSWORD",
  CI_JOB_URL: "set by GitLab CI: the job, as locks and notify state history name it",
  CI_JOB_ID: "set by GitLab CI: the job, where CI_JOB_URL is not set",
  AWS_ACCESS_KEY_ID: "access key for --state s3://…",
  AWS_SECRET_ACCESS_KEY: "secret key for --state s3://…",
  AWS_SESSION_TOKEN: "token of temporary AWS credentials, for --state s3://…",
  AWS_REGION: "region of the bucket, unless the URL names it",
  AWS_DEFAULT_REGION: "region of the bucket if AWS_REGION is not set",
  USER: "name of the user, for notify state history; LOGNAME or USERNAME if it is not set",
  LOGNAME: "see USER",
  USERNAME: "see USER",
  GITHUB_ACTIONS:
    "set by GitHub Actions: amp asks the runner to mask secrets of files and profiles, and marks findings of notify check",
  GITHUB_SERVER_URL:
    "set by GitHub Actions: part of the job's URL in locks and notify state history",
  GITHUB_REPOSITORY: "see GITHUB_SERVER_URL",
  GITHUB_RUN_ID: "see GITHUB_SERVER_URL",
  GITHUB_WORKSPACE: "set by GitHub Actions: the folder that paths in reports are relative to",
  RUNNER_TOOL_CACHE: "set by GitHub Actions: folder where no state is saved",
  NODE_TLS_REJECT_UNAUTHORIZED: "0 is refused without --insecure-tls",
  XDG_CONFIG_HOME: "folder above the profiles (default ~/.config)",
  XDG_STATE_HOME: "folder above the saved states (default ~/.local/state)",
  XDG_CACHE_HOME:
    "folder above the compiled code of the npm package (default ~/.cache); no state is saved there",
  LOCALAPPDATA: "folder above the compiled code of the npm package on Windows",
  NODE_COMPILE_CACHE: "another folder for the compiled code of the npm package",
  NODE_DISABLE_COMPILE_CACHE: "1 saves no compiled code",
  HOME: "folder above ~/.config, ~/.local and ~/.cache",
  APPDATA: "folder above the profiles on Windows",
  AMP_PAGER: "pager for results longer than the screen; empty or cat for none (default: PAGER)",
  PAGER: "pager if AMP_PAGER is not set (default: less -FRX)",
  LESS: "options of less (default: FRX)",
  TERM: "dumb disables colour and the pager; questions are then answered by typed lines",
} as const satisfies Record<string, string>;

/** The groups of the variables, each with what its names match; a name is in the first that does. */
const VARIABLE_GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  [
    "The most used:",
    /^AMP_(?:BASE_URL|API_KEY|ACCESS_TOKEN|PROJECT|PROFILE|INTEGRATION|STATE|OUTPUT|NO_INPUT|DEBUG)$/u,
  ],
  ["Other settings of amp:", /^AMP_(?:AUTH|ORG|READ_BASE_URL|CONFIRM|EXPECT_PROJECT)$/u],
  ["Requests:", /TIMEOUT|DEADLINE|RETRIES|MAX_|REGISTRY|PROXY|TLS|CA_CERTS|^TRACE/u],
  ["Routing and its state:", /^AMP_(?:STATE|COMMIT|PARALLEL|LOCK|ALLOW)|^AWS/u],
  ["CI:", /^CI|^GITHUB|^RUNNER|SANDBOX_TOKEN/u],
  ["Terminal:", /COLOR|TERM|PAGER|ACCESSIBLE|^LESS|^TZ/u],
  ["Folders, users and cases:", /./u],
];

function variableGroups(): HelpPart[] {
  const titleOf = (name: string) => VARIABLE_GROUPS.find(([, names]) => names.test(name))?.[0];
  const groups = Map.groupBy(environmentVariables(), ([name]) => titleOf(name));
  return VARIABLE_GROUPS.flatMap(([title]) => [title, groups.get(title) ?? []]);
}

/** The environment variables that any part of amp reads, each with its meaning. */
export function environmentVariables(): Item[] {
  const settings = Object.values(SETTINGS).flatMap((setting) =>
    "env" in setting ? [[setting.env, setting.summary] as const] : [],
  );
  return [...settings, ...Object.entries(OTHER_VARIABLES)];
}
