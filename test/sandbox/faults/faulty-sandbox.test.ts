import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.ts";
import type { FaultyOptions } from "../../../src/sandbox/faults/faulty-sandbox.ts";
import { type FaultScript, readScript } from "../../../src/sandbox/faults/script.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { ask, NOW } from "../ask.ts";

const TOPICS = "/projects/acme/topics";

function faulty(script: FaultScript = {}, options: Omit<FaultyOptions, "script"> = {}) {
  const sandbox = createFaultySandbox({ now: () => NOW, ...options, script });
  const names = () =>
    sandbox.world.topics.flatMap(({ name }) => (name.startsWith("t-") ? name : []));
  const post = (name: string) => ask(sandbox, `POST ${TOPICS}`, { name });
  return { sandbox, names, post };
}

test("a faulty sandbox without a script answers as the sandbox does", async () => {
  const { post, sandbox } = faulty();
  const made = await post("t-1");
  expect([made.status, made.body.name]).toEqual([201, "t-1"]);
  expect((await post("t-1")).status).toBe(409);
  expect(sandbox.log.map(({ method, path, created }) => [method, path, created])).toEqual([
    ["POST", `/v1${TOPICS}`, made.body.id],
    ["POST", `/v1${TOPICS}`, undefined],
  ]);
});

test.each([
  [{ fautls: [] }, "Did you mean faults?"],
  [{ faults: [{ on: "POST topics", do: "reset", tims: 1 }] }, "Did you mean times?"],
  [{ faults: [{ on: "POST topics", do: "rest" }] }, "Did you mean reset?"],
  [{ faults: [{ on: "POST topics", do: "explode" }] }, undefined],
])("a mistyped script is answered with the nearest name: %j", (script, remedy) => {
  const wrong = () => readScript(script);
  expect(wrong).toThrow(UsageError);
  expect(wrong).toThrow(expect.objectContaining({ facts: remedy ? { remedy } : {} }));
});

describe("the requests with a fault", () => {
  const wrong = async (fault: { on: string; nth?: number; times?: number }) => {
    const { post, sandbox } = faulty({ faults: [{ ...fault, do: "status", status: 500 }] });
    for (const name of ["t-1", "t-2", "t-3", "t-4"]) await post(name);
    await ask(sandbox, "GET /projects/acme/destinations?x=topics");
    return sandbox.log.flatMap(({ fault: met, number }) => (met ? number : []));
  };

  test.each([
    [{ on: "POST topics" }, [1, 2, 3, 4]],
    [{ on: "POST topics", nth: 3 }, [3]],
    [{ on: "POST topics", nth: 2, times: 2 }, [2, 3]],
    [{ on: "POST topics", times: 2 }, [1, 2]],
    [{ on: "POST /projects/acme/topics", nth: 1 }, [1]],
    [{ on: "* */topics", nth: 1 }, [1]],
    [{ on: "GET *" }, [5]],
    [{ on: "POST opics" }, []],
    [{ on: "POST topics/*" }, []],
    [{ on: "GET topics" }, []],
  ])("%o: %o", async (fault, numbers) => {
    expect(await wrong(fault)).toEqual(numbers);
  });

  test("a rule counts requests with the fault of another rule, and the first rule wins", async () => {
    const { post } = faulty({
      faults: [
        { on: "POST topics", nth: 1, do: "status", status: 500 },
        { on: "POST *", nth: 1, times: 2, do: "status", status: 503 },
      ],
    });
    const statuses = [await post("t-1"), await post("t-2"), await post("t-3")];
    expect(statuses.map(({ status }) => status)).toEqual([500, 503, 201]);
  });
});

describe("a fault", () => {
  const once = (fault: object) =>
    ({ faults: [{ on: "POST topics", nth: 1, ...fault }] }) as FaultScript;

  test.each([true, false])("resets the connection (record made: %s)", async (commit) => {
    const { post, names, sandbox } = faulty(once({ do: "reset", commit }));
    const error = await post("t-1").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as TypeError).cause).toMatchObject({ code: "ECONNRESET" });
    expect(names()).toEqual(commit ? ["t-1"] : []);
    expect(sandbox.log[0]?.created === undefined).toBe(!commit);
  });

  test("limits the rate, and says how long to wait", async () => {
    const { post, names } = faulty({
      faults: [{ on: "POST topics", do: "rate-limit", requests: 2, seconds: 1 }],
    });
    const first = [await post("t-1"), await post("t-2"), await post("t-3")];
    expect(first.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect([first[2]?.headers.get("retry-after"), first[2]?.body.status]).toEqual(["1", 429]);
    expect(names()).toEqual(["t-1", "t-2"]);
    await new Promise((resolve) => setTimeout(resolve, 1001));
    expect((await post("t-4")).status).toBe(201);
  });

  test.each([true, false])("answers with a status (record made: %s)", async (commit) => {
    const { post, names } = faulty(once({ do: "status", status: 503, retryAfter: 7, commit }));
    const { status, headers, body } = await post("t-1");
    expect([status, headers.get("retry-after"), body.status]).toEqual([503, "7", 503]);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(names()).toEqual(commit ? ["t-1"] : []);
  });

  test("redirects with the headers of the script", async () => {
    const { post } = faulty(once({ do: "status", status: 302, headers: { location: "/x" } }));
    const { status, headers } = await post("t-1");
    expect([status, headers.get("location")]).toEqual([302, "/x"]);
  });

  test.each([true, false])("sends half a response (record made: %s)", async (commit) => {
    const { post, names } = faulty(once({ do: "cut", commit }));
    await expect(post("t-1")).rejects.toThrow("terminated");
    expect(names()).toEqual(commit ? ["t-1"] : []);
  });

  test("sends no body, a page, or a record without ID", async () => {
    const script: FaultScript = {
      faults: [
        { on: "POST topics", nth: 1, do: "empty" },
        { on: "POST topics", nth: 2, do: "empty", status: 204, commit: false },
        { on: "POST topics", nth: 4, do: "no-id" },
      ],
    };
    const { post, names } = faulty(script);
    const first = await post("t-1");
    expect([first.status, first.text]).toEqual([201, ""]);
    expect((await post("t-2")).status).toBe(204);
    await post("t-3");
    const without = await post("t-4");
    expect(without.body).toMatchObject({ name: "t-4" });
    expect(without.body).not.toHaveProperty("id");
    expect(names()).toEqual(["t-1", "t-3", "t-4"]);
    const page = faulty(once({ do: "html", commit: false }));
    await expect(page.post("t-1")).rejects.toThrow(SyntaxError);
    expect(page.names()).toEqual([]);
  });

  test("lists records of an earlier world", async () => {
    const { post, sandbox } = faulty({
      faults: [
        { on: "GET topics", nth: 1, do: "stale" },
        { on: "GET topics", nth: 2, do: "stale", changes: 2 },
        { on: "GET topics", nth: 3, do: "stale", changes: 9 },
      ],
    });
    await post("t-1");
    await post("t-2");
    const list = async () => {
      const { body } = await ask(sandbox, `GET ${TOPICS}`);
      return (body as { name: string }[]).map(({ name }) => name).filter((n) => n.startsWith("t-"));
    };
    expect(await list()).toEqual(["t-1"]);
    expect(await list()).toEqual([]);
    expect(await list()).toEqual([]);
    expect(await list()).toEqual(["t-1", "t-2"]);
  });

  test("delays a response, with the record made early or late", async () => {
    for (const late of [false, true]) {
      const { sandbox, names } = faulty(once({ do: "slow", ms: 40, late }));
      const gone = new AbortController();
      const asked = sandbox.fetch(
        new Request(`http://sandbox.test/v1${TOPICS}`, {
          method: "POST",
          headers: { "x-api-key": "sandbox-api-key", "content-type": "application/json" },
          body: JSON.stringify({ name: "t-1" }),
          signal: gone.signal,
        }),
      );
      gone.abort(new Error("the client has gone"));
      await expect(asked).rejects.toThrow("the client has gone");
      if (late) expect(names()).toEqual([]);
      await sandbox.idle();
      expect(names()).toEqual(["t-1"]);
    }
  });

  test("removes the lists that the specification does not have", async () => {
    const { sandbox, post } = faulty({ lists: false });
    for (const list of [
      "destinations",
      "topics",
      "notification-event-topic-routes?topicId=t",
      "topic-destination-routes",
    ]) {
      expect((await ask(sandbox, `GET /projects/acme/${list}`)).status).toBe(404);
    }
    expect((await ask(sandbox, "GET /projects/acme/provider-apps")).status).toBe(200);
    expect((await post("t-1")).status).toBe(201);
  });

  test("allows names that are not unique", async () => {
    const { sandbox, post, names } = faulty({ uniqueNames: false });
    await post("t-1");
    expect((await post("t-1")).status).toBe(201);
    expect(names()).toEqual(["t-1", "t-1"]);
    const destination = { name: "d", type: "webhook", metadata: { url: "https://a.example/x" } };
    await ask(sandbox, "POST /projects/acme/destinations", destination);
    expect((await ask(sandbox, "POST /projects/acme/destinations", destination)).status).toBe(201);
  });
});

test("observers are called at each moment of a request, and awaited", async () => {
  const moments: string[] = [];
  const { post, names } = faulty(
    { faults: [{ on: "POST topics", nth: 2, do: "reset", commit: false }] },
    {
      observe: async (moment, { number, idempotencyKey }) => {
        await Promise.resolve();
        moments.push(`${number} ${moment} ${names().length} ${idempotencyKey}`);
      },
    },
  );
  await post("t-1");
  await post("t-2").catch(() => {});
  expect(moments).toEqual([
    "1 arrived 0 undefined",
    "1 passed 1 undefined",
    "1 answered 1 undefined",
    "2 arrived 1 undefined",
    "2 answered 1 undefined",
  ]);
});

test("a sandbox that follows other faults keeps only the missing lists", async () => {
  const { sandbox, post } = faulty({ lists: false, faults: [{ on: "* *", do: "reset" }] });
  await expect(post("t-1")).rejects.toThrow();
  sandbox.follow([]);
  expect((await post("t-2")).status).toBe(201);
  expect((await ask(sandbox, `GET ${TOPICS}`)).status).toBe(404);
  sandbox.follow([{ on: "POST topics", nth: 1, do: "reset" }]);
  await expect(post("t-3")).rejects.toThrow();
  expect(() => sandbox.follow([{ on: "topics", do: "reset" }])).toThrow(UsageError);
});

test("the idempotency key of a request is in the log", async () => {
  const { sandbox } = faulty();
  const headers = { "x-api-key": "sandbox-api-key", "idempotency-key": "k-1" };
  await ask(sandbox, `POST ${TOPICS}`, { name: "t-1" }, headers);
  expect(sandbox.log[0]?.idempotencyKey).toBe("k-1");
});

test.each([
  ["[]", /expected object/u],
  ["null", /expected object/u],
  ['{"faults":[{"on":"topics","do":"reset"}]}', /faults\.0\.on: must be of the form/u],
  ['{"faults":[{"on":"POST topics","do":"explode"}]}', /faults\.0\.do/u],
  [
    '{"faults":[{"on":"POST topics","do":"html","status":99}]}',
    /status: expected a number of at least 200/u,
  ],
  ['{"faults":[{"on":"POST topics","do":"slow"}]}', /faults\.0\.ms/u],
  ['{"faults":[{"on":"POST topics","do":"reset","mss":1}]}', /mss/u],
  ['{"list":false}', /list/u],
])("%s is not a fault script", (text, reason) => {
  const create = () => createFaultySandbox({ script: JSON.parse(text) });
  expect(create).toThrow(UsageError);
  expect(create).toThrow(reason);
});
