/**
 * The main job of amp, told on screen: each command as one would type it, then what it really
 * prints, against the embedded sandbox over HTTP. Needs nobody at the keyboard, and leaves nothing
 * behind. Run by `npm run demo`.
 */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { Webhook } from "standardwebhooks";
import { PROGRAM, wordsOf } from "./built.ts";
import { express } from "./events/webhooks/express.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What people write: the signature of a body that was parsed, and is serialised again. */
const RECEIVER = `app.post("/amp", express.json(), (request, response) => {
  try {
    verify(JSON.stringify(request.body), request.headers);
    response.sendStatus(204);
  } catch {
    response.sendStatus(401);
  }
});`;

/** How a long command line is folded. */
const FOLD = " \\\n    ";
const [RUNTIME, ...AMP] = wordsOf(PROGRAM);
const children = new Set<ChildProcess>();
// Before the folder, which goes at the end of the process as well.
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
process.once("SIGHUP", () => process.exit(129));
// `npm run demo | head` has seen enough.
process.stdout.on("error", () => process.exit(0));
const folder = temporaryFolder();
// What this shell says of amp, or of CI, must not change the story.
const shell = Object.entries(process.env).filter(([name]) => !/^(AMP_|CI$|XDG_)/u.test(name));
const env: Record<string, string | undefined> = {
  ...Object.fromEntries(shell),
  AMP_CONFIG_DIR: join(folder, "config"),
  XDG_STATE_HOME: join(folder, "state"),
  XDG_CACHE_HOME: join(folder, "cache"),
  // A pager would wait for somebody at the keyboard.
  AMP_PAGER: "",
  ...(process.stdout.isTTY ? {} : { AMP_OUTPUT: "table" }),
};

const sandbox = await startSandbox();
let failed = false;
try {
  await tell(sandbox.url);
} catch (error) {
  failed = true;
  process.stderr.write(`The demo stopped: ${error instanceof Error ? error.message : error}\n`);
} finally {
  sandbox.process.kill("SIGTERM");
  await once(sandbox.process, "exit");
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

async function tell(url: string): Promise<void> {
  say("Start the sandbox, a local copy of the platform. It listens only on this machine.");
  line(`amp sandbox start --port 0        (it serves ${url})`);

  say("Log in. The key is read from a pipe, never from an argument.");
  await amp(
    ["auth login --profile demo --project acme", `--base-url ${url}`, "--api-key-file -"].join(
      FOLD,
    ),
    "sandbox-api-key",
  );

  say("List the provider apps of the project, and count its installations.");
  await amp("apps list");
  await amp("installations summary");

  say("A customer calls: the sync of Bluth Company has stopped. Find out why.");
  await amp("case create bluth");

  say("Route such events to a webhook, so that you know before the customer calls.");
  await amp(
    [
      "notify setup",
      "--destination-name ops-webhook",
      "--destination-type webhook",
      "--url https://hooks.example.com/amp",
      "--topic customer-lifecycle",
      "--event installation.created",
      "--event installation.deleted",
      "--event connection.error",
      "--save routing.yaml",
      "--yes",
    ].join(FOLD),
  );
  say("The same routing as a file, and as the service lists it.");
  line("cat routing.yaml");
  process.stdout.write(readFileSync(join(folder, "routing.yaml"), "utf8"));
  await amp("notify routes list");

  say("Listen on this machine, trigger the event, and see it arrive.");
  await seen("amp trigger connection.error");

  say("Test a receiver in Express. This one looks right, but is it?");
  line("cat receiver.js");
  process.stdout.write(`${RECEIVER}\n`);
  await examined();

  say("Done. To use your own service: amp auth login. For all commands: amp --help");
}

/** Listens as in another terminal, lets an event occur once that is ready, and waits for its end. */
async function seen(trigger: string): Promise<void> {
  const command = "listen --port 0 --event connection.error --expect 1 --within 20s";
  line(`amp ${command} &`);
  const child = run(command.split(" "), ["ignore", "inherit", "pipe"]);
  const ended = once(child, "exit");
  let triggered: Promise<void> | undefined;
  for await (const told of linesOf(child.stderr)) {
    process.stdout.write(`${folded(told)}\n`);
    // The last line of what it says when it is ready.
    if (told.startsWith("In another terminal")) triggered = amp(trigger.slice("amp ".length));
  }
  await triggered;
  const [code] = await ended;
  if (code !== 0) throw new Error(`amp listen ended with exit code ${code}`);
}

/** Starts {@link RECEIVER}, and examines it. */
async function examined(): Promise<void> {
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const verify = (body: string, headers: Readonly<Record<string, unknown>>) => {
    const named = ["id", "timestamp", "signature"].map((name) => [
      `webhook-${name}`,
      String(headers[`svix-${name}`]),
    ]);
    new Webhook(secret).verify(body, Object.fromEntries(named));
  };
  const app = express();
  // Otherwise it prints the stack of a request that it refuses.
  app.set("env", "test");
  app.post("/amp", express.json(), (request, response) => {
    try {
      verify(JSON.stringify(request.body), request.headers);
      response.sendStatus(204);
    } catch {
      response.sendStatus(401);
    }
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  env.WEBHOOK_SECRET = secret;
  const { port } = server.address() as AddressInfo;
  try {
    const url = `http://127.0.0.1:${port}/amp`;
    await amp(`webhooks test ${url} --secret env:WEBHOOK_SECRET`, undefined, 8);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Shows a command line and runs it; its output goes straight to this terminal. */
async function amp(command: string, input?: string, expected = 0): Promise<void> {
  line(input === undefined ? `amp ${command}` : `echo "$API_KEY" | amp ${command}`);
  const words = command.split(/[\s\\]+/u);
  const child = run(words, ["pipe", "inherit", "inherit"]);
  child.stdin?.end(input);
  const [code] = await once(child, "exit");
  if (code !== expected)
    throw new Error(`amp ${words.slice(0, 2).join(" ")} ended with exit code ${code}`);
}

/** Starts amp; it ends with the demo, however that ends. */
function run(words: readonly string[], stdio: StdioOptions): ChildProcess {
  const child = spawn(RUNTIME, [...AMP, ...words], { cwd: folder, env, stdio });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

async function startSandbox(): Promise<{ process: ChildProcess; url: string }> {
  const child = run(["sandbox", "start", "--port", "0", "--quiet"], ["ignore", "pipe", "inherit"]);
  for await (const url of linesOf(child.stdout)) return { process: child, url };
  throw new Error("the sandbox did not start");
}

function linesOf(stream: Readable | null): AsyncIterable<string> {
  return createInterface({ input: stream ?? Readable.from([]) });
}

function say(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/** What came through a pipe, folded between words as amp does on this terminal. */
function folded(text: string): string {
  const width = process.stdout.columns;
  if (width === undefined || text.length <= width) return text;
  return text.replaceAll(new RegExp(`(.{1,${width}})(?: +|$)`, "gu"), "$1\n").trimEnd();
}

function line(command: string): void {
  process.stdout.write(`\n$ ${command}\n`);
}
