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
 * The commands, each with the options of the target that it takes. The route table must have
 * exactly these commands, and a suggested command must be one of them: the compiler checks both.
 * The table is separate from the route table because errors of every layer suggest commands, and
 * must not import the commands' modules.
 */
export const COMMAND_TARGETS = {
  "projects list": SERVICE,
  "projects get": SERVICE,
  "integrations list": PROJECT,
  "integrations get": PROJECT,
  "apps list": PROJECT,
  "apps get": PROJECT,
  "apps lint": PROJECT,
  "providers list": SERVICE,
  "providers get": SERVICE,
  "providers compare": SERVICE,
  "installations list": PROJECT,
  "installations get": PROJECT,
  "installations operations": PROJECT,
  "installations logs": PROJECT,
  "installations pause": PROJECT_WRITE,
  "installations resume": PROJECT_WRITE,
  "installations summary": PROJECT,
  "installations diff": PROJECT,
  "installations wait": PROJECT,
  "case create": PROJECT,
  "case show": NOTHING,
  "case open": NOTHING,
  "installations check": PROJECT,
  "connections list": PROJECT,
  "connections get": PROJECT,
  "invites list": PROJECT,
  "invites revoke": PROJECT_WRITE,
  "notify setup": STATE_WRITE,
  "notify plan": STATE,
  "notify apply": STATE_WRITE,
  "notify state list": STATE,
  "notify state history": STATE,
  "notify undo": STATE_WRITE,
  "notify state import": STATE,
  "notify state resolve": STATE,
  "notify state forget": STATE,
  "notify state unlock": STATE,
  "notify schema": NOTHING,
  "notify export": PROJECT,
  "notify graph": PROJECT,
  "notify check": PROJECT,
  "notify test": NOTHING,
  "notify state pull": STATE,
  "notify state push": STATE,
  "notify events": NOTHING,
  "notify destinations create": STATE_WRITE,
  "notify destinations list": PROJECT,
  "notify destinations get": PROJECT,
  "notify destinations update": STATE_WRITE,
  "notify destinations delete": STATE_WRITE,
  "notify destinations secret": STATE_WRITE,
  "notify topics create": STATE_WRITE,
  "notify topics list": PROJECT,
  "notify topics get": PROJECT,
  "notify topics update": STATE_WRITE,
  "notify topics delete": STATE_WRITE,
  "notify routes create": STATE_WRITE,
  "notify routes list": PROJECT,
  "notify routes delete": STATE_WRITE,
  "webhooks test": NOTHING,
  listen: STATE_WRITE,
  "webhooks verify": NOTHING,
  trigger: PROJECT_WRITE,
  "sandbox start": NOTHING,
  "sandbox deliveries": PROJECT,
  "sandbox reset": SERVICE_WRITE,
  "sandbox forward": SERVICE_WRITE,
  "sandbox fail": SERVICE_WRITE,
  "sandbox pause": SERVICE_WRITE,
  "sandbox resume": SERVICE_WRITE,
  "sandbox export": SERVICE,
  "auth login": SERVICE,
  "auth logout": NOTHING,
  "auth list": NOTHING,
  "auth switch": NOTHING,
  "auth rename": NOTHING,
  "auth default": NOTHING,
  "auth protect": NOTHING,
  "auth status": SERVICE,
  "auth token": NOTHING,
  doctor: SERVICE,
  trust: NOTHING,
  api: PROJECT_WRITE,
  explain: NOTHING,
  completion: NOTHING,
  commands: NOTHING,
  version: NOTHING,
} as const satisfies Readonly<Record<string, Scope>>;

/** The options of the target that a command takes; none for a group. */
export function targetOptions(path: string): readonly (keyof CommandTarget)[] {
  return (COMMAND_TARGETS as Readonly<Record<string, Scope>>)[path] ?? [];
}

/** Whether a path is that of a command of amp. */
export function isCommandPath(path: string): path is CommandPath {
  return Object.hasOwn(COMMAND_TARGETS, path);
}

/** The path of a command as it is typed after `amp`: `notify topics create`. */
export type CommandPath = keyof typeof COMMAND_TARGETS;

/** The path of a group: `notify`, `notify topics`. */
export type GroupPath = GroupOf<CommandPath>;

type GroupOf<Path extends string> = Path extends `${infer Noun} ${infer Rest}`
  ? Noun | (Rest extends `${string} ${string}` ? `${Noun} ${GroupOf<Rest>}` : never)
  : never;
