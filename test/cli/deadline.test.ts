import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { checkRouting } from "../../src/notify/checks/check.ts";
import { graphOf } from "../../src/notify/graph/graph.ts";
import { partsOfModel } from "../../src/notify/graph/load.ts";
import { localBackend } from "../../src/notify/state/local/local-backend.ts";
import { httpBackend, httpLocation } from "../../src/notify/state/remote/http.ts";
import {
  DEADLINE,
  END_GRACE_MS,
  handleSignals,
  withDeadline,
} from "../../src/runtime/end-process.ts";
import { renderPage } from "../../src/ui/page.ts";
import { placeWith, ROUTING, writesOf } from "../commands/notify/notify-fixture.ts";
import { run, sandboxAt } from "../harness.ts";
import { holdLock } from "../notify/state/backend-conformance.ts";
import { startStateServer } from "../notify/state/remote/state-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A service that never answers. */
function silent(request: Request): Promise<Response> {
  return new Promise((_, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason));
  });
}

const SHORT = ["--deadline", "300ms"];

it("ends a read that gets no answer, long before its time-out", async () => {
  const { code, stdout, stderr } = await run(["apps", "list", ...SHORT], { fetch: silent });
  expect({ code, stdout }).toEqual({ code: 124, stdout: "" });
  expect(stderr).toContain("The time limit of --deadline was reached");
  expect(stderr).toContain("--deadline 10m");
});

it("ends the retries and waits of a read", async () => {
  const busy = async () => new Response(null, { status: 429, headers: { "retry-after": "55" } });
  const { code } = await run(["apps", "list", "--json", ...SHORT], { fetch: busy });
  expect(code).toBe(124);
});

it("leaves the outcome of a create unknown, and says so", async () => {
  const sandbox = sandboxAt();
  const fetch = (request: Request) =>
    request.method === "POST" ? silent(request) : sandbox.fetch(request);
  const argv = ["notify", "topics", "create", "t", "--json", "--deadline", "2s"];
  const outcome = await run(argv, { sandbox, fetch });
  expect(outcome.code).toBe(124);
  expect(outcome.error().done).toContain("May exist; not sent again:\n  topic/t");
});

it("--deadline ends an apply that gets no response", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
  const argv = ["notify", "apply", "-f", "routing.yaml", "--yes", ...SHORT];
  const { code, stderr } = await run(argv, { cwd, fetch: silent });
  expect(code).toBe(124);
  expect(stderr).toContain("The time limit of --deadline was reached");
  expect(stderr).toContain("Nothing was changed.");
});

it("writes the receipt of an apply as far as it came", async () => {
  const place = placeWith();
  const outcome = await place.notify("apply -f routing.yaml --yes --json --deadline 2s", {
    fetch: (request) =>
      request.method === "POST" && /topic-destination-routes/u.test(request.url)
        ? silent(request)
        : place.sandbox.fetch(request),
  });
  expect(outcome.code).toBe(124);
  const receipt = JSON.parse(outcome.stdout) as { settled: object[] };
  expect(receipt).toMatchObject({ counts: { created: 4, unknown: 1 }, verified: false });
  const address = "destination-route/lifecycle/ops";
  expect(receipt.settled).toContainEqual(expect.objectContaining({ address, outcome: "unknown" }));
  expect(outcome.error()).toMatchObject({ code: "timeout" });
});

it("says how to continue an apply that it stopped, and how to allow more time", async () => {
  const place = placeWith();
  const outcome = await place.notify("apply -f routing.yaml --yes --json AMP_PARALLEL=1", {
    env: { AMP_DEADLINE: "900ms" },
    fetch: async (request) => {
      if (request.method === "POST") await delay(600);
      return place.sandbox.fetch(request);
    },
  });
  expect(outcome.code).toBe(124);
  expect(outcome.error().remedy).toContain("Run the same command again to continue.");
  expect(outcome.error().remedy).toContain("which has precedence over AMP_DEADLINE.");
});

it.each(["a file", "a server"])(
  "names the lock of a state in %s that it waited for",
  async (where) => {
    const server = await startStateServer();
    onTestFinished(() => server.close());
    const place = placeWith();
    const isFile = where === "a file";
    const state = isFile ? join(place.cwd, "state.json") : `${server.origin}/state`;
    const backend = isFile ? localBackend(state) : httpBackend(httpLocation(state, "--state", {}));
    const { free } = await holdLock(backend, { command: "amp notify apply --of another" });
    const outcome = await place.notify(
      `apply -f routing.yaml --yes --json --state ${state} AMP_LOCK_WAIT=20s --deadline 1s`,
    );
    await free();
    const { holder, ...error } = outcome.error();
    expect([outcome.code, writesOf(outcome)]).toEqual([124, []]);
    expect(holder).toMatchObject({ command: "amp notify apply --of another" });
    expect(error).toMatchObject({
      message: "The time limit of --deadline was reached",
      detail: expect.stringContaining(`${state} is locked by another run: amp notify apply --of`),
      remedy: expect.stringMatching(/no longer running, remove its lock\. Allow more time/u),
      suggestion: expect.stringContaining(
        `amp notify state unlock ${(holder as { id: string }).id} `,
      ),
      done: "Nothing was sent.",
    });
  },
);

it.each([
  ["AMP_DEADLINE", { env: { AMP_DEADLINE: "300ms" } }],
  ["the project file", {}],
])("is read from %s", async (source, world) => {
  const cwd = temporaryFolder();
  if (source !== "AMP_DEADLINE") writeFileSync(join(cwd, ".amp.yaml"), "deadline: 300ms\n");
  const { code, stderr } = await run(["apps", "list"], { cwd, fetch: silent, ...world });
  expect(code).toBe(124);
  const limit = source === "AMP_DEADLINE" ? source : join(cwd, ".amp.yaml");
  expect(stderr.replaceAll(/\s+/gu, " ")).toContain(`The time limit of ${limit} was reached`);
});

it("a time limit of one response names where it was set", async () => {
  const cwd = temporaryFolder();
  const list = async (...argv: string[]) => {
    const world = { cwd, fetch: silent, env: { AMP_RETRIES: "0" } };
    const { error } = await run(["apps", "list", "--json", ...argv], world);
    return error();
  };
  const more = "Allow more time with --timeout, for example --timeout 2m";
  expect(await list("--timeout", "10ms")).toMatchObject({ remedy: `${more}.` });
  const path = join(cwd, ".amp.yaml");
  writeFileSync(path, "timeout: 10ms\n");
  expect(await list()).toMatchObject({
    code: "timeout",
    remedy: `${more}, which has precedence over ${path}.`,
  });
  writeFileSync(path, "timeout: 0s\n");
  expect(await list()).toMatchObject({ message: `${path}:1: timeout: "0s" must be more than 0` });
  expect(await list("--timeout", "0s")).toMatchObject({
    message: '--timeout: "0s" must be more than 0',
  });
});

it("--deadline must be a duration", async () => {
  const { code, stderr } = await run(["apps", "list", "--deadline", "soon"]);
  expect(code).toBe(2);
  expect(stderr).toContain('"soon" is not a valid duration');
});

it("changes nothing for a command that is done in time", async () => {
  const replies = [{ body: [] }];
  expect((await run(["apps", "list", "--deadline", "1h"], { replies })).code).toBe(0);
});

it("never cuts the save of what was done, however long it takes", async () => {
  const server = await startStateServer();
  onTestFinished(() => server.close());
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics: { one: {} }\n");
  // Longer than the grace period of a command.
  const late = { lateMs: END_GRACE_MS + 3_000 };
  server.fault = ({ body }) => (body.includes('"madeAt":') ? late : undefined);
  const state = `${server.origin}/state`;
  const argv = ["notify", "apply", "-f", "routing.yaml", "--yes", "--state", state];
  const { code, stderr } = await run([...argv, "--deadline", "2s"], { cwd, sandbox: sandboxAt() });
  expect(JSON.parse(server.text ?? "")).toMatchObject({
    entries: { "topic/one": { made: "amp" } },
  });
  expect(code).toBe(124);
  expect(stderr).toContain("Created:\n    topic/one");
  expect(server.lock).toBeUndefined();
});

it("ends a command that works without waiting", async () => {
  const signal = withDeadline(new AbortController().signal, 1);
  for (const began = performance.now(); performance.now() < began + 3; );
  expect(signal.aborted).toBe(false);
  await expect(handleSignals(signal)).rejects.toBe(DEADLINE);

  const cwd = temporaryFolder();
  const topics = Array.from({ length: 300 }, (_, at) => `  t-${at}: { events: [read.completed] }`);
  writeFileSync(join(cwd, "routing.yaml"), ["version: 1", "topics:", ...topics].join("\n"));
  const env = { AMP_DEADLINE: "1ms" };
  const { code, stdout } = await run(["notify", "check", "-f", "routing.yaml"], { cwd, env });
  expect({ code, stdout }).toEqual({ code: 124, stdout: "" });
});

/** A routing of so many topics that reading it alone takes longer than the time limit. */
const LARGE = [
  "version: 1",
  "destinations: { ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } } }",
  "topics:",
  ...Array.from(
    { length: 7_500 },
    (_, at) => `  t${at}: { events: [connection.error], destinations: [ops] }`,
  ),
].join("\n");

it.each([
  "check -f large.yaml",
  "graph -f large.yaml",
  "graph connection.error -f large.yaml",
  "plan -f large.yaml",
  "apply -f large.yaml --yes",
])(
  "--deadline ends the work on a large file: %s",
  async (words) => {
    const place = placeWith();
    place.write("large.yaml", LARGE);
    const outcome = await place.notify(`${words} --deadline 100ms`);
    expect(outcome).toMatchObject({ code: 124, stdout: "" });
    expect(outcome.stderr).toContain("The time limit of --deadline was reached");
    expect(writesOf(outcome)).toEqual([]);
  },
  60_000,
);

it("checks rule by rule until a signal, and writes a page line by line", async () => {
  const model = { topics: new Map(), destinations: new Map() };
  const loaded = { graph: graphOf(partsOfModel(model)), source: { file: "routing.yaml" } };
  const stopped = AbortSignal.abort("SIGINT");
  const input = { rule: [], skip: [], require: [] };
  await expect(checkRouting(loaded, input, stopped)).rejects.toBe("SIGINT");
  let painted = 0;
  const paint = (_tone: string, text: string) => {
    painted += 1;
    return text;
  };
  const rows = Array.from({ length: 1_000 }, () => [{ text: "x", tone: "good" } as const]);
  const page = { title: "", blocks: [{ kind: "grid", columns: [""], rows } as const] };
  const lines = renderPage(page, { width: 80, paint, now: new Date(0) });
  for (let line = 0; line < 5; line += 1) lines.next();
  expect(painted).toBeLessThan(20);
  expect([...lines].length).toBeGreaterThan(990);
});

it("--deadline ends the output of a large result", async () => {
  const place = placeWith();
  place.write("large.yaml", LARGE);
  const stop = new AbortController();
  const graph = await place.notify("graph -f large.yaml", {
    signal: stop.signal,
    onOutput: () => stop.abort("SIGINT"),
  });
  expect(graph.code).toBe(130);
  expect(graph.stdout.length).toBeLessThan(150_000);
  expect(graph.stderr).toContain("only its output is incomplete");
});
