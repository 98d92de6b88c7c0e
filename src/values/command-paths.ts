/** The options that determine where a command acts, and may write. */
export interface CommandTarget {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly project?: string | undefined;
  readonly state?: string | undefined;
  readonly confirm?: string | undefined;
  readonly expectProject?: string | undefined;
  /** True if the command is for a place without a terminal, where it needs `--yes`. */
  readonly yes?: boolean | undefined;
}

type Scope = readonly (keyof CommandTarget)[];

/** The scope of a command that calls no service, and uses no login. */
const NOTHING = [] as const satisfies Scope;
const SERVICE = ["profile", "baseUrl"] as const satisfies Scope;
const PROJECT = [...SERVICE, "project"] as const satisfies Scope;
const STATE = [...PROJECT, "state"] as const satisfies Scope;
/** The options that guard a write at the service. */
const GUARDS = ["confirm", "expectProject"] as const satisfies Scope;
const PROJECT_WRITE = [...PROJECT, ...GUARDS] as const satisfies Scope;
const SERVICE_WRITE = [...SERVICE, ...GUARDS] as const satisfies Scope;
const STATE_WRITE = [...STATE, ...GUARDS] as const satisfies Scope;

/**
 * The commands, each with the options of the target that it takes, and its summary for help. The
 * route table must have exactly these commands, and a suggested command must be one of them: the
 * compiler checks both. The table is separate from the route table because errors of every layer
 * suggest commands, and must not import the commands' modules.
 */
export const COMMANDS = {
  "projects list": [SERVICE, "list the projects"],
  "projects get": [SERVICE, "show one project"],
  "integrations list": [PROJECT, "list the integrations of a project"],
  "integrations get": [PROJECT, "show one integration"],
  "apps list": [PROJECT, "list the provider apps of a project"],
  "apps get": [PROJECT, "show one provider app in full"],
  "apps lint": [PROJECT, "check provider apps against their providers"],
  "providers list": [SERVICE, "list the provider catalogue"],
  "providers get": [SERVICE, "show what a provider requires and supports"],
  "providers compare": [SERVICE, "show what differs between two providers"],
  "installations list": [PROJECT, "list installations and their health"],
  "installations get": [PROJECT, "show one installation: group, health, connection, reads"],
  "installations operations": [PROJECT, "list the operations of an installation"],
  "installations logs": [PROJECT, "show the log of an operation"],
  "installations pause": [PROJECT_WRITE, "pause reading objects of an installation"],
  "installations resume": [PROJECT_WRITE, "resume reading objects of an installation"],
  "installations summary": [PROJECT, "count installations by health, connection and more"],
  "installations diff": [PROJECT, "compare two installations, or one with a saved list"],
  "installations wait": [PROJECT, "wait until an installation meets conditions"],
  "case create": [PROJECT, "find out why an installation fails, and who must act"],
  "case show": [NOTHING, "show a saved case"],
  "case open": [NOTHING, "run commands against the recorded responses of a case"],
  "installations check": [PROJECT, "exit 8 if too many installations meet a condition"],
  "connections list": [PROJECT, "list the connections of a project"],
  "connections get": [PROJECT, "show one connection"],
  "invites list": [PROJECT, "list the invites of an organisation"],
  "invites revoke": [PROJECT_WRITE, "revoke invites"],
  "notify setup": [STATE_WRITE, "set up the routing of events to a destination"],
  "notify plan": [STATE, "show what applying a routing file would change"],
  "notify apply": [STATE_WRITE, "apply a routing file"],
  "notify state list": [STATE, "list the resources in the state"],
  "notify state history": [STATE, "list the runs that changed resources"],
  "notify undo": [STATE_WRITE, "delete what a run created"],
  "notify state import": [STATE, "add an existing resource to the state"],
  "notify state resolve": [STATE, "resolve an unknown outcome manually"],
  "notify state forget": [STATE, "remove a resource from the state"],
  "notify state unlock": [STATE, "remove the lock of a run that no longer exists"],
  "notify schema": [NOTHING, "print the JSON Schema of the routing file"],
  "notify export": [PROJECT, "write the existing routing as a routing file"],
  "notify graph": [PROJECT, "show which events reach which destinations"],
  "notify check": [PROJECT, "check a routing file, or the routing in use"],
  "notify test": [NOTHING, "test a routing file with sample events and receivers"],
  "notify state pull": [STATE, "print the saved state"],
  "notify state push": [STATE, "save a previously pulled state"],
  "notify events": [NOTHING, "list the event types and what triggers them"],
  "notify destinations create": [STATE_WRITE, "create a destination"],
  "notify destinations list": [PROJECT, "list the destinations of a project"],
  "notify destinations get": [PROJECT, "show one destination with its topics and reads"],
  "notify destinations update": [STATE_WRITE, "update a destination in place"],
  "notify destinations delete": [STATE_WRITE, "delete a destination"],
  "notify destinations secret": [STATE_WRITE, "show or rotate the signing secret of a webhook"],
  "notify topics create": [STATE_WRITE, "create a topic"],
  "notify topics list": [PROJECT, "list the topics of a project"],
  "notify topics get": [PROJECT, "show one topic with its events and destinations"],
  "notify topics update": [STATE_WRITE, "rename a topic"],
  "notify topics delete": [STATE_WRITE, "delete a topic"],
  "notify routes create": [STATE_WRITE, "route an event to a topic, or a topic to a destination"],
  "notify routes list": [PROJECT, "list the routes of a project"],
  "notify routes delete": [STATE_WRITE, "delete a route"],
  "webhooks test": [NOTHING, "test a webhook receiver with 20 checks"],
  listen: [STATE_WRITE, "receive webhooks on this machine and check their signatures"],
  "webhooks verify": [NOTHING, "verify the signature of a captured request"],
  trigger: [PROJECT_WRITE, "trigger an event in a sandbox, or send it to a URL"],
  "sandbox start": [NOTHING, "run the sandbox until you press Ctrl-C"],
  "sandbox deliveries": [PROJECT, "list the delivery attempts of a sandbox"],
  "sandbox reset": [SERVICE_WRITE, "bring back the data with which the sandbox started"],
  "sandbox forward": [SERVICE_WRITE, "set the clock of the sandbox forward"],
  "sandbox fail": [SERVICE_WRITE, "fail the next deliveries"],
  "sandbox pause": [SERVICE_WRITE, "pause the deliveries to a destination"],
  "sandbox resume": [SERVICE_WRITE, "resume the deliveries to a destination"],
  "sandbox export": [SERVICE, "export the data of the sandbox as a seed file"],
  "auth login": [SERVICE, "save a credential as a profile"],
  "auth logout": [NOTHING, "delete a profile and its credential"],
  "auth list": [NOTHING, "list the profiles"],
  "auth switch": [NOTHING, "set the active profile"],
  "auth rename": [NOTHING, "rename a profile"],
  "auth default": [NOTHING, "show and set the defaults of a profile"],
  "auth protect": [NOTHING, "guard a profile against unintended writes"],
  "auth status": [SERVICE, "check the login, the settings and this machine"],
  "auth token": [NOTHING, "print the credential of a profile"],
  doctor: [SERVICE, "check login, settings and machine; same as amp auth status"],
  trust: [NOTHING, "trust a project file to set base URL, profile and state"],
  api: [PROJECT_WRITE, "send any request to the service"],
  explain: [NOTHING, "explain a field of a record"],
  completion: [NOTHING, "generate completion for bash, zsh, fish or PowerShell"],
  commands: [NOTHING, "list every command with its options"],
  version: [NOTHING, "show version, build and third-party licences"],
} as const satisfies Readonly<Record<string, readonly [target: Scope, summary: string]>>;

/** The options of the target that a command takes; none for a group. */
export function targetOptions(path: string): readonly (keyof CommandTarget)[] {
  return isCommandPath(path) ? COMMANDS[path][0] : [];
}

/** The summary of a command; none for a group. */
export function summaryOf(path: string): string {
  return isCommandPath(path) ? COMMANDS[path][1] : "";
}

/** Whether a path is that of a command of amp. */
export function isCommandPath(path: string): path is CommandPath {
  return Object.hasOwn(COMMANDS, path);
}

/** The path of a command as it is typed after `amp`: `notify topics create`. */
export type CommandPath = keyof typeof COMMANDS;

/** The path of a group: `notify`, `notify topics`. */
export type GroupPath = GroupOf<CommandPath>;

type GroupOf<Path extends string> = Path extends `${infer Noun} ${infer Rest}`
  ? Noun | (Rest extends `${string} ${string}` ? `${Noun} ${GroupOf<Rest>}` : never)
  : never;
