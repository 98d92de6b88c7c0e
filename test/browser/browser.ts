import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AxeResults } from "axe-core";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  selectors,
} from "playwright-core";
import { ROOT } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";

selectors.setTestIdAttribute("data-test");

const PLACES = [process.env.AMP_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** The browser of this machine; undefined where there is none. */
export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path));

/** Starts the browser. It has no sandbox of its own where the tests are run as root. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
}

/** A sandbox in a process of its own, as `amp sandbox start --json` describes it. */
export interface Served {
  readonly url: string;
  readonly page: string;
  readonly apiKey: string;
  readonly process: ChildProcess;
}

/** Starts a sandbox from source, on a free port. */
export async function serve(...options: readonly string[]): Promise<Served> {
  const words = [
    join(ROOT, "src/main.ts"),
    "sandbox",
    "start",
    "--port",
    "0",
    "--json",
    ...options,
  ];
  return { ...(await startOf<Omit<Served, "process">>(words)) };
}

/** Starts a program from source, and reads its first line, which is JSON. */
async function startOf<Facts>(words: readonly string[]) {
  const env = { ...process.env, AMP_CONFIG_DIR: temporaryFolder() };
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout }))
    return { ...(JSON.parse(line) as Facts), process: child };
  throw new Error(`${words.join(" ")} ended without a line`);
}

/** Ends a sandbox. */
export async function end({ process }: Pick<Served, "process">): Promise<void> {
  if (process.exitCode !== null) return;
  const ended = once(process, "exit");
  process.kill("SIGTERM");
  await ended;
}

/**
 * A receiver of webhooks, whose status can be changed.
 * @param port default: any that is free
 */
export async function receiver(port = 0) {
  const facts = { status: 200, received: 0 };
  const server = createServer((request, response) => {
    facts.received += 1;
    request.resume().on("end", () => response.writeHead(facts.status).end("noted"));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return Object.assign(facts, { url, close: () => server.close() });
}

/** Asks the platform of a sandbox. */
async function create(served: Served, path: string, body: object): Promise<string> {
  const answer = await fetch(`${served.url}/projects/acme/${path}`, {
    method: "POST",
    headers: { "x-api-key": served.apiKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { readonly id: string }).id;
}

/** Routes an event through a topic to a webhook. */
export async function route(
  served: Served,
  {
    event,
    topic,
    destination,
    url,
  }: Readonly<Record<"event" | "topic" | "destination", string>> & { readonly url?: string },
): Promise<void> {
  const topicId = await create(served, "topics", { name: topic });
  const stream = {
    type: "kinesis",
    metadata: { streamName: destination, region: "us-east-1" },
    secrets: { awsKeyId: "key", awsSecretKey: "secret" },
  };
  const kind = url === undefined ? stream : { type: "webhook", metadata: { url } };
  const destinationId = await create(served, "destinations", { name: destination, ...kind });
  await create(served, "notification-event-topic-routes", { eventType: event, topicId });
  await create(served, "topic-destination-routes", { topicId, destinationId });
}

/** Acts as the page does. */
export async function control(served: Served, path: string, body: object): Promise<void> {
  const [page = "", token = ""] = served.page.split("#");
  const answer = await fetch(`${page}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

/** Opens the page; what it logs or throws goes into `problems`. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (line) => problems.push(line.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url);
  return { page, problems };
}

/**
 * The serious findings of axe, in a context that bypasses the policy of the page.
 * @param rules the rules to check; default: all
 */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const content = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
  await page.addScriptTag({ content });
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
