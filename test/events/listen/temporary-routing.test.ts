import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { NOW, type RunInput, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { bodyOf, listen, post, signed } from "./listening.ts";

const AT_SANDBOX = { AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
/** A service that is not on this machine. */
const REMOTE = { AMP_BASE_URL: "https://api.example.test/v1", AMP_API_KEY: "sandbox-api-key" };

/** The names of all that a world routes in its main project. */
function routingOf({ world }: Sandbox): readonly string[] {
  return [...world.destinations, ...world.topics].map(({ name }) => name).sort();
}

function place(env: Readonly<Record<string, string>> = AT_SANDBOX) {
  const sandbox = sandboxAt();
  const input = { sandbox, cwd: temporaryFolder(), env: { ...env, AMP_PROJECT: "acme" } };
  return { sandbox, input, before: routingOf(sandbox) };
}

/** Nobody waits for the outcome of a delete here. */
const HORIZON = "AMP_COMMIT_HORIZON=100ms";

/** Leaves the routing of a listener behind: its service is not reached when it ends. */
async function leaveBehind(input: RunInput, sandbox: Sandbox, until?: string): Promise<string> {
  const state = join(input.cwd ?? "", "state.json");
  const { stdout, code, error } = await listen(["--state", state, HORIZON], async () => {}, {
    ...input,
    fetch: refusing(sandbox, ({ method }) => method === "DELETE"),
  });
  const { routing } = JSON.parse(stdout.split("\n")[0] ?? "") as { routing: string };
  expect({ code, error: error() }).toMatchObject({
    code: 9,
    error: { message: `The temporary routing ${routing} is still at the service` },
  });
  if (until !== undefined) {
    // As if its listener had run on another machine.
    rmSync(locksOf(input), { recursive: true });
    const { readFileSync } = await import("node:fs");
    const text = readFileSync(state, "utf8").replaceAll(/until [^"]+/gu, `until ${until}`);
    writeFileSync(state, text);
  }
  return routing;
}

/** A service that refuses connections, for some requests or all. */
const refusing =
  (sandbox: Pick<Sandbox, "fetch">, isRefused: (request: Request) => boolean) =>
  (request: Request) =>
    isRefused(request)
      ? Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }))
      : sandbox.fetch(request);

/** A sandbox that rejects the last part of a temporary routing. */
const tooDull = (sandbox: Sandbox): Pick<Sandbox, "fetch"> => ({
  fetch: (request) =>
    request.method === "POST" && request.url.endsWith("topic-destination-routes")
      ? Promise.resolve(Response.json({ title: "Too dull", status: 422 }, { status: 422 }))
      : sandbox.fetch(request),
});

const stateOf = (input: RunInput) => ["--state", join(input.cwd ?? "", "state.json")];
/** The folder in which a listener's lock would be. */
const locksOf = ({ cwd = "" }: RunInput) => join(cwd, ".local", "state", "amp-admin", "listen");

it("routes the wanted events of a sandbox here while it listens, and nothing afterwards", async () => {
  const { sandbox, input, before } = place();
  const body = bodyOf("connection.error");
  const { code, lines, stderr } = await listen(
    ["-e", "connection.*,read.message"],
    async (url, ready) => {
      const { destinations, topics, eventRoutes } = sandbox.world;
      const name = String(ready.routing);
      const own = destinations.find((one) => one.name === name);
      expect(own).toMatchObject({ type: "webhook", metadata: { url } });
      const topic = topics.find((one) => one.name === name);
      const events = eventRoutes.filter(({ topicId }) => topicId === topic?.id);
      expect(events.map(({ eventType }) => eventType).sort()).toEqual(
        EVENT_TYPES.filter((event) => event.startsWith("connection.")).sort(),
      );
      const secret = await run(["notify", "destinations", "secret", name, "--json"], input);
      const { secrets } = secret.json() as { secrets: { webhookSigningKey: string } };
      await post(url, body, signed(body, { secret: secrets.webhookSigningKey }));
    },
    input,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(lines[0]).toMatchObject({ routing: expect.stringMatching(/^amp-listen-[\da-f]{8}$/u) });
  expect(lines[1]).toMatchObject({ signature: { valid: true } });
  expect(routingOf(sandbox)).toEqual(before);
});

it("says at the end that its routing is removed", async () => {
  const { input } = place();
  const { stderr } = await run(["listen", "--port", "0", "--expect", "1", "--within", "1s"], input);
  expect(stderr).toMatch(/^Removed the temporary routing amp-listen-[\da-f]{8}\.$/mu);
});

it("makes no routing with --local, and none at a service that cannot reach this machine", async () => {
  const { sandbox, input, before } = place();
  const local = await listen(
    ["--local"],
    async () => {
      expect(routingOf(sandbox)).toEqual(before);
    },
    input,
  );
  expect(local.requests).toEqual([]);
  const remote = await listen([], async () => {}, { ...input, env: { ...input.env, ...REMOTE } });
  expect({ code: remote.code, requests: remote.requests }).toEqual({ code: 0, requests: [] });
});

it("asks before it routes a service to a tunnel, and needs --yes without a terminal", async () => {
  const { sandbox, input, before } = place(REMOTE);
  const url = "https://abc.tunnel.example/amp";
  const refused = await listen(["--public-url", url], async () => {}, input);
  expect(refused.code).toBe(2);
  expect(refused.error()).toMatchObject({ remedy: "Add --yes.", done: "Nothing was created." });
  const body = bodyOf("connection.error");
  const { code, lines } = await listen(
    ["--public-url", url, "--yes"],
    async (own) => {
      expect(sandbox.world.destinations.at(-1)?.metadata).toEqual({ url });
      const from = { host: "abc.tunnel.example" };
      expect((await post(own, body, from)).status).toBe(401);
    },
    input,
  );
  expect(code).toBe(0);
  expect(lines[0]).toMatchObject({ publicUrl: url });
  expect(routingOf(sandbox)).toEqual(before);
});

it("refuses a secret of its own for a temporary routing, whose secret is another", async () => {
  const { input } = place();
  for (const extra of [[], ["--dry-run"]]) {
    const { code, requests, error } = await run(
      ["listen", "--json", "--secret", "env:OWN", ...extra],
      { ...input, env: { ...input.env, OWN: "whsec_c2VjcmV0IG9mIG5vIHJvdXRpbmc" } },
    );
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(error()).toMatchObject({ remedy: expect.stringContaining("--local") });
  }
});

it("respects the guards of a profile", async () => {
  const { sandbox, input, before } = place();
  const { code, error } = await listen(
    ["--expect-project", "globex-staging"],
    async () => {},
    input,
  );
  expect({ code, status: error().code }).toEqual({ code: 5, status: "conflict" });
  expect(routingOf(sandbox)).toEqual(before);
});

it("shows with --dry-run what it would create, and does not listen", async () => {
  const { sandbox, input, before } = place();
  const { code, json } = await run(
    ["listen", "--dry-run", "--json", "-e", "connection.error"],
    input,
  );
  expect(code).toBe(0);
  expect(json()).toMatchObject({ pending: true });
  expect(routingOf(sandbox)).toEqual(before);
});

it.runIf(process.platform === "linux")("says why it has no place for its lock", async () => {
  const { input } = place();
  const env = { ...input.env, XDG_STATE_HOME: "/proc" };
  const { code, error } = await run(["listen", "--port", "0", "--json"], { ...input, env });
  expect(code).toBe(2);
  expect(error().message).toMatch(/^Cannot lock \/proc\/amp-admin\/listen\/amp-listen-/u);
});

it("removes what it created if a part cannot be created", async () => {
  const { sandbox, input, before } = place();
  const { fetch } = tooDull(sandbox);
  const { code, stdout, error } = await listen([], async () => {}, { ...input, fetch });
  expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
  expect(error()).toMatchObject({
    code: "rejected",
    done: "The created resources were removed again.",
  });
  expect(routingOf(sandbox)).toEqual(before);
});

it("removes what it created if Ctrl-C ends that, and says so", async () => {
  const { sandbox, input, before } = place();
  const end = new AbortController();
  const fetch = async (request: Request) => {
    const answer = await sandbox.fetch(request);
    if (request.method === "POST" && request.url.endsWith("/topics")) end.abort("SIGINT");
    return answer;
  };
  const argv = ["listen", "--port", "0", "--json"];
  const { code, error } = await run(argv, { ...input, fetch, signal: end.signal });
  expect(code).toBe(130);
  expect(error().done).toBe("The created resources were removed again.");
  expect(error()).not.toHaveProperty("remedy");
  expect(routingOf(sandbox)).toEqual(before);
});

it("removes a destination whose create was not answered, at a service that hides its URL", async () => {
  const { sandbox, input, before } = place();
  let lost = 0;
  const fetch = async (request: Request) => {
    const answer = await sandbox.fetch(request);
    if (!new URL(request.url).pathname.endsWith("/destinations")) return answer;
    if (request.method === "POST" && lost++ === 0) {
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    }
    const listed: unknown = await answer.json();
    const bare = Array.isArray(listed) ? listed.map(({ metadata: _, ...one }) => one) : listed;
    return Response.json(bare, { status: answer.status });
  };
  const { code } = await listen([HORIZON], async () => {}, { ...input, fetch });
  expect({ code, routing: routingOf(sandbox) }).toEqual({ code: 0, routing: before });
});

it("says what stays of its routing, and so does --clean, where a route of others uses it", async () => {
  const { sandbox, input } = place();
  const state = stateOf(input);
  let topic = "";
  const { code, error } = await listen(
    ["-e", "connection.error", ...state, HORIZON],
    async (_, { routing }) => {
      topic = String(routing);
      const route = ["--topic", topic, "--event", "installation.created"];
      const other = ["--state", join(input.cwd ?? "", "other.json")];
      await run(["notify", "routes", "create", ...route, ...other], input);
    },
    input,
  );
  expect({ code, error: error() }).toMatchObject({
    code: 9,
    error: { message: `The temporary routing ${topic} is still at the service` },
  });
  expect(routingOf(sandbox)).toContain(topic);
  const cleaned = await run(["listen", "--clean", ...state, "--json"], input);
  const reason = expect.stringContaining("is kept: other routes use it");
  expect(cleaned.json()).toEqual({ removed: [], kept: [{ name: topic, reason }] });
});

it("says so where it cannot remove its routing, and the next listener does", async () => {
  const { sandbox, input, before } = place();
  const name = await leaveBehind(input, sandbox);
  expect(routingOf(sandbox)).toContain(name);
  await listen(stateOf(input), async () => expect(routingOf(sandbox)).not.toContain(name), input);
  expect(routingOf(sandbox)).toEqual(before);
  expect(readdirSync(locksOf(input))).toEqual([]);
});

it("ends with 9 where its routing stays, whatever else went wrong, and says both", async () => {
  const { sandbox, input } = place();
  const fetch = refusing(sandbox, ({ method }) => method === "DELETE");
  const { code, error } = await listen(["--expect", "1", "--within", "1s", HORIZON], undefined, {
    ...input,
    fetch,
    keepsOn: true,
  });
  expect({ code, error: error() }).toMatchObject({
    code: 9,
    error: {
      message: expect.stringMatching(
        /^The temporary routing amp-listen-\S+ is still at the service$/u,
      ),
      detail: "0 of 1 expected messages arrived within 1 s.",
      suggestion: expect.stringContaining("amp listen --clean"),
    },
  });
});

it("names the command that removes a routing once if a dead service keeps it", async () => {
  const { sandbox, input } = place();
  const fetch = refusing(sandbox, ({ method }) => method === "DELETE");
  const { error } = await listen([HORIZON], async () => {}, { ...input, fetch });
  expect(error()).toMatchObject({
    warnings: [
      expect.stringContaining("The commit horizon is 0.1 s"),
      expect.stringMatching(
        /^Could not remove the temporary routing (amp-listen-\S+): destination-route\/\1\/\1 was not deleted: Could not reach 127\.0\.0\.1:4747: connection refused \(still listed after 0\.1 s\)$/u,
      ),
    ],
    suggestion: expect.stringContaining("amp listen --clean"),
  });
});

it("ends with 9 and names both causes if a routing that cannot be completed stays", async () => {
  const { sandbox, input } = place();
  const fetch = refusing(tooDull(sandbox), ({ method }) => method === "DELETE");
  const { code, error } = await listen(["-e", "connection.error", HORIZON], undefined, {
    ...input,
    fetch,
  });
  expect({ code, error: error() }).toMatchObject({
    code: 9,
    error: {
      message: expect.stringContaining("is still at the service"),
      detail: expect.stringContaining("the service refused the destination route (422)"),
      suggestion: expect.stringContaining("amp listen --clean"),
    },
  });
});

it("has one error where the service cannot be reached, and removes nothing", async () => {
  const { sandbox, input } = place();
  const fetch = refusing(sandbox, () => true);
  const url = ["--public-url", "https://abc.tunnel.example/amp"];
  for (const args of [[], url, [...url, ...stateOf(input)]]) {
    const { code, error } = await listen(args, undefined, { ...input, fetch });
    const { warnings, message } = error() as { warnings?: unknown; message: string };
    expect({ code, warnings, message }).toEqual({
      code: 7,
      warnings: undefined,
      message: "Could not reach 127.0.0.1:4747: connection refused",
    });
  }
  expect(readdirSync(locksOf(input))).toEqual([]);
});

it("--clean removes at once what a listener of this machine could not", async () => {
  const { sandbox, input, before } = place();
  const name = await leaveBehind(input, sandbox);
  const { code, stdout } = await run(["listen", "--clean", ...stateOf(input)], {
    ...input,
    tty: { in: false, out: true, err: true },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Removed ${name}\n` });
  expect(routingOf(sandbox)).toEqual(before);
  expect(readdirSync(locksOf(input))).toEqual([]);
});

it("names the command that removes what a listener elsewhere may still use", async () => {
  const { sandbox, input } = place();
  const name = await leaveBehind(input, sandbox, "2999-01-01T00:00:00.000Z");
  const { stderr } = await run(["listen", "--clean", ...stateOf(input)], input);
  expect(stderr).toContain(
    `${name} was not removed: its listener may be running on another machine`,
  );
  expect(stderr).toContain(`amp notify destinations delete ${name} --accept references`);
});

it("refuses a mistyped event type before the first request, also where it routes nothing", async () => {
  const { input } = place();
  for (const extra of [[], ["--dry-run"], ["--local", "--deadline", "5s"]]) {
    const refused = await run(["listen", "--json", "-e", "conection.error", ...extra], input);
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: 2, requests: [] });
    expect(refused.error().message).toBe(
      'Unknown event type "conection.error": did you mean connection.error? (or pass --allow unknown)',
    );
  }
  const local = await listen(
    [
      "--local",
      "-o",
      "table",
      "-e",
      "conection.error",
      "--deadline",
      "300ms",
      "--allow",
      "unknown",
    ],
    undefined,
    input,
  );
  expect(local.stderr).toContain('Unknown event type "conection.error"');
});

it("--clean removes what is expired, and nothing that a listener elsewhere may still use", async () => {
  const { sandbox, input, before } = place();
  const hour = 3_600_000;
  const name = await leaveBehind(input, sandbox, new Date(NOW.getTime() + hour).toISOString());
  const clean = ["listen", "--clean", "--json", ...stateOf(input)];
  const early = await run(clean, input);
  expect(early.json()).toEqual({
    removed: [],
    kept: [{ name, reason: expect.stringContaining("may be running on another machine") }],
  });
  const later = { ...input, now: new Date(NOW.getTime() + 2 * hour) };
  const planned = await run([...clean, "--dry-run"], later);
  expect(planned.json()).toEqual({ wouldRemove: [name], kept: [] });
  expect(routingOf(sandbox)).toContain(name);
  expect((await run(clean, later)).json()).toEqual({ removed: [name], kept: [] });
  expect(routingOf(sandbox)).toEqual(before);
  expect((await run(clean, later)).json()).toEqual({ removed: [], kept: [] });
});

it("--clean leaves the routing of a listener that runs, and its lock goes with it", async () => {
  const { sandbox, input } = place();
  await listen(
    [],
    async (_, { routing }) => {
      const { json } = await run(["listen", "--clean", "--json"], input);
      expect(json()).toEqual({
        removed: [],
        kept: [{ name: routing, reason: expect.stringContaining("its listener is running") }],
      });
      expect(routingOf(sandbox)).toContain(routing);
    },
    input,
  );
  expect(readdirSync(locksOf(input))).toEqual([]);
});

it("leaves the history of runs as it is: an undo of one has nothing to do with a listener", async () => {
  const { sandbox, input } = place();
  const at = { ...input, sandbox };
  const file = join(input.cwd, "kept.yaml");
  writeFileSync(file, "version: 1\ntopics: { kept: { events: [connection.error] } }\n");
  await run(["notify", "apply", "-f", file, "--yes", ...stateOf(input)], at);
  const history = async () =>
    (await run(["notify", "state", "history", "--json", ...stateOf(input)], at)).json();
  const before = await history();
  expect(before).toHaveLength(1);
  const listened = await listen(stateOf(input), async () => {}, at);
  expect(listened.code).toBe(0);
  await leaveBehind(input, sandbox);
  await run(["listen", "--clean", ...stateOf(input)], at);
  expect(await history()).toEqual(before);
});
