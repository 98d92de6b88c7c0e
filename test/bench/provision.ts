/**
 * A thousand routes against the embedded platform at 20 ms a request: `amp notify apply` beside the
 * time that the requests alone take, and beside `xargs -P4 curl` doing the same creates. Prints
 * a Markdown table. Run after `npm run build`: `node test/bench/provision.ts [rounds]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { overHttp } from "../../src/sandbox/faults/faulty-sandbox.ts";
import { serveSandbox } from "../../src/sandbox/serve.ts";
import type { World } from "../../src/sandbox/world.ts";
import { createFaultySandbox } from "../faulty-sandbox.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { UNROUTED } from "../unrouted.ts";
import { earlierFolder } from "./earlier.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARALLEL = 4;
const REQUEST_MS = 20;
const EVENTS = EVENT_TYPES.slice(0, 9);
const { project } = SANDBOX_DEFAULTS;

/** A routing of so many topics, which exist already, with nine event routes and a way out each. */
interface Size {
  readonly topics: number;
  readonly routes: number;
}
const sizeOf = (topics: number): Size => ({ topics, routes: topics * (EVENTS.length + 1) });

/** A service that has the topics and the destination, at an address of its own. */
async function service({ topics }: Size) {
  const sandbox = createFaultySandbox({
    script: { faults: [{ on: "* *", do: "slow", ms: REQUEST_MS }] },
    state: await worldWith(topics),
  });
  const server = await serveSandbox(overHttp(sandbox), { port: 0 });
  const made = () => sandbox.world.eventRoutes.length + sandbox.world.destinationRoutes.length;
  const before = made();
  return { ...server, made: () => made() - before, posts: () => sandbox.log.length };
}

async function worldWith(topics: number): Promise<World> {
  const sandbox = createFaultySandbox({ state: UNROUTED });
  const create = async (path: string, body: unknown) => {
    const url = `http://sandbox.test/v1/projects/${project}/${path}`;
    const headers = { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" };
    const request = new Request(url, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await sandbox.fetch(request);
    if (!answer.ok) throw new Error(await answer.text());
  };
  const metadata = { url: "https://hooks.acme.example/amp" };
  await create("destinations", { name: "bench", type: "webhook", metadata });
  for (let topic = 0; topic < topics; topic += 1)
    await create("topics", { name: `bench-${topic}` });
  return sandbox.world;
}

interface Measured {
  readonly seconds: number;
  readonly peakMegabytes: number;
}

/** Runs a program; its output is shown where it fails. */
async function timed(words: readonly string[], env: Record<string, string>, stdin = "") {
  const [program = "", ...args] = words;
  const from = performance.now();
  const child = spawn(program, args, { env: { PATH: process.env.PATH ?? "", ...env } });
  let told = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  child.stdin.end(stdin);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${told}`);
  return (performance.now() - from) / 1000;
}

/** Has a process tell the most memory that it ever had. */
const TELL_MEMORY = `data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => process.getBuiltinModule("fs").writeFileSync(process.env.BENCH_RSS, String(process.resourceUsage().maxRSS)))`,
)}`;

/** An apply, and the one after it that finds everything in place. */
async function apply(
  size: Size,
  program = join(ROOT, "bin/amp.js"),
): Promise<{ first: Measured; second: Measured }> {
  const folder = temporaryFolder();
  const { url, made, close } = await service(size);
  try {
    await writeFile(join(folder, "routing.json"), JSON.stringify(await routing(url, size)));
    const rss = join(folder, "rss");
    const run = async (): Promise<Measured> => {
      const seconds = await timed(
        [
          process.execPath,
          "--import",
          TELL_MEMORY,
          program,
          ...["notify", "apply", "-f", join(folder, "routing.json"), "--yes"],
          ...["--quiet", "--json"],
        ],
        {
          HOME: folder,
          AMP_PARALLEL: `${PARALLEL}`,
          AMP_BASE_URL: url,
          AMP_API_KEY: SANDBOX_API_KEY,
          AMP_PROJECT: project,
          AMP_STATE: join(folder, "state.json"),
          BENCH_RSS: rss,
        },
      );
      return { seconds, peakMegabytes: Number(await readFile(rss, "utf8")) / 1024 };
    };
    const first = await run();
    if (made() !== size.routes) throw new Error(`${made()} routes were made`);
    const second = await run();
    if (made() !== size.routes) throw new Error("the second apply made some more");
    return { first, second };
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

async function list(url: string, path: string): Promise<Named[]> {
  const headers = { "x-api-key": SANDBOX_API_KEY };
  const answer = await fetch(`${url}/projects/${project}/${path}`, { headers });
  const records = (await answer.json()) as Named[];
  return records.filter(({ name }) => name.startsWith("bench"));
}

async function routing(url: string, { topics }: Size) {
  const [destination] = await list(url, "destinations");
  const known = await list(url, "topics");
  if (known.length !== topics) throw new Error(`${known.length} topics`);
  return {
    version: 1,
    destinations: { bench: { id: destination?.id } },
    topics: Object.fromEntries(
      known.map(({ id, name }) => [name, { id, events: EVENTS, destinations: ["bench"] }]),
    ),
  };
}

/** Sends what stands on its standard input, a line each, and does nothing else. */
const SENDER = `
const http = process.getBuiltinModule("http");
const lines = process.getBuiltinModule("fs").readFileSync(0, "utf8").trim().split("\\n");
const headers = { "x-api-key": ${JSON.stringify(SANDBOX_API_KEY)}, "content-type": "application/json" };
const send = (line) => new Promise((resolve, reject) => {
  const [url, body] = JSON.parse(line);
  const request = http.request(url, { method: "POST", agent: false, headers }, (answer) => {
    answer.resume().on("end", resolve);
  });
  request.on("error", reject).end(body);
});
const worker = async () => {
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) await send(line);
};
await Promise.all(Array.from({ length: ${PARALLEL} }, worker));`;

/** Has somebody else send the same creates, in seconds. */
async function others(
  size: Size,
  send: (calls: readonly (readonly [url: string, body: string])[]) => Promise<number>,
): Promise<number> {
  const { url, made, close } = await service(size);
  try {
    const [destination] = await list(url, "destinations");
    const call = (path: string, body: unknown) =>
      [`${url}/projects/${project}/${path}`, JSON.stringify(body)] as const;
    const calls = (await list(url, "topics")).flatMap(({ id: topicId }) => [
      ...EVENTS.map((eventType) => call("notification-event-topic-routes", { topicId, eventType })),
      call("topic-destination-routes", { topicId, destinationId: destination?.id }),
    ]);
    const seconds = await send(calls);
    if (made() !== size.routes) throw new Error(`${made()} routes were made`);
    return seconds;
  } finally {
    await close();
  }
}

/** The time that the requests alone take here: a connection each, and nothing is remembered. */
const alone = (size: Size) =>
  others(size, (calls) => {
    const lines = calls.map((call) => JSON.stringify(call)).join("\n");
    return timed([process.execPath, "--input-type=module", "-e", SENDER], {}, lines);
  });

const curl = (size: Size) =>
  others(size, (calls) => {
    const words = calls.map(([url, body]) => callOf(url, body));
    const count = `${words[0]?.length ?? 0}`;
    const program = ["xargs", "-d", "\n", "-n", count, "-P", `${PARALLEL}`, "curl"];
    return timed(program, {}, `${words.flat().join("\n")}\n`);
  });

function callOf(url: string, body: string): string[] {
  return [
    ...["--silent", "--fail", "--output", "/dev/null"],
    ...["--header", `x-api-key: ${SANDBOX_API_KEY}`],
    ...["--header", "content-type: application/json"],
    ...["--data", body, url],
  ];
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

const rounds = Number(process.argv[2] ?? 3);
const [large, small] = [sizeOf(100), sizeOf(10)];
interface Round {
  readonly amp: Awaited<ReturnType<typeof apply>>;
  /** The earlier program, where it is asked for. */
  readonly before: Awaited<ReturnType<typeof apply>> | undefined;
  readonly small: Measured;
  readonly curl: number;
  readonly alone: number;
}
const runs: Round[] = [];
const earlier = earlierFolder();
for (let round = 0; round < rounds; round += 1) {
  // In turn, so that a slow moment of the machine meets all of them.
  const amp = await apply(large);
  const before =
    earlier === undefined ? undefined : await apply(large, join(earlier, "bin/amp.js"));
  const [sent, byCurl] = [await alone(large), await curl(large)];
  runs.push({ amp, before, alone: sent, curl: byCurl, small: (await apply(small)).first });
}

const ideal = median(runs.map((run) => run.alone));
const first = median(runs.map(({ amp }) => amp.first.seconds));
const byCurl = median(runs.map((run) => run.curl));
const row = (...cells: string[]) => `| ${cells.join(" | ")} |\n`;
const seconds = (value: number) => `${value.toFixed(2)} s`;
const megabytes = (values: readonly Measured[]) =>
  `${median(values.map(({ peakMegabytes }) => peakMegabytes)).toFixed(0)} MB`;
const beforeRows = () => {
  const all = runs.flatMap(({ before }) => before ?? []);
  if (all.length === 0) return [];
  const of = (each: (one: (typeof all)[number]) => Measured) => {
    const own = median(all.map((one) => each(one).seconds));
    return [seconds(own), (own / ideal).toFixed(2), megabytes(all.map(each))];
  };
  return [
    row("before: apply", ...of((one) => one.first)),
    row("before: apply, nothing to do", ...of((one) => one.second)),
  ];
};
process.stdout.write(
  [
    `${large.routes} routes, ${REQUEST_MS} ms a request, ${PARALLEL} at once, median of ${rounds}; waiting alone is ${seconds((large.routes * REQUEST_MS) / PARALLEL / 1000)}\n\n`,
    row("", "time", "against the requests alone", "peak memory"),
    row("---", "---:", "---:", "---:"),
    row("the requests alone", seconds(ideal), "1.00", ""),
    row(
      "amp notify apply",
      seconds(first),
      (first / ideal).toFixed(2),
      megabytes(runs.map(({ amp }) => amp.first)),
    ),
    ...beforeRows(),
    row(`xargs -P${PARALLEL} curl`, seconds(byCurl), (byCurl / ideal).toFixed(2), ""),
    row(
      "amp notify apply, nothing to do",
      seconds(median(runs.map(({ amp }) => amp.second.seconds))),
      "",
      megabytes(runs.map(({ amp }) => amp.second)),
    ),
    row(
      `amp notify apply, ${small.routes} routes`,
      "",
      "",
      megabytes(runs.map((run) => run.small)),
    ),
  ].join(""),
);
