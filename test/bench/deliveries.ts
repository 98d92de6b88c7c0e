/**
 * Ten thousand events to three webhooks, one of which refuses a third of its messages:
 * `npm run bench:deliveries -- --events 10000`. Each must arrive at least once at each, and none at a
 * fourth; the memory of the sandbox is printed, which has a small heap.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Got, receive } from "../sandbox/events/receiver.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    state: { type: "boolean", default: false },
  },
});
const total = Number(values.events);
const PROGRAM = new URL("../../bin/amp.js", import.meta.url).pathname;
/** Node collects late what it may keep: with this little, a leak would end the process. */
const HEAP = ["--max-old-space-size=40", "--max-semi-space-size=1"];
const print = (line: string) => process.stdout.write(`${line}\n`);

const folder = temporaryFolder();
const state = values.state ? ["--state", "world.json"] : [];
const child = spawn(
  process.execPath,
  [
    ...HEAP,
    PROGRAM,
    "sandbox",
    "start",
    "--port",
    "0",
    "--time-scale",
    "1000",
    "--quiet",
    ...state,
  ],
  {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
/** The number of refusals of each message: four in a row are within the eight attempts. */
const refusals = new Map<string, number>();
const refusesAThird = (number: number, { headers }: Got) => {
  const id = String(headers["svix-id"]);
  const before = refusals.get(id) ?? 0;
  if (number % 3 !== 0 || before === 4) return 204;
  refusals.set(id, before + 1);
  return 500;
};
const receivers = [
  await receive(() => 204, { keeps: false }),
  await receive(refusesAThird, { keeps: false }),
  await receive(() => 204, { keeps: false }),
  await receive(() => 204, { keeps: false }),
];
try {
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "x-api-key": "sandbox-api-key", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const topic = await post("/projects/acme/topics", { name: "bench" });
  const eventType = "connection.deleted";
  await post("/projects/acme/notification-event-topic-routes", { topicId: topic.id, eventType });
  for (const [at, receiver] of receivers.entries()) {
    const { id } = await post("/projects/acme/destinations", {
      ...{ name: `bench-${at}`, type: "webhook" },
      metadata: { url: receiver.url },
    });
    if (at === 3) continue;
    await post("/projects/acme/topic-destination-routes", { topicId: topic.id, destinationId: id });
  }
  const memory = () =>
    Math.round(
      Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) /
        1024,
    );
  const start = performance.now();
  const step = Math.max(1, Math.floor(total / 10));
  print(`memory before: ${memory()} MB`);
  for (let number = 0; number < total; number += 1) {
    await post("/sandbox/projects/acme/events", { type: eventType, data: { number } });
    if ((number + 1) % step === 0) print(`${number + 1} events: ${memory()} MB`);
  }
  const sent = performance.now();
  const unique = () => receivers.map(({ numbers }) => numbers.size);
  const isDone = () =>
    unique()
      .slice(0, 3)
      .every((count) => count === total);
  while (!isDone() && performance.now() - sent < 60_000) await pause(50);
  const seconds = (performance.now() - start) / 1000;
  print(`arrived: ${unique().join(", ")} of ${total}`);
  print(`messages: ${receivers.map(({ count }) => count()).join(", ")}`);
  print(
    `${seconds.toFixed(1)} s, ${Math.round((3 * total) / seconds)} deliveries a second; memory after: ${memory()} MB`,
  );
  const isRight = isDone() && receivers[3]?.count() === 0;
  print(isRight ? "each arrived at least once at each of three, none at the fourth" : "FAILED");
  process.exitCode = isRight ? 0 : 1;
} finally {
  child.kill("SIGTERM");
  await once(child, "exit");
  for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
}
