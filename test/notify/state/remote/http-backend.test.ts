import { afterEach, describe, expect, it, vi } from "vitest";
import { ConflictError, InterruptedError, TerminatedError } from "../../../../src/errors.ts";
import { httpBackend, httpLocation } from "../../../../src/notify/state/remote/http.ts";
import type { StateServerOptions } from "../../../../src/notify/state/remote/server.ts";
import { DEADLINE } from "../../../../src/runtime/end-process.ts";
import { suggest, suggestedLines } from "../../../../src/values/suggested-command.ts";
import { holdLock, lockId, lockRequest } from "../backend-conformance.ts";
import { thrownAtOnce, thrownBy } from "../state-fixture.ts";
import { type ServerBehavior, startStateServer, type TestStateServer } from "./state-server.ts";
import { faultsOf, type ReceivedRequest, type ServerFault } from "./test-server.ts";

let server: TestStateServer;
afterEach(() => server.close());

/** A network of this fetch. */
const networkOf = (fetch: (request: Request) => Promise<Response>) => ({
  network: async () => ({ fetch, proxyFor: () => undefined }),
});

const warnings: string[] = [];
afterEach(() => warnings.splice(0));

async function start(manners: ServerBehavior = {}, env: Readonly<Record<string, string>> = {}) {
  server = await startStateServer(manners);
  return open(env);
}

function open(env: Readonly<Record<string, string>> = {}, address = `${server.origin}/state`) {
  return httpBackend(httpLocation(address, "--state", env), {
    pollMs: 2,
    backoffMs: 1,
    warn: (text, ...commands) => warnings.push([text, ...suggestedLines(commands)].join(" ")),
  });
}

function asked(method: string): readonly ReceivedRequest[] {
  return server.asked.filter((each) => each.method === method);
}

describe("a server that promises what it does not hold", () => {
  const text = '{"serial":1}';

  it("is refused before anything is saved where it gives its lock to a second ID", async () => {
    await start({ generous: true });
    const error = await thrownBy(
      open().withLock(lockRequest(), (held) => held.write(text, "intent")),
    );
    expect(error).toMatchObject({ exit: "usage" });
    expect(error.message).toContain("grants its lock to several runs at once");
    expect(asked("POST")).toEqual([]);
  });

  it("is refused with the first save where it drops saves", async () => {
    await start({ saves: "not" });
    const error = await thrownBy(
      open().withLock(lockRequest(), (held) => held.write(text, "intent")),
    );
    expect(error).toMatchObject({ exit: "service" });
    expect(error.message).toContain("does not have what was saved");
    expect(server.lock).toBeUndefined();
  });

  it("is accepted where it formats the JSON, and asked once", async () => {
    await start({ saves: "formatted" });
    await open().withLock(lockRequest(), async (held) => {
      await held.write(text, "intent");
      await held.check();
      await held.write('{"serial":2}', "result");
    });
    expect(JSON.parse(server.text ?? "")).toEqual({ serial: 2 });
    expect(asked("GET")).toHaveLength(1);
  });
});

describe("a save", () => {
  const saving = (text: string) =>
    open().withLock(lockRequest(), async (held) => {
      await held.read();
      await held.write(text, "intent");
    });

  it("names the lock, and keeps the query of the address", async () => {
    await start();
    const backend = open({}, `${server.origin}/state?tenant=7`);
    expect(backend.location).toBe(`${server.origin}/state?…`);
    await backend.withLock(lockRequest({ command: "amp x" }), (held) => held.write("{}", "intent"));
    const [post] = asked("POST");
    const [lock] = asked("LOCK").map(({ body }) => JSON.parse(body) as Record<string, string>);
    expect(post?.url.search).toBe(`?tenant=7&ID=${lock?.ID}`);
    expect(post?.headers["content-type"]).toBe("application/json");
    expect(lock).toMatchObject({ Info: "amp x", Version: expect.stringMatching(/^amp \d/u) });
  });

  it.each<[string, ServerFault[]]>([
    ["before it was done", ["before"]],
    ["after it was done", ["after"]],
    ["twice", ["before", "after"]],
    ["with a 500 and a 503", [500, 503]],
  ])("is repeated if the connection breaks %s", async (_, each) => {
    await start({ serials: true });
    server.fault = faultsOf({ method: "POST" }, ...each);
    await saving('{"serial":1}');
    expect(server.text).toBe('{"serial":1}');
    expect(server.lock).toBeUndefined();
  });

  it("is not repeated if the server has the text already", async () => {
    await start({ serials: true });
    server.fault = faultsOf({ method: "POST" }, "after");
    await saving('{"serial":1}');
    expect(asked("POST")).toHaveLength(1);
  });

  it.each<[ServerFault, string, string, number]>([
    ["before", "ServiceError", "Could not save", 3],
    [500, "ServiceError", "the server answered 500", 3],
    [400, "RejectedError", "the server answered 400", 1],
    [403, "AuthError", "the server answered 403", 1],
    [302, "ServiceError", "the server answered 302", 1],
  ])(
    "fails if every answer is %s, with the old text in place",
    async (fault, name, message, sent) => {
      await start();
      server.text = '{"serial":1}';
      server.fault = faultsOf({ method: "POST" }, fault, fault, fault, fault);
      const error = await thrownBy(saving('{"serial":2}'));
      expect(error).toMatchObject({ name, message: expect.stringContaining(message) });
      expect(asked("POST")).toHaveLength(sent);
      expect(server.text).toBe('{"serial":1}');
      expect(server.lock).toBeUndefined();
    },
  );

  it("is saved if only the answers are lost, however often", async () => {
    await start();
    server.fault = faultsOf({ method: "POST" }, "after", "after", "after");
    await saving('{"serial":1}');
    expect(server.text).toBe('{"serial":1}');
  });
});

describe("the lock", () => {
  it.each<[string, ServerFault[]]>([
    ["before it was granted", ["before"]],
    ["after it was granted", ["after"]],
    ["with a 502", [502, "after"]],
  ])("is taken if the connection breaks %s", async (_, each) => {
    const backend = await start();
    server.fault = faultsOf({ method: "LOCK" }, ...each);
    expect(await backend.withLock(lockRequest(), async () => 7)).toBe(7);
    expect(server.lock).toBeUndefined();
  });

  it.each<[string, ServerFault[]]>([
    ["before it was done", ["before"]],
    ["after it was done", ["after"]],
    ["with a 503", [503]],
  ])("is released if the connection breaks %s", async (_, each) => {
    const backend = await start();
    server.fault = faultsOf({ method: "UNLOCK" }, ...each);
    expect(await backend.withLock(lockRequest(), async () => 7)).toBe(7);
    expect(server.lock).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("that cannot be released gives a warning, and the result of the work stays", async () => {
    const backend = await start();
    server.fault = faultsOf({ method: "UNLOCK" }, 500, 500, 500);
    expect(await backend.withLock(lockRequest(), async () => 7)).toBe(7);
    expect(warnings).toEqual([
      `Could not release the lock of ${backend.location}: the server answered 500. ` +
        `To remove the lock: amp notify state unlock ${server.lock?.ID}`,
    ]);
    await backend.unlock(await lockId(backend), true);
    expect(await backend.withLock(lockRequest(), async () => 8)).toBe(8);
  });

  it("that a stopped run perhaps never took is not said to be held", async () => {
    const { origin, close } = await startStateServer();
    await close();
    const stopped = new AbortController();
    const fetch = async () => {
      stopped.abort("SIGTERM");
      throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
    };
    const backend = httpBackend(httpLocation(`${origin}/state`, "--state", {}), {
      ...networkOf(fetch),
      backoffMs: 1,
      signal: stopped.signal,
      warn: (text, ...commands) => warnings.push([text, ...suggestedLines(commands)].join(" ")),
    });
    await thrownBy(
      backend.withLock(lockRequest({ signal: stopped.signal }), () => expect.unreachable()),
    );
    expect(warnings).toEqual([
      expect.stringMatching(
        /^This run could not check whether it took the lock of .* If the next run finds it locked: amp notify state unlock/u,
      ),
    ]);
  });

  it.each([404, 405, 501])("is required: a server that answers %i is refused", async (status) => {
    const backend = await start();
    server.fault = (each) => (each.method === "LOCK" ? status : undefined);
    const work = () => expect.unreachable("no work without a lock");
    const error = await thrownBy(backend.withLock(lockRequest(), work));
    expect(error.message).toBe(`Could not lock ${backend.location}: the server answered ${status}`);
    expect(error.facts.remedy).toContain("AMP_STATE_LOCK_ADDRESS");
  });

  it("may have an unknown holder", async () => {
    const backend = await start({ mute: true });
    const { held, free } = await holdLock(backend);
    await held.check();
    const error = await thrownBy(open().withLock(lockRequest(), async () => {}));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.facts.suggestion).toBeUndefined();
    await free();
    await expect(open().withLock(lockRequest(), async () => 1)).resolves.toBe(1);
  });

  it.each([true, false])(
    "that was removed for a while is held as long as nobody saved",
    async (lenient) => {
      const backend = await start({ lenient });
      const { held, free } = await holdLock(backend);
      await held.read();
      await held.write('{"serial":1}', "intent");
      server.lock = undefined;
      await held.check();
      server.lock = undefined;
      server.text = '{"serial":2,"by":"another run"}';
      expect(await thrownBy(held.check())).toBeInstanceOf(ConflictError);
      expect(await thrownBy(held.write('{"serial":2}', "intent"))).toBeInstanceOf(ConflictError);
      expect(server.text).toBe('{"serial":2,"by":"another run"}');
      await free();
    },
  );

  it("is lost if a save is answered 409, and nothing is sent after that", async () => {
    const backend = await start();
    const { held, free } = await holdLock(backend);
    server.fault = faultsOf({ method: "POST" }, 409);
    expect(await thrownBy(held.write("{}", "intent"))).toBeInstanceOf(ConflictError);
    const before = server.asked.length;
    expect(await thrownBy(held.check())).toBeInstanceOf(ConflictError);
    expect(await thrownBy(held.write("{}", "intent"))).toBeInstanceOf(ConflictError);
    expect(server.asked).toHaveLength(before);
    await free();
  });
});

describe("a state server", () => {
  it("in whose place a login page answers is a failure of the server, not a broken state", async () => {
    const backend = await start();
    server.text = "<!doctype html><title>Sign in</title>";
    expect(await thrownBy(backend.read())).toMatchObject({
      exit: "service",
      message: `Could not read ${backend.location}: the server answered with a web page`,
    });
  });

  it("in whose place a web page answers a lock is a failure of the server, not of its locks", async () => {
    await start();
    const page = "<!doctype html><title>Sign in</title>";
    const headers = { "content-type": "text/html" };
    const asked: string[] = [];
    const fetch = async (request: Request) => {
      asked.push(request.method);
      return new Response(page, { headers });
    };
    const location = httpLocation(`${server.origin}/state`, "--state", {});
    const backend = httpBackend(location, networkOf(fetch));
    const message = `Could not lock ${backend.location}: the server answered with a web page`;
    const refused = backend.withLock(lockRequest(), () => expect.unreachable());
    expect(await thrownBy(refused)).toMatchObject({ exit: "service", message });
    expect(await thrownBy(backend.unlock("abc", false))).toMatchObject({ message });
    expect(asked).toEqual(["LOCK", "LOCK"]);
  });

  it("that refuses a credential is named without the credential", async () => {
    const backend = await start(
      { credential: "ci:right-password" },
      { AMP_STATE_USERNAME: "ci", AMP_STATE_PASSWORD: "wrong-password" },
    );
    const error = await thrownBy(backend.read());
    expect(error).toMatchObject({
      name: "AuthError",
      message: `Could not read ${backend.location}: the server answered 401`,
    });
    const shown = JSON.stringify([error.message, error.facts]);
    expect(shown).not.toContain("wrong-password");
    expect(shown).not.toContain(Buffer.from("ci:wrong-password").toString("base64").slice(0, 12));
    expect(error.facts.detail).toBe("no entry with Basic [redacted], [redacted]");
    expect(shown).toContain("AMP_STATE_PASSWORD");
  });

  it("that refuses the token of a job is named with the variable and its message", async () => {
    await start();
    const location = httpLocation(`${server.origin}/state`, "--state", {});
    const credential = {
      ...{ username: "gitlab-ci-token", password: "expired" },
      variable: "CI_JOB_TOKEN",
    } as const;
    const fetch = async () => Response.json({ message: "403 Forbidden" }, { status: 403 });
    const backend = httpBackend({ ...location, credential }, networkOf(fetch));
    const { facts } = await thrownBy(backend.withLock(lockRequest(), async () => {}));
    expect(facts).toMatchObject({
      detail: "403 Forbidden",
      done: "Nothing was sent to the service.",
    });
    expect(facts.remedy).toContain("The credential is CI_JOB_TOKEN");
  });

  it("that cannot be reached is named with the reason", async () => {
    const backend = await start();
    await server.close();
    const error = await thrownBy(backend.withLock(lockRequest(), async () => {}));
    expect(error).toMatchObject({
      name: "ServiceError",
      message: `Could not lock ${backend.location}`,
    });
    expect(error.facts.detail).toContain("connection refused");
    expect(error.facts.suggestion).toBeUndefined();
  });

  it("that answers 204 has no state", async () => {
    const backend = await start();
    server.fault = (each) => (each.method === "GET" ? 204 : undefined);
    expect(await backend.read()).toBeUndefined();
  });
});

describe("the retries of a state server", () => {
  it.each([
    ["GET", 0],
    ["LOCK", 0],
    ["GET", 1],
    ["LOCK", 1],
  ])("are limited as AMP_RETRIES says: %s, %i", async (method, retries) => {
    await start();
    server.fault = (each) => (each.method === method ? 503 : undefined);
    const options = { backoffMs: 1, retries };
    const backend = httpBackend(httpLocation(`${server.origin}/state`, "--state", {}), options);
    await thrownBy(
      method === "GET" ? backend.read() : backend.withLock(lockRequest(), async () => {}),
    );
    expect(asked(method)).toHaveLength(retries + 1);
  });
});

describe("a lock whose answer does not arrive", () => {
  const openBounded = () =>
    httpBackend(httpLocation(`${server.origin}/state`, "--state", {}), {
      // Long enough for the answer to the unlock on a busy machine.
      timeoutMs: 1_500,
      retries: 0,
    });

  it("is withdrawn if the server has granted it", async () => {
    await start();
    server.fault = faultsOf({ method: "LOCK" }, "silent");
    await thrownBy(openBounded().withLock(lockRequest(), async () => {}));
    expect(asked("UNLOCK")).toHaveLength(1);
    expect(server.lock).toBeUndefined();
  });

  it("is named with the command that removes it, if the server stays silent", async () => {
    await start();
    server.fault = (each) => (each.method === "LOCK" ? "silent" : undefined);
    const { facts } = await thrownBy(openBounded().withLock(lockRequest(), async () => {}));
    const [{ body } = { body: "" }] = asked("LOCK");
    const { ID } = JSON.parse(body) as { ID: string };
    expect(facts.suggestion).toEqual(suggest("notify state unlock", [ID]));
    expect(facts.remedy).toBe(
      "The server may have granted the lock. If the next run finds the state locked, remove the lock:",
    );
  });
});

describe("a state server that never answers", () => {
  const text = '{"serial":1}';
  const openBounded = (options: StateServerOptions) =>
    httpBackend(httpLocation(`${server.origin}/state`, "--state", {}), {
      backoffMs: 1,
      warn: (warning) => warnings.push(warning),
      ...options,
    });
  /** What happens to a run that a signal stops as soon as the server has a request of the method. */
  async function stopAt(method: string, { reason = "SIGINT", ...options }: Stopped) {
    const controller = new AbortController();
    const { signal } = controller;
    const waitsOf = server.fault;
    server.fault = (asked) => {
      if (asked.method === method) setTimeout(() => controller.abort(reason), 5);
      return waitsOf(asked);
    };
    const backend = openBounded({ signal, ...options });
    return backend.withLock(lockRequest({ signal }), async (held) => {
      await held.write(text, "intent");
      await held.check();
    });
  }
  interface Stopped extends Omit<StateServerOptions, "signal"> {
    readonly reason?: string;
  }

  it.each(["LOCK", "POST", "UNLOCK"])(
    "is asked by %s as long as --timeout says",
    async (method) => {
      await start();
      server.fault = (asked) => (asked.method === method ? "silent" : undefined);
      const backend = openBounded({ timeoutMs: 400 });
      const run = backend.withLock(lockRequest(), async (held) => held.write(text, "intent"));
      const problem = await run.then(
        () => warnings.join(),
        ({ message, facts }) => `${message}: ${facts.detail}`,
      );
      // A save that was done all the same is found by a read.
      if (method === "POST") expect(problem).toBe("");
      else expect(problem).toContain("Could not");
      expect(asked(method).length).toBeGreaterThan(0);
    },
  );

  it.each([
    ["SIGINT", InterruptedError],
    ["SIGTERM", TerminatedError],
  ])("is left at %s with the lock that it had granted", async (reason, kind) => {
    await start();
    server.fault = faultsOf({ method: "LOCK" }, "silent");
    expect(await thrownBy(stopAt("LOCK", { reason }))).toBeInstanceOf(kind);
    expect(server.lock).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(asked("POST")).toEqual([]);
  });

  it("is distinguished from one with the lock of another run, which is kept", async () => {
    const { free } = await holdLock(await start());
    const before = server.lock;
    server.fault = faultsOf({ method: "LOCK" }, "silent");
    expect(await thrownBy(stopAt("LOCK", {}))).toBeInstanceOf(InterruptedError);
    expect(server.lock).toBe(before);
    await free();
  });

  it("is not waited for after a signal by a check", async () => {
    await start();
    // The lock, its test, and then the check.
    server.fault = faultsOf({ method: "LOCK" }, { lateMs: 0 }, { lateMs: 0 }, "silent");
    const controller = new AbortController();
    const { signal } = controller;
    const run = openBounded({ signal }).withLock(lockRequest({ signal }), async (held) => {
      const checking = held.check();
      await vi.waitUntil(() => asked("LOCK").length === 3, { timeout: 120_000 });
      controller.abort("SIGINT");
      await checking;
    });
    expect(await thrownBy(run)).toBeInstanceOf(InterruptedError);
    expect(server.lock).toBeUndefined();
  });

  it.each([
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
  ])("has a time of its own for a save after %s, and is asked once", async (reason, exit) => {
    await start();
    server.fault = (asked) => (asked.method === "POST" ? "silent" : undefined);
    const error = await thrownBy(stopAt("POST", { reason, stoppedMs: 700 }));
    expect(error).toMatchObject({
      exit,
      message: `Could not save ${server.origin}/state`,
      facts: { detail: "The server did not answer in time after the command was stopped." },
    });
    expect(asked("POST")).toHaveLength(1);
    expect(server.lock).toBeUndefined();
  });

  it("finishes a save in flight when --deadline is over", async () => {
    await start();
    server.fault = faultsOf({ method: "POST" }, { lateMs: 200 });
    // The check that follows begins nothing any more.
    const error = await thrownBy(stopAt("POST", { reason: DEADLINE, stoppedMs: 20 }));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(server.text).toBe(text);
    expect(asked("POST")).toHaveLength(1);
  });

  it("is not asked any more once a read is interrupted", async () => {
    await start();
    const controller = new AbortController();
    controller.abort("SIGINT");
    const backend = openBounded({ signal: controller.signal });
    expect(await thrownBy(backend.read())).toMatchObject({ name: "InterruptedError" });
  });
});

describe("the location of a state server", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["http://state.example.test/x", {}, "--state must use https: http://state.example.test/x"],
    ["https://user:secret@state.example.test", {}, "--state must not contain a user name"],
    ["https:", {}, "--state is not a valid URL"],
    ["https://a.test", { AMP_STATE_LOCK_ADDRESS: "ftp://b" }, "AMP_STATE_LOCK_ADDRESS is not a"],
    [
      "https://a.test",
      { AMP_STATE_UNLOCK_ADDRESS: "http://b" },
      "AMP_STATE_UNLOCK_ADDRESS must use https",
    ],
    [
      "https://a.test",
      { AMP_STATE_LOCK_METHOD: "PO ST" },
      "AMP_STATE_LOCK_METHOD is not a valid HTTP method",
    ],
    [
      "https://a.test",
      { AMP_STATE_UNLOCK_METHOD: "" },
      "AMP_STATE_UNLOCK_METHOD is not a valid HTTP method",
    ],
    [
      "https://a.test",
      { AMP_STATE_USERNAME: "a:b" },
      "AMP_STATE_USERNAME must not contain a colon",
    ],
  ])("is not %s with %j", async (address, env, message) => {
    server = await startStateServer();
    const error = thrownAtOnce(() => httpLocation(address, "--state", env));
    expect(error).toMatchObject({ name: "UsageError", message: expect.stringContaining(message) });
    expect(JSON.stringify([error.message, error.facts])).not.toContain("secret");
  });
});
