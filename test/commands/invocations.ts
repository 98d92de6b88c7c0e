import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { World as SandboxWorld } from "../../src/sandbox/world.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { CONTROL_TOKEN } from "../platform.ts";

/** One way to call a command so that it succeeds at a fresh sandbox. */
export interface Invocation {
  /** What stands after the command's path. */
  readonly args?: readonly string[] | ((world: SandboxWorld) => readonly string[]);
  readonly world?: () => Pick<RunInput, "stdin" | "signal">;
  /** What must have happened on this machine before. */
  readonly before?: (cwd: string, sandbox: Sandbox) => Promise<void>;
  /** The exit code, where a fresh sandbox has nothing for the command to succeed with. */
  readonly exits?: number;
  /** Why stdout is no JSON even with --json; absent where it is. */
  readonly noJson?: string;
}

const WEBHOOK = ["--type", "webhook", "--url", "https://hooks.acme.com/amp"];
/** The project of the sandbox that has a routing already. */
const ROUTED = ["--project", "globex-staging"];

/** An event occurs in the project that has a routing already. */
async function occur(_cwd: string, { events }: Sandbox): Promise<void> {
  const type = "installation.created";
  await events.occur({ projectId: "prj_globex2c", type, data: { groupName: "Globex" } });
  await events.settled();
}

/** The user has started the sandbox, and it has a destination. */
export async function startedIt(cwd: string): Promise<void> {
  const folder = join(cwd, ".local/state/amp-admin/sandbox");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "4747"), CONTROL_TOKEN);
}

/** Saves a profile of the sandbox in the settings of a folder. */
export async function logIn(cwd: string, sandbox: Sandbox, profile = "mine"): Promise<void> {
  const env = { AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
  const argv = ["auth", "login", "--profile", profile, "--api-key-file", "-"];
  await must(argv, { sandbox, cwd, stdin: "sandbox-api-key", env });
}

/** The variables of those who reach a sandbox elsewhere than its profile says. */
export const reachedAt = new WeakMap<Sandbox, NonNullable<RunInput["env"]>>();

async function must(argv: readonly string[], world: RunInput): Promise<string> {
  const env = { ...(world.sandbox && reachedAt.get(world.sandbox)), ...world.env };
  const { code, stdout, stderr } = await run(argv, { ...world, env });
  if (code !== 0) throw new Error(`amp ${argv.join(" ")} exited ${code}: ${stderr}`);
  return stdout;
}

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;

async function writeRouting(cwd: string): Promise<void> {
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
}

async function writeProjectFile(cwd: string): Promise<void> {
  writeFileSync(join(cwd, ".amp.yaml"), "project: acme\n");
}

/** A captured request, and the secret that signed it. */
export const SIGNING_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SIGNED_BODY = '{"notificationType":"connection.error","data":{"projectId":"p1"}}';
const SIGNED_HEADERS = {
  "svix-id": "msg_1",
  "svix-timestamp": `${NOW.getTime() / 1000}`,
  "svix-signature": new Webhook(SIGNING_SECRET).sign("msg_1", NOW, SIGNED_BODY),
};
export const SIGNED_REQUEST = [
  "POST /amp HTTP/1.1",
  ...Object.entries(SIGNED_HEADERS).map(([name, value]) => `${name}: ${value}`),
  "",
  SIGNED_BODY,
].join("\r\n");

/** The ID of the topic that {@link makeTopic} made. */
function ownTopic({ topics }: SandboxWorld): string {
  return topics.find(({ name }) => name === "own")?.id ?? "top_1";
}

async function makeTopic(cwd: string, sandbox: Sandbox): Promise<void> {
  const elsewhere = ["--state", "elsewhere.json"];
  await must(["notify", "topics", "create", "own", ...elsewhere], { cwd, sandbox });
}

/** The state knows a topic. */
async function knowTopic(cwd: string, sandbox: Sandbox): Promise<void> {
  await makeTopic(cwd, sandbox);
  const id = ownTopic(sandbox.world);
  await must(["notify", "state", "import", "topic/lifecycle", id], { cwd, sandbox });
}

async function pullState(cwd: string, sandbox: Sandbox): Promise<void> {
  await knowTopic(cwd, sandbox);
  const state = await must(["notify", "state", "pull"], { cwd, sandbox });
  writeFileSync(join(cwd, "state.json"), state);
}

/** A run that created a routing. */
async function applyRouting(cwd: string, sandbox: Sandbox): Promise<void> {
  await writeRouting(cwd);
  await must(["notify", "apply", "-f", "routing.yaml", "--yes"], { cwd, sandbox });
}

/** A create of which nobody knows what it did. */
async function loseAnAnswer(cwd: string, sandbox: Sandbox): Promise<void> {
  await writeRouting(cwd);
  // With lists, apply would wait and look.
  const spec = sandboxAt(NOW, { specOnly: true });
  const fetch = async (request: Request) => {
    if (request.method === "GET") return spec.fetch(request);
    throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
  };
  const env = reachedAt.get(sandbox) ?? {};
  await run(["notify", "apply", "-f", "routing.yaml", "--yes"], { cwd, sandbox, fetch, env });
}

async function saveCase(cwd: string, sandbox: Sandbox): Promise<void> {
  const [installation] = sandbox.world.installations;
  const argv = ["case", "create", installation?.id ?? "", "--save", "case.ampcase"];
  writeFileSync(join(cwd, "ends.js"), "");
  await must(argv, { cwd, sandbox });
}

/** Every command, by its path: the conventions are tried on each. */
export const INVOCATIONS: Readonly<Record<string, Invocation>> = {
  "projects list": {},
  "projects get": { args: ({ projects: [project] }) => [project?.name ?? ""] },
  "integrations list": {},
  "integrations get": { args: ({ integrations: [integration] }) => [integration?.name ?? ""] },
  "apps list": {},
  "apps get": { args: ({ providerApps: [app] }) => [app?.id ?? ""] },
  "apps lint": { args: ["--rule", "unknown-provider"] },
  "providers list": {},
  "providers get": { args: ["hubspot"] },
  "providers compare": { args: ["hubspot", "stripe"] },
  "installations list": {},
  "installations get": { args: ({ installations: [installation] }) => [installation?.id ?? ""] },
  "installations operations": { args: ["Northwind Traders", "--integration", "crm-sync"] },
  "installations logs": { args: ["op_80c1cca5_1b4"] },
  "installations pause": { args: ["ins_80c1cca5", "--note", "asked by the customer", "--yes"] },
  "installations resume": {
    args: ["ins_80c1cca5", "--yes"],
    before: async (cwd, sandbox) => {
      await must(["installations", "pause", "ins_80c1cca5", "--yes"], { cwd, sandbox });
    },
  },
  // A hostile service adds to the word.
  "installations wait": { args: ["ins_d3873320", "--for", "health~healthy", "--within", "20ms"] },
  "installations check": { args: ["--filter", "health=unhealthy", "--max", "100"] },
  "installations summary": {},
  "installations diff": {
    args: ({ installations: [one, other] }) => [one?.id ?? "", other?.id ?? ""],
  },
  "case create": { args: ({ installations: [installation] }) => [installation?.id ?? ""] },
  "case show": { args: ["case.ampcase"], before: saveCase },
  "case open": {
    args: ["case.ampcase", process.execPath, "ends.js"],
    before: saveCase,
    noJson: "it prints what the command prints that it runs",
  },
  "connections list": {},
  "connections get": {
    args: ({ installations: [installation] }) => [installation?.connection.id ?? ""],
  },
  "invites list": {},
  "invites revoke": {
    args: ({ invites }) => [invites.find(({ status }) => status === "pending")?.id ?? "", "--yes"],
  },
  "notify setup": {
    args: [
      ...["--destination-name", "ops", "--destination-type", "webhook"],
      ...["--url", "https://hooks.acme.com/amp", "--topic", "lifecycle"],
      ...["--event", "installation.created", "--yes"],
    ],
  },
  "notify plan": { args: ["--file", "routing.yaml"], before: writeRouting },
  "notify apply": { args: ["--file", "routing.yaml", "--yes"], before: writeRouting },
  "notify state list": { before: knowTopic },
  "notify state history": { before: applyRouting },
  "notify undo": {
    // A list that shows other values than were sent is read again until the horizon has passed.
    args: ["r1", "--yes", "AMP_COMMIT_HORIZON=100ms"],
    before: applyRouting,
  },
  "notify state import": {
    args: (world) => ["topic/lifecycle", ownTopic(world)],
    before: makeTopic,
  },
  "notify state resolve": { args: ["destination/ops", "--not-created"], before: loseAnAnswer },
  "notify state forget": { args: ["topic/lifecycle"], before: knowTopic },
  // Nothing is locked.
  "notify state unlock": { args: ["4f1c2a90", "--yes"], exits: 3 },
  "notify schema": {},
  "notify export": {},
  "notify graph": { args: [...ROUTED, "connection.error"] },
  "notify test": {
    before: async (cwd) => {
      await writeRouting(cwd);
      const cases = "cases: [{ when: installation.created, then: [{ reaches: ops }] }]";
      writeFileSync(join(cwd, "routing.test.yaml"), cases);
    },
  },
  "notify check": { args: [...ROUTED, "--rule", "missing-read-destination"] },
  "notify state pull": { before: knowTopic },
  "notify state push": { args: ["state.json", "--force"], before: pullState },
  "notify events": {},
  "notify destinations create": { args: ["--name", "ops", ...WEBHOOK] },
  "notify destinations list": {},
  "notify destinations update": {
    args: ["ops", "--url", "https://hooks.acme.com/v2", "--yes"],
    before: applyRouting,
  },
  "notify topics update": {
    args: ["lifecycle", "--name", "customers", "--yes"],
    before: applyRouting,
  },
  "notify destinations delete": {
    args: [...ROUTED, "staging-webhook", "--accept", "references", "--yes"],
  },
  "notify destinations secret": {
    args: [...ROUTED, "staging-webhook", "--rotate", "--yes"],
  },
  "notify destinations get": { args: [...ROUTED, "staging-webhook"] },
  "notify topics create": { args: ["lifecycle"] },
  "notify topics list": {},
  "notify topics delete": { args: [...ROUTED, "trouble", "--accept", "references", "--yes"] },
  "notify topics get": { args: [...ROUTED, "trouble"] },
  "notify routes create": {
    args: [...ROUTED, "--topic", "trouble", "--event", "read.backfill.done"],
  },
  "notify routes list": {},
  "notify routes delete": {
    args: [...ROUTED, "--topic", "trouble", "--event", "connection.error", "--yes"],
  },
  // Its own tests have receivers.
  "webhooks test": { args: ["--list"] },
  // It listens until the signal, which has come already.
  listen: { args: ["--clean"] },
  "webhooks verify": {
    args: ["request.http", "--secret", "@secret.txt"],
    before: async (cwd) => {
      writeFileSync(join(cwd, "request.http"), SIGNED_REQUEST);
      writeFileSync(join(cwd, "secret.txt"), SIGNING_SECRET);
    },
  },
  trigger: { args: ["connection.error"] },
  "sandbox deliveries": { args: ROUTED, before: occur },
  "sandbox reset": { before: startedIt },
  "sandbox forward": { args: ["1h"], before: startedIt },
  "sandbox fail": { args: ["staging-webhook"], before: startedIt },
  "sandbox pause": { args: ["staging-webhook"], before: startedIt },
  "sandbox resume": { args: ["staging-webhook"], before: startedIt },
  "sandbox export": { before: startedIt },
  // It listens until the signal, which has come already.
  "sandbox start": {
    args: ["--port", "0"],
    world: () => ({ signal: AbortSignal.abort("SIGINT") }),
  },
  "auth login": {
    args: [
      ...["--profile", "mine", "--base-url", "http://127.0.0.1:4747/v1"],
      ...["--api-key-file", "-"],
    ],
    world: () => ({ stdin: "sandbox-api-key\n" }),
  },
  "auth logout": { args: ["mine"], before: logIn },
  "auth list": {},
  "auth switch": { args: ["mine"], before: logIn },
  "auth rename": { args: ["mine", "yours"], before: logIn },
  "auth default": { args: ["timeout", "5s", "--profile", "mine"], before: logIn },
  "auth protect": { args: ["mine"], before: logIn },
  "auth status": {},
  doctor: {},
  "auth token": {},
  trust: { before: writeProjectFile },
  api: { args: ["GET", "/projects/{project}/topics"] },
  completion: { args: ["bash"], noJson: "it prints a script for the shell" },
  commands: {},
  explain: { args: ["installation.connection.status"] },
  version: {},
};

/** Those that ask the service nothing. */
export const OFFLINE = new Set([
  "auth list",
  "auth logout",
  "auth default",
  "auth protect",
  "auth rename",
  "auth switch",
  "auth token",
  "case open",
  "case show",
  "commands",
  "completion",
  "explain",
  "notify events",
  "notify state forget",
  "notify state history",
  "notify state list",
  "notify state resolve",
  "notify schema",
  "notify state pull",
  "notify state push",
  "notify test",
  "notify state unlock",
  "sandbox start",
  "trust",
  "version",
  "webhooks test",
  "webhooks verify",
]);
