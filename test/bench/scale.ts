/**
 * How the time and memory of `amp notify apply` grow with a routing, against a service that answers
 * at once, 8 creates in parallel: with lists and without, and the run after it, which has nothing to
 * do. Then a plan of 10,000 new topics. Prints a Markdown table. Run after `npm run build`:
 * `node test/bench/scale.ts [routes…]`; `AMP_BENCH_CPU_PROFILE=FOLDER` keeps profiles.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import { ROOT } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { atMost, targetRow, targetTable } from "./report.ts";

const EVENTS = EVENT_TYPES.slice(0, 9);
const ROUTES_PER_TOPIC = EVENTS.length + 1;
const PARALLEL = 8;

/** A service of four collections in memory, with no rules and no delay. */
async function service(topics: number, lists: boolean) {
  const stored = new Map<string, object[]>([
    ["destinations", [{ id: "d", name: "bench", type: "webhook", metadata: {} }]],
    ["topics", Array.from({ length: topics }, (_, at) => ({ id: `t-${at}`, name: `bench-${at}` }))],
    ["notification-event-topic-routes", []],
    ["topic-destination-routes", []],
  ]);
  let created = 0;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://bench.test");
    const records = stored.get(pathname.split("/").at(-1) ?? "");
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method === "POST" && records) {
      void bodyOf(request).then((body) => {
        created += 1;
        const record = { id: `${created}`.padStart(36, "0"), ...body };
        records.push(record);
        answer(201, record);
      });
    } else if (records && lists) answer(200, records);
    else if (records) answer(405, { title: "Method Not Allowed" });
    else answer(200, [{ id: "p", name: "bench" }]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    created: () => created,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<object> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return JSON.parse(text) as object;
}

interface Measured {
  readonly seconds: number;
  /** Of the processor, which other programs on the machine hardly change. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Has a process write what it used of the machine. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => process.getBuiltinModule("fs").writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())))`,
)}`;
const profiles = process.env.AMP_BENCH_CPU_PROFILE;

async function measured(folder: string, url: string, args: string[]): Promise<Measured> {
  const from = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...(profiles ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : []),
      ...["--import", TELL_USAGE, join(ROOT, "bin/amp.js")],
      ...["notify", ...args, "-f", join(folder, "routing.json"), "--quiet", "--json"],
    ],
    {
      env: {
        AMP_PARALLEL: `${PARALLEL}`,
        PATH: process.env.PATH ?? "",
        HOME: folder,
        AMP_BASE_URL: url,
        AMP_API_KEY: "bench",
        AMP_PROJECT: "bench",
        AMP_STATE: join(folder, "state.json"),
        BENCH_USAGE: join(folder, "usage"),
      },
    },
  );
  let told = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - from) / 1000;
  if (code !== 0) throw new Error(`amp ended with ${code}:\n${told}`);
  const usage = JSON.parse(await readFile(join(folder, "usage"), "utf8")) as NodeJS.ResourceUsage;
  const cpuSeconds = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
  return { seconds, cpuSeconds, megabytes: usage.maxRSS / 1024 };
}

function routing(topics: number): object {
  const one = (at: number) => ({ id: `t-${at}`, events: EVENTS, destinations: ["bench"] });
  return {
    version: 1,
    destinations: { bench: { id: "d" } },
    topics: Object.fromEntries(Array.from({ length: topics }, (_, at) => [`bench-${at}`, one(at)])),
  };
}

async function measure(routes: number, lists: boolean) {
  const topics = routes / ROUTES_PER_TOPIC;
  const folder = temporaryFolder();
  const { url, created, close } = await service(topics, lists);
  try {
    await writeFile(join(folder, "routing.json"), JSON.stringify(routing(topics)));
    const apply = ["apply", "--yes"];
    const first = await measured(folder, url, apply);
    const second = await measured(folder, url, apply);
    if (created() !== routes) throw new Error(`${created()} creates, not ${routes}`);
    return { first, second };
  } finally {
    close();
    await rm(folder, { recursive: true, force: true });
  }
}

const PLANNED_TOPICS = 10_000;

/** A plan of new topics, which nothing else has. */
async function measurePlan(): Promise<Measured> {
  const folder = temporaryFolder();
  const { url, close } = await service(0, true);
  const names = Array.from({ length: PLANNED_TOPICS }, (_, at) => `new-${at}`);
  const topics = Object.fromEntries(names.map((name) => [name, { events: EVENTS.slice(0, 4) }]));
  try {
    await writeFile(join(folder, "routing.json"), JSON.stringify({ version: 1, topics }));
    return await measured(folder, url, ["plan"]);
  } finally {
    close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Of a routing of 20,000: at most 15 times as long as one of 1,000. Without lists, where one create
 * waits for the other, as long for each route, and a tenth more.
 */
const MOST = { growth: 0.75, growthWithoutLists: 1.1, megabytes: 250, seconds: 2 };

const row = (...cells: string[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [1_000, 20_000];
const [fewest = 1] = sizes;
const head = ["routes", "lists", "time", "× the smallest", "CPU", "× the smallest", "peak MB"];
row(...head, "nothing to do", "CPU", "peak MB");
row("---:", "---", ...Array.from({ length: 8 }, () => "---:"));
const targets: string[][] = [];
for (const lists of [true, false]) {
  let smallest: Measured | undefined;
  for (const routes of sizes) {
    const { first, second } = await measure(routes, lists);
    smallest ??= first;
    const growth = first.seconds / smallest.seconds;
    row(
      `${routes}`,
      lists ? "yes" : "no",
      `${first.seconds.toFixed(1)} s`,
      growth.toFixed(1),
      `${first.cpuSeconds.toFixed(1)} s`,
      (first.cpuSeconds / smallest.cpuSeconds).toFixed(1),
      first.megabytes.toFixed(0),
      `${second.seconds.toFixed(2)} s`,
      `${second.cpuSeconds.toFixed(2)} s`,
      second.megabytes.toFixed(0),
    );
    if (routes === fewest) continue;
    const name = `${routes} routes, ${lists ? "with" : "without"} lists`;
    const perRoute = lists ? MOST.growth : MOST.growthWithoutLists;
    const mostGrowth = Math.round(perRoute * (routes / fewest));
    targets.push(
      targetRow(name, atMost(growth, mostGrowth, ` × ${fewest} routes`, 1)),
      targetRow(name, atMost(first.megabytes, MOST.megabytes, " MB")),
      targetRow(`${name}, nothing to do`, atMost(second.seconds, MOST.seconds, " s", 2)),
    );
  }
}
const { seconds } = await measurePlan();
targets.push(
  targetRow(`a plan of ${PLANNED_TOPICS} topics`, atMost(seconds, MOST.seconds, " s", 2)),
);
process.stdout.write(`\n${targetTable(targets).join("\n")}`);
